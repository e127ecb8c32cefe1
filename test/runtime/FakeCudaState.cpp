//===- FakeCudaState.cpp - inside of the fake CUDA driver -----------------===//
//
// Checks of contexts and memory, and the kernels that the fake GPU has.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FakeCudaState.h"

#include <cstring>

using namespace udnn::runtime;
using namespace udnn::test;

FakeState &udnn::test::getState() {
  static FakeState state;
  return state;
}

ContextStack &udnn::test::getContextStack() {
  static thread_local ContextStack stack;
  return stack;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

int udnn::test::misuse(const std::string &text, int code) {
  getState().fake.misuse.push_back(text);
  return code;
}

Call::Call(const char *name, bool needsContext) : lock(getState().mutex) {
  getState().fake.busy = true;
  const ContextStack &stack = getContextStack();
  if (!needsContext)
    return;
  if (stack.depth == 0)
    failed = misuse(std::string(name) + ": no context is current", kInvalidContext);
  else if (stack.contexts[stack.depth - 1]->retained == 0)
    failed = misuse(std::string(name) + ": the context was released", kInvalidContext);
}

bool udnn::test::contains(const std::map<uintptr_t, size_t> &areas, const void *data,
                          size_t bytes) {
  uintptr_t address = reinterpret_cast<uintptr_t>(data);
  auto next = areas.upper_bound(address);
  if (next == areas.begin())
    return false;
  auto [start, size] = *--next;
  return address - start <= size && bytes <= size - (address - start);
}

bool udnn::test::isAlive(const void *handle) { return getState().handles.count(handle) != 0; }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static float *getFloats(uint64_t address) { return reinterpret_cast<float *>(address); }

/// Checks that the first `pointers` arguments have `elements` floats on the device.
static bool checkPointers(const Operation &operation, int pointers, uint64_t elements) {
  for (int i = 0; i < pointers; ++i)
    if (!contains(getState().memories, getFloats(operation.launch.arguments[i]), elements * 4)) {
      misuse(std::string(operation.launch.kernel) + ": argument " + std::to_string(i) +
             " is not device memory of that size");
      return false;
    }
  return true;
}

/// y = x + c: x, c, y, elements.
static CUresult runAdd(const Operation &operation) {
  const uint64_t *a = operation.launch.arguments;
  if (checkPointers(operation, 3, a[3]))
    for (uint64_t i = 0; i < a[3]; ++i)
      getFloats(a[2])[i] = getFloats(a[0])[i] + getFloats(a[1])[i];
  return CUDA_SUCCESS;
}

/// y = x * factor: x, y, elements, factor.
static CUresult runScale(const Operation &operation) {
  const uint64_t *a = operation.launch.arguments;
  if (checkPointers(operation, 2, a[2]))
    for (uint64_t i = 0; i < a[2]; ++i)
      getFloats(a[1])[i] = getFloats(a[0])[i] * float(int64_t(a[3]));
  return CUDA_SUCCESS;
}

/// y = x through scratch memory of as many elements: x, y, scratch, elements.
static CUresult runByScratch(const Operation &operation) {
  const uint64_t *a = operation.launch.arguments;
  if (checkPointers(operation, 3, a[3])) {
    memcpy(getFloats(a[2]), getFloats(a[0]), a[3] * 4);
    memcpy(getFloats(a[1]), getFloats(a[2]), a[3] * 4);
  }
  return CUDA_SUCCESS;
}

static CUresult runFault(const Operation &) { return kIllegalAddress; }

static CUresult runKernel(const Operation &operation) {
  static const std::map<std::string, CUresult (*)(const Operation &)> kernels = {
      {"add", runAdd}, {"scale", runScale}, {"by_scratch", runByScratch}, {"fault", runFault}};
  getState().fake.launches.push_back(operation.launch);
  getState().clockMs += 0.5;
  return kernels.at(operation.function->name)(operation);
}

static CUresult execute(const Operation &operation) {
  if (operation.function)
    return runKernel(operation);
  memcpy(operation.target, operation.source, operation.bytes);
  return CUDA_SUCCESS;
}

CUresult udnn::test::enqueue(CUstream stream, const Operation &operation) {
  if (!isAlive(stream))
    return misuse("an operation on a stream that is not alive");
  if (stream->graph)
    stream->graph->operations.push_back(operation);
  else if (stream->error == CUDA_SUCCESS)
    stream->error = execute(operation);
  return CUDA_SUCCESS;
}
