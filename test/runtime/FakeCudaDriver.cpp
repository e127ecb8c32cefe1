//===- FakeCudaDriver.cpp - a CUDA driver for tests -----------------------===//
//
// A libcuda.so.1 whose GPU is the host: the functions that the runtime uses, with the checks that
// the real driver makes or ought to.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FakeCudaState.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace udnn::runtime;
using namespace udnn::test;

#define FAKE_API extern "C" __attribute__((visibility("default")))

FAKE_API FakeCuda *udnn_fake_cuda() { return &getState().fake; }

template <typename Handle>
static CUresult create(Handle *out_handle, Handle handle, int &alive) {
  getState().handles.insert(handle);
  ++alive;
  *out_handle = handle;
  return CUDA_SUCCESS;
}

template <typename Handle>
static CUresult destroy(const char *name, Handle handle, int &alive) {
  if (getState().handles.erase(handle) == 0)
    return misuse(std::string(name) + ": the handle is not alive");
  --alive;
  delete handle;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

FAKE_API CUresult cuInit(unsigned) { return getState().fake.initResult; }

FAKE_API CUresult cuGetErrorName(CUresult error, const char **out) {
  static const std::map<CUresult, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},       {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {kNoBinary, "CUDA_ERROR_NO_BINARY"}, {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"}, {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto found = names.find(error);
  *out = found == names.end() ? nullptr : found->second;
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FAKE_API CUresult cuGetErrorString(CUresult, const char **out) {
  *out = "so says the fake";
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGetCount(int *out) {
  *out = getState().fake.deviceCount;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGet(CUdevice *out, int ordinal) {
  *out = ordinal;
  return ordinal < getState().fake.deviceCount ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FAKE_API CUresult cuDeviceGetName(char *name, int bytes, CUdevice) {
  strncpy(name, "Fake GPU", bytes);
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGetAttribute(int *out, int attribute, CUdevice) {
  int capability = getState().fake.capability;
  if (attribute != 75 && attribute != 76)
    return CUDA_ERROR_INVALID_VALUE;
  *out = attribute == 75 ? capability / 10 : capability % 10;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  Call call(__func__, false);
  *out = &getState().contexts[device];
  getState().fake.contexts += (*out)->retained++ == 0;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  Call call(__func__, false);
  CUctx_st &context = getState().contexts[device];
  if (context.retained == 0)
    return misuse("a context is released once too often");
  getState().fake.contexts -= --context.retained == 0;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  Call call(__func__, false);
  if (getContextStack().depth == 16)
    return misuse("contexts are pushed and not popped");
  getContextStack().contexts[getContextStack().depth++] = context;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuCtxPopCurrent_v2(CUcontext *out) {
  Call call(__func__, false);
  if (getContextStack().depth == 0)
    return misuse("a context is popped that was not pushed", kInvalidContext);
  *out = getContextStack().contexts[--getContextStack().depth];
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuCtxGetCurrent(CUcontext *out) {
  *out =
      getContextStack().depth ? getContextStack().contexts[getContextStack().depth - 1] : nullptr;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Writes the log where the caller wants it.
static void writeLog(unsigned count, const int *options, void **values, const std::string &text) {
  char *buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == 6)
      bytes = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer && bytes)
    strncpy(buffer, text.c_str(), bytes);
}

/// The code of `getFakeCode`: "cubin sm_90a", one line "kernel NAME PARAMETERS" each, "end".
FAKE_API CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, int *options,
                                     void **values) {
  Call call(__func__);
  if (call.failed)
    return call.failed;
  std::istringstream text(static_cast<const char *>(image));
  std::string format, arch, word;
  text >> format >> arch;
  int number = atoi(arch.c_str() + 3), capability = getState().fake.capability;
  if (format == "cubin" && (number / 10 != capability / 10 || number > capability))
    return kNoBinary;
  auto module = std::make_unique<CUmod_st>();
  while (text >> word && word == "kernel") {
    CUfunc_st function;
    text >> function.name >> function.numParameters;
    module->functions[function.name] = function;
  }
  if (word != "end") {
    writeLog(count, options, values, "ptxas fake.ptx, line 3; error: unexpected '" + word + "'\n");
    return kInvalidPtx;
  }
  return create(out, module.release(), getState().fake.modules);
}

FAKE_API CUresult cuModuleUnload(CUmodule module) {
  Call call(__func__);
  return call.failed ? call.failed : destroy(__func__, module, getState().fake.modules);
}

FAKE_API CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name) {
  Call call(__func__);
  if (call.failed)
    return call.failed;
  if (!isAlive(module))
    return misuse("a function of a module that is not alive");
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return kNotFound;
  *out = &found->second;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuFuncGetAttribute(int *out, int attribute, CUfunction function) {
  Call call(__func__);
  *out = function->maxSharedBytes;
  return attribute == 8 ? call.failed : CUDA_ERROR_INVALID_VALUE;
}

FAKE_API CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  Call call(__func__);
  if (attribute != 8 || value > 227 << 10)
    return CUDA_ERROR_INVALID_VALUE;
  function->maxSharedBytes = value;
  return call.failed;
}

FAKE_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *out_offset,
                                     size_t *out_bytes) {
  Call call(__func__);
  *out_offset = index * 8;
  *out_bytes = 8;
  return index < function->numParameters ? call.failed : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FAKE_API CUresult cuMemGetInfo_v2(size_t *out_free, size_t *out_total) {
  Call call(__func__);
  *out_total = getState().fake.memoryBytes;
  *out_free = *out_total - getState().usedBytes;
  return call.failed;
}

FAKE_API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
  Call call(__func__);
  FakeState &state = getState();
  void *memory = nullptr;
  if (call.failed || bytes == 0)
    return call.failed ? call.failed : misuse("an allocation of 0 bytes");
  if (state.usedBytes > state.fake.memoryBytes ||
      bytes > state.fake.memoryBytes - state.usedBytes || posix_memalign(&memory, 256, bytes) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  // What nobody writes is a NaN.
  memset(memory, 0xff, bytes);
  state.usedBytes += bytes;
  *out = reinterpret_cast<uintptr_t>(memory);
  state.memories[*out] = bytes;
  ++state.fake.memories;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuMemFree_v2(CUdeviceptr address) {
  Call call(__func__);
  FakeState &state = getState();
  auto found = state.memories.find(address);
  if (call.failed || found == state.memories.end())
    return call.failed ? call.failed : misuse("device memory is freed that is not alive");
  state.usedBytes -= found->second;
  state.memories.erase(found);
  --state.fake.memories;
  free(reinterpret_cast<void *>(address));
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned) {
  Call call(__func__);
  if (call.failed || bytes == 0)
    return call.failed ? call.failed : misuse("a pinned allocation of 0 bytes");
  *out = malloc(bytes);
  getState().pinned[reinterpret_cast<uintptr_t>(*out)] = bytes;
  ++getState().fake.pinnedMemories;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuMemFreeHost(void *data) {
  Call call(__func__);
  if (call.failed || getState().pinned.erase(reinterpret_cast<uintptr_t>(data)) == 0)
    return call.failed ? call.failed : misuse("pinned memory is freed that is not alive");
  --getState().fake.pinnedMemories;
  free(data);
  return CUDA_SUCCESS;
}

/// Checks both sides of a copy. In graphs, host memory is pinned.
static CUresult copy(CUstream stream, void *target, const void *source, size_t bytes,
                     const void *device, const void *host) {
  if (bytes == 0 || !contains(getState().memories, device, bytes))
    return misuse("a copy to or from what is not device memory of that size");
  if (isAlive(stream) && stream->graph && !contains(getState().pinned, host, bytes))
    return misuse("a graph copies to or from memory that is not pinned");
  Operation operation;
  operation.target = target;
  operation.source = source;
  operation.bytes = bytes;
  return enqueue(stream, operation);
}

FAKE_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, size_t bytes,
                                       CUstream stream) {
  Call call(__func__);
  if (call.failed)
    return call.failed;
  if (isAlive(stream) && !stream->graph)
    getState().fake.uploadedBytes += bytes;
  void *device = reinterpret_cast<void *>(target);
  return copy(stream, device, source, bytes, device, source);
}

FAKE_API CUresult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t bytes,
                                       CUstream stream) {
  Call call(__func__);
  const void *device = reinterpret_cast<const void *>(source);
  return call.failed ? call.failed : copy(stream, target, device, bytes, device, target);
}

FAKE_API CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **out_values,
                                         CUdeviceptr address) {
  Call call(__func__);
  if (call.failed)
    return call.failed;
  const void *data = reinterpret_cast<const void *>(address);
  bool isPinned = contains(getState().pinned, data, 1);
  bool isDevice = contains(getState().memories, data, 1);
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i] != 2 && attributes[i] != 9)
      return CUDA_ERROR_INVALID_VALUE;
    // Unknown memory has no type; all known memory belongs to the first GPU.
    int value = attributes[i] == 9 ? 0 : isPinned ? 1 : isDevice ? 2 : 0;
    *static_cast<int *>(out_values[i]) = value;
  }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Streams, events, graphs, launches
//===----------------------------------------------------------------------===//

FAKE_API CUresult cuStreamCreate(CUstream *out, unsigned flags) {
  Call call(__func__);
  if (call.failed || flags != 1)
    return call.failed ? call.failed : misuse("a stream that waits for the default stream");
  return create(out, new CUstream_st, getState().fake.streams);
}

FAKE_API CUresult cuStreamDestroy_v2(CUstream stream) {
  Call call(__func__);
  return call.failed ? call.failed : destroy(__func__, stream, getState().fake.streams);
}

FAKE_API CUresult cuStreamSynchronize(CUstream stream) {
  Call call(__func__);
  if (call.failed)
    return call.failed;
  return isAlive(stream) && !stream->graph ? stream->error : misuse("a wait for a wrong stream");
}

FAKE_API CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  Call call(__func__);
  if (call.failed || !isAlive(stream) || stream->graph)
    return call.failed ? call.failed : misuse("a capture of a wrong stream");
  ++getState().fake.captures;
  return create(&stream->graph, new CUgraph_st, getState().fake.graphs);
}

FAKE_API CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
  Call call(__func__);
  if (call.failed || !isAlive(stream) || !stream->graph)
    return call.failed ? call.failed : misuse("the end of a capture that did not begin");
  *out = stream->graph;
  stream->graph = nullptr;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long) {
  Call call(__func__);
  if (call.failed || !isAlive(graph))
    return call.failed ? call.failed : misuse("an instance of a graph that is not alive");
  return create(out, new CUgraphExec_st{graph->operations}, getState().fake.graphExecs);
}

FAKE_API CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  Call call(__func__);
  if (call.failed || !isAlive(graph) || !isAlive(stream))
    return call.failed ? call.failed : misuse("a launch of a graph that is not alive");
  ++getState().fake.graphLaunches;
  for (const Operation &operation : graph->operations)
    enqueue(stream, operation);
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuGraphDestroy(CUgraph graph) {
  Call call(__func__);
  return call.failed ? call.failed : destroy(__func__, graph, getState().fake.graphs);
}

FAKE_API CUresult cuGraphExecDestroy(CUgraphExec graph) {
  Call call(__func__);
  return call.failed ? call.failed : destroy(__func__, graph, getState().fake.graphExecs);
}

FAKE_API CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                 unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                                 unsigned sharedBytes, CUstream stream, void **arguments,
                                 void **extra) {
  Call call(__func__);
  if (call.failed)
    return call.failed;
  if (gridX == 0 || gridY == 0 || gridZ == 0 || extra)
    return misuse("a launch of " + function->name + " over an empty grid");
  if (blockX * blockY * blockZ > 1024 || int(sharedBytes) > function->maxSharedBytes)
    return CUDA_ERROR_INVALID_VALUE;
  Operation operation;
  operation.function = function;
  operation.launch = {
      function->name.c_str(), {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, {}};
  for (size_t i = 0; i < function->numParameters; ++i)
    memcpy(&operation.launch.arguments[i], arguments[i], 8);
  return enqueue(stream, operation);
}

FAKE_API CUresult cuEventCreate(CUevent *out, unsigned) {
  Call call(__func__);
  return call.failed ? call.failed : create(out, new CUevent_st, getState().fake.events);
}

FAKE_API CUresult cuEventDestroy_v2(CUevent event) {
  Call call(__func__);
  return call.failed ? call.failed : destroy(__func__, event, getState().fake.events);
}

FAKE_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  Call call(__func__);
  if (call.failed || !isAlive(event) || !isAlive(stream) || stream->graph)
    return call.failed ? call.failed : misuse("a wrong event is recorded");
  event->ms = getState().clockMs;
  return CUDA_SUCCESS;
}

FAKE_API CUresult cuEventElapsedTime(float *out, CUevent start, CUevent end) {
  Call call(__func__);
  if (call.failed || start->ms < 0 || end->ms < 0)
    return call.failed ? call.failed : misuse("a time between events that were not recorded");
  *out = float(end->ms - start->ms);
  return CUDA_SUCCESS;
}
