//===- CPUExecutor.h - memory and threads of one context ---------*- C++ -*-===//
//
// Runs one program on the CPU.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CPU_CPUEXECUTOR_H
#define UDNN_RUNTIME_CPU_CPUEXECUTOR_H

#include "../Device.h"
#include "ThreadPool.h"

namespace udnn::runtime {

/// Pages from the system, zero at first.
class Pages {
public:
  Pages() = default;
  ~Pages();
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  /// False when there is not enough memory.
  bool allocate(uint64_t bytes);
  uint8_t *get() const { return data; }

private:
  uint8_t *data = nullptr;
  void *mapping = nullptr;
  uint64_t mappingBytes = 0;
};

/// The arena, the workers and the argument arrays of one context.
class CPUExecutor : public Executor {
public:
  static Result create(const artifact::Reader &reader, const artifact::Program &program,
                       const std::vector<KernelFn> &kernels, uint32_t threads,
                       std::unique_ptr<Executor> &out_executor);

  Result bindInput(size_t input, const void *data) override;
  Result bindOutput(size_t output, void *data) override;
  Result run(int64_t *out_launchNs) override;
  uint32_t getThreads() const override { return pool->getThreads(); }
  const char *getDescription() const override { return "cpu"; }

private:
  CPUExecutor(const artifact::Reader &reader, const artifact::Program &program)
      : reader(reader), program(program) {}
  Result allocate(uint32_t threads);
  Result resolve(const std::vector<KernelFn> &kernels);
  void *resolveArgument(const artifact::Argument &argument, uint32_t worker) const;

  /// An element of `arguments` that points into an input or output.
  struct Binding {
    size_t position;
    uint64_t offset;
  };
  void bind(const std::vector<Binding> &bindings, uint8_t *data);

  const artifact::Reader &reader;
  const artifact::Program &program;
  Pages arena, scratch;
  uint64_t scratchStride = 0;
  /// The argument arrays of all launches, one after the other.
  std::vector<void *> arguments;
  std::vector<Work> work;
  /// By input and by output.
  std::vector<std::vector<Binding>> inputBindings, outputBindings;
  std::unique_ptr<ThreadPool> pool;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CPU_CPUEXECUTOR_H
