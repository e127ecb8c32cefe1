//===- Driver.h - the CUDA driver --------------------------------*- C++ -*-===//
//
// libcuda as a table of functions that are looked up at run time, so that the runtime starts on
// machines without a GPU and builds on machines without CUDA.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CUDA_DRIVER_H
#define UDNN_RUNTIME_CUDA_DRIVER_H

#include "../Device.h"

namespace udnn::runtime {

// Types and numbers of the driver API (CUDA 11.4 and later) under their names in cuda.h.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

constexpr CUresult CUDA_SUCCESS = 0;
constexpr CUresult CUDA_ERROR_INVALID_VALUE = 1;
constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
constexpr CUresult CUDA_ERROR_NO_DEVICE = 100;
constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75;
constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;
constexpr int CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
constexpr int CU_JIT_ERROR_LOG_BUFFER = 5;
constexpr int CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
constexpr int CU_MEMORYTYPE_DEVICE = 2;
constexpr int CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2;
constexpr int CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9;
constexpr int CU_STREAM_CAPTURE_MODE_RELAXED = 2;
constexpr unsigned CU_EVENT_DEFAULT = 0;
constexpr unsigned CU_STREAM_NON_BLOCKING = 1;

/// F(name, symbol, parameters): the functions in use. The symbols are those that cuda.h's macros
/// select, and the same from CUDA 11.4 on.
#define UDNN_CUDA_FUNCTIONS(F)                                                                     \
  F(cuInit, "cuInit", unsigned flags)                                                              \
  F(cuGetErrorName, "cuGetErrorName", CUresult error, const char **out_name)                       \
  F(cuGetErrorString, "cuGetErrorString", CUresult error, const char **out_text)                   \
  F(cuDeviceGetCount, "cuDeviceGetCount", int *out_count)                                          \
  F(cuDeviceGet, "cuDeviceGet", CUdevice *out_device, int ordinal)                                 \
  F(cuDeviceGetName, "cuDeviceGetName", char *name, int bytes, CUdevice device)                    \
  F(cuDeviceGetAttribute, "cuDeviceGetAttribute", int *out_value, int attribute, CUdevice device)  \
  F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", CUcontext *out_context, CUdevice device) \
  F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", CUdevice device)                    \
  F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", CUcontext context)                                    \
  F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", CUcontext *out_context)                                 \
  F(cuModuleLoadDataEx, "cuModuleLoadDataEx", CUmodule *out_module, const void *image,             \
    unsigned numOptions, int *options, void **values)                                              \
  F(cuModuleUnload, "cuModuleUnload", CUmodule module)                                             \
  F(cuModuleGetFunction, "cuModuleGetFunction", CUfunction *out_function, CUmodule module,         \
    const char *name)                                                                              \
  F(cuFuncGetAttribute, "cuFuncGetAttribute", int *out_value, int attribute, CUfunction function)  \
  F(cuFuncSetAttribute, "cuFuncSetAttribute", CUfunction function, int attribute, int value)       \
  F(cuMemGetInfo, "cuMemGetInfo_v2", size_t *out_free, size_t *out_total)                          \
  F(cuMemAlloc, "cuMemAlloc_v2", CUdeviceptr *out_address, size_t bytes)                           \
  F(cuMemFree, "cuMemFree_v2", CUdeviceptr address)                                                \
  F(cuMemHostAlloc, "cuMemHostAlloc", void **out_data, size_t bytes, unsigned flags)               \
  F(cuMemFreeHost, "cuMemFreeHost", void *data)                                                    \
  F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", CUdeviceptr target, const void *source,             \
    size_t bytes, CUstream stream)                                                                 \
  F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void *target, CUdeviceptr source, size_t bytes,     \
    CUstream stream)                                                                               \
  F(cuPointerGetAttributes, "cuPointerGetAttributes", unsigned count, int *attributes,             \
    void **out_values, CUdeviceptr address)                                                        \
  F(cuStreamCreate, "cuStreamCreate", CUstream *out_stream, unsigned flags)                        \
  F(cuStreamDestroy, "cuStreamDestroy_v2", CUstream stream)                                        \
  F(cuStreamSynchronize, "cuStreamSynchronize", CUstream stream)                                   \
  F(cuStreamBeginCapture, "cuStreamBeginCapture_v2", CUstream stream, int mode)                    \
  F(cuStreamEndCapture, "cuStreamEndCapture", CUstream stream, CUgraph *out_graph)                 \
  F(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", CUgraphExec *out_executable,       \
    CUgraph graph, unsigned long long flags)                                                       \
  F(cuGraphLaunch, "cuGraphLaunch", CUgraphExec executable, CUstream stream)                       \
  F(cuGraphDestroy, "cuGraphDestroy", CUgraph graph)                                               \
  F(cuGraphExecDestroy, "cuGraphExecDestroy", CUgraphExec executable)                              \
  F(cuLaunchKernel, "cuLaunchKernel", CUfunction function, unsigned gridX, unsigned gridY,         \
    unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,       \
    CUstream stream, void **arguments, void **extra)                                               \
  F(cuEventCreate, "cuEventCreate", CUevent *out_event, unsigned flags)                            \
  F(cuEventDestroy, "cuEventDestroy_v2", CUevent event)                                            \
  F(cuEventRecord, "cuEventRecord", CUevent event, CUstream stream)                                \
  F(cuEventElapsedTime, "cuEventElapsedTime", float *out_ms, CUevent start, CUevent end)

/// Functions that drivers before CUDA 12.4 lack; null where they are missing.
#define UDNN_CUDA_OPTIONAL_FUNCTIONS(F)                                                            \
  F(cuFuncGetParamInfo, "cuFuncGetParamInfo", CUfunction function, size_t index,                   \
    size_t *out_offset, size_t *out_bytes)

/// The functions of libcuda.
struct Driver {
#define UDNN_CUDA_MEMBER(name, symbol, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
  UDNN_CUDA_FUNCTIONS(UDNN_CUDA_MEMBER)
  UDNN_CUDA_OPTIONAL_FUNCTIONS(UDNN_CUDA_MEMBER)
#undef UDNN_CUDA_MEMBER

  /// Opens the library and initializes the driver. Once opened the library stays in the process.
  static Result open(std::shared_ptr<const Driver> &out_driver);

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string describe(CUresult code) const;

  /// "cannot <what>: <describe(code)>" with the status that fits; success allocates nothing.
  Result check(CUresult code, const char *what) const;
};

/// The primary context of a device, retained while this lives; it is the one that other libraries
/// in the process share.
class PrimaryContext {
public:
  static Result retain(std::shared_ptr<const Driver> driver, CUdevice device,
                       std::shared_ptr<PrimaryContext> &out_context);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &operator=(const PrimaryContext &) = delete;

  const Driver &getDriver() const { return *driver; }
  CUdevice getDevice() const { return device; }
  CUcontext get() const { return context; }

private:
  PrimaryContext(std::shared_ptr<const Driver> driver, CUdevice device)
      : driver(std::move(driver)), device(device) {}

  std::shared_ptr<const Driver> driver;
  CUdevice device;
  CUcontext context = nullptr;
};

/// Makes a context current on this thread, and the caller's own one again in the end.
class CurrentContext {
public:
  explicit CurrentContext(const PrimaryContext &context)
      : driver(context.getDriver()), code(driver.cuCtxPushCurrent(context.get())) {}
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  Result check() const { return driver.check(code, "use the GPU on this thread"); }

private:
  const Driver &driver;
  CUresult code;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CUDA_DRIVER_H
