//===- CUDAExecutor.h - memory and stream of one context ---------*- C++ -*-===//
//
// Runs one program on a GPU: copies and launches as one CUDA graph.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CUDA_CUDAEXECUTOR_H
#define UDNN_RUNTIME_CUDA_CUDAEXECUTOR_H

#include "CUDAExecutable.h"

namespace udnn::runtime {

/// The arena, the stream, the argument arrays and the graph of one context.
class CUDAExecutor : public Executor {
public:
  static Result create(const CUDAExecutable &executable, std::unique_ptr<Executor> &out_executor);
  ~CUDAExecutor() override;

  Result bindInput(size_t input, const void *data) override;
  Result bindOutput(size_t output, void *data) override;
  Result run(int64_t *out_launchNs) override;
  uint32_t getThreads() const override { return 1; }
  const char *getDescription() const override { return executable.getDescription().c_str(); }

private:
  /// An element of `values` that points into an input or output.
  struct Binding {
    size_t position;
    uint64_t offset;
  };

  /// An input or output.
  struct Port {
    uint64_t bytes = 0;
    /// Its memory on the device and its pinned memory, for when host memory is bound.
    CUdeviceptr ownMemory = 0;
    uint8_t *staging = nullptr;
    /// What is bound: host memory, or null when it is device memory.
    uint8_t *host = nullptr;
    /// What the kernels get.
    CUdeviceptr address = 0;
    /// Empty when no launch uses it.
    std::vector<Binding> bindings;

    bool isCopied() const { return host && bytes != 0 && !bindings.empty(); }
  };

  /// A launch, ready to be queued.
  struct Work {
    CUfunction function;
    unsigned grid[3], block[3], sharedBytes;
    /// Addresses of its arguments, in `pointers`.
    void **arguments;
    bool isEmpty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
  };

  explicit CUDAExecutor(const CUDAExecutable &executable)
      : executable(executable), program(executable.getProgram()),
        driver(executable.getContext().getDriver()), memory(executable.getContext()),
        pinned(executable.getContext()), stream(executable.getContext()) {}

  Result resolve();
  Result resolveLaunch(size_t launch);
  uint64_t resolveArgument(const artifact::Argument &argument);
  Result allocate();
  Result createEvents();

  Result bind(Port &port, const artifact::Tensor &tensor, const char *what, const void *data);
  Result findDeviceMemory(const void *data, CUdeviceptr &out_address) const;
  void setAddress(Port &port, CUdeviceptr address);

  bool isIdle() const;
  Result updateGraph();
  void destroyGraph();
  Result enqueue(bool timed);
  Result enqueueLaunch(size_t launch);
  Result readTimes(int64_t *out_launchNs) const;

  const CUDAExecutable &executable;
  const artifact::Program &program;
  const Driver &driver;
  /// The arena, inputs, outputs, and worker memory.
  DeviceMemory memory;
  CUdeviceptr workerMemory = 0;
  PinnedMemory pinned;
  Stream stream;
  std::vector<Port> inputs, outputs;
  /// The arguments of all launches, one after the other, and their addresses.
  std::vector<uint64_t> values;
  std::vector<void *> pointers;
  std::vector<Work> work;
  /// Around the launches, for profiles.
  std::vector<CUevent> events;
  /// Null until the first run, and after an address changed.
  CUgraphExec graph = nullptr;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CUDA_CUDAEXECUTOR_H
