//===- CPUExecutor.cpp - memory and threads of one context ----------------===//
//
// Resolves every argument to an address ahead of time, so that a run only calls kernels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CPUExecutor.h"

#include <sys/mman.h>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

/// More threads than this are a mistake of the caller.
static constexpr uint32_t kMaxThreads = 1024;
static constexpr uint64_t kHugePage = 2 << 20;

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

Pages::~Pages() {
  if (mapping)
    munmap(mapping, mappingBytes);
}

bool Pages::allocate(uint64_t bytes) {
  if (bytes == 0)
    return true;
  // Large areas start at a huge page, which saves most of the misses of the address cache.
  uint64_t slack = bytes >= kHugePage ? kHugePage : 0;
  if (bytes > uint64_t(PTRDIFF_MAX) - slack)
    return false;
  mappingBytes = bytes + slack;
  void *address =
      mmap(nullptr, mappingBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return false;
  mapping = address;
  data = static_cast<uint8_t *>(address);
  if (slack) {
    data += -reinterpret_cast<uintptr_t>(data) % kHugePage;
    madvise(data, bytes, MADV_HUGEPAGE);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// CPUExecutor
//===----------------------------------------------------------------------===//

Result CPUExecutor::create(const Reader &reader, const Program &program,
                           const std::vector<KernelFn> &kernels, uint32_t threads,
                           std::unique_ptr<Executor> &out_executor) {
  if (threads > kMaxThreads)
    return failure(UDNN_INVALID_ARGUMENT, "expects at most " + std::to_string(kMaxThreads) +
                                              " threads, got " + std::to_string(threads));
  std::unique_ptr<CPUExecutor> executor(new CPUExecutor(reader, program));
  if (Result result = executor->allocate(threads); result.failed())
    return result;
  if (Result result = executor->resolve(kernels); result.failed())
    return result;
  out_executor = std::move(executor);
  return success();
}

Result CPUExecutor::allocate(uint32_t threads) {
  if (!arena.allocate(program.arenaBytes))
    return failure(UDNN_OUT_OF_MEMORY,
                   "cannot allocate an arena of " + std::to_string(program.arenaBytes) + " bytes");
  // A page between the workers, so that none reads ahead into what another writes.
  uint64_t bytes = 0;
  if (program.workerBytes != 0 &&
      (__builtin_add_overflow(program.workerBytes, 2 * kSegmentAlignment - 1, &scratchStride) ||
       __builtin_mul_overflow(scratchStride -= scratchStride % kSegmentAlignment, threads, &bytes)))
    bytes = UINT64_MAX;
  if (!scratch.allocate(bytes))
    return failure(UDNN_OUT_OF_MEMORY, "cannot allocate " + std::to_string(program.workerBytes) +
                                           " bytes of scratch memory for each of " +
                                           std::to_string(threads) + " threads");
  pool = ThreadPool::create(threads);
  if (!pool)
    return failure(UDNN_OUT_OF_MEMORY, "cannot create " + std::to_string(threads) + " threads");
  return success();
}

static bool usesWorkerMemory(const Launch &launch) {
  for (const Argument &argument : launch.arguments)
    if (argument.kind == Argument::Kind::Buffer && argument.space == Space::Worker)
      return true;
  return false;
}

/// Builds `work` and `arguments`: one array per launch, or one per worker where they differ.
Result CPUExecutor::resolve(const std::vector<KernelFn> &kernels) {
  inputBindings.resize(program.inputs.size());
  outputBindings.resize(program.outputs.size());
  std::vector<size_t> starts;
  for (size_t i = 0; i < program.launches.size(); ++i) {
    const Launch &launch = program.launches[i];
    if (launch.grid[0] > UINT32_MAX)
      return failure(UDNN_INVALID_ARTIFACT, "launch " + std::to_string(i) + " ('" + launch.layer +
                                                "'): expects fewer than 2^32 tasks, got " +
                                                std::to_string(launch.grid[0]));
    uint32_t copies = usesWorkerMemory(launch) ? pool->getThreads() : 1;
    starts.push_back(arguments.size());
    for (uint32_t worker = 0; worker < copies; ++worker) {
      for (const Argument &argument : launch.arguments) {
        Binding binding = {arguments.size(), argument.offset};
        if (argument.kind == Argument::Kind::Buffer && argument.space == Space::Input)
          inputBindings[argument.index].push_back(binding);
        if (argument.kind == Argument::Kind::Buffer && argument.space == Space::Output)
          outputBindings[argument.index].push_back(binding);
        arguments.push_back(resolveArgument(argument, worker));
      }
    }
    size_t stride = copies == 1 ? 0 : launch.arguments.size();
    work.push_back({kernels[i], nullptr, stride, uint32_t(launch.grid[0])});
  }
  for (size_t i = 0; i < work.size(); ++i)
    work[i].arguments = arguments.data() + starts[i];
  return success();
}

/// The address that a kernel gets; null for an input or output, which is bound later.
void *CPUExecutor::resolveArgument(const Argument &argument, uint32_t worker) const {
  if (argument.kind == Argument::Kind::Integer)
    return reinterpret_cast<void *>(argument.value);
  switch (argument.space) {
  case Space::Arena:
    return arena.get() + argument.offset;
  case Space::Constant:
    // Kernels do not write to constants; the array of arguments has one type for all.
    return const_cast<uint8_t *>(reader.getConstantData(argument.index)) + argument.offset;
  case Space::Worker:
    return scratch.get() + worker * scratchStride + argument.offset;
  case Space::Input:
  case Space::Output:
    break;
  }
  return nullptr;
}

void CPUExecutor::bind(const std::vector<Binding> &bindings, uint8_t *data) {
  for (const Binding &binding : bindings)
    arguments[binding.position] = data + binding.offset;
}

Result CPUExecutor::bindInput(size_t input, const void *data) {
  bind(inputBindings[input], static_cast<uint8_t *>(const_cast<void *>(data)));
  return success();
}

Result CPUExecutor::bindOutput(size_t output, void *data) {
  bind(outputBindings[output], static_cast<uint8_t *>(data));
  return success();
}

Result CPUExecutor::run(int64_t *out_launchNs) {
  pool->run(work.data(), work.size(), out_launchNs);
  return success();
}
