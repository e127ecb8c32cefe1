//===- Driver.cpp - the CUDA driver ---------------------------------------===//
//
// Opens libcuda, looks up its functions, and puts its errors into words.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstring>
#include <dlfcn.h>

using namespace udnn;
using namespace udnn::runtime;

static constexpr const char *kLibrary = "libcuda.so.1";

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

static Result openLibrary(void *&out_library) {
  // The driver keeps threads and handlers of its own, so it is never unloaded.
  out_library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (out_library)
    return success();
  const char *error = dlerror();
  std::string cause = error ? error : "unknown error", prefix = std::string(kLibrary) + ": ";
  if (cause.compare(0, prefix.size(), prefix) == 0)
    cause.erase(0, prefix.size());
  return failure(UDNN_UNSUPPORTED_DEVICE,
                 std::string("cannot open '") + kLibrary + "': " + cause +
                     "; the NVIDIA driver is not installed (device 'cpu' needs none)");
}

template <typename Function>
static bool lookup(void *library, const char *symbol, Function &out_function) {
  void *address = dlsym(library, symbol);
  static_assert(sizeof(address) == sizeof(out_function), "functions have addresses");
  memcpy(&out_function, &address, sizeof(address));
  return address;
}

static Result lookupAll(void *library, Driver &driver) {
  const char *missing = nullptr;
#define UDNN_CUDA_LOOKUP(name, symbol, ...)                                                        \
  if (!lookup(library, symbol, driver.name) && !missing)                                           \
    missing = symbol;
  UDNN_CUDA_FUNCTIONS(UDNN_CUDA_LOOKUP)
#undef UDNN_CUDA_LOOKUP
#define UDNN_CUDA_LOOKUP(name, symbol, ...) lookup(library, symbol, driver.name);
  UDNN_CUDA_OPTIONAL_FUNCTIONS(UDNN_CUDA_LOOKUP)
#undef UDNN_CUDA_LOOKUP
  if (!missing)
    return success();
  return failure(UDNN_UNSUPPORTED_DEVICE, std::string("'") + kLibrary + "' lacks the function '" +
                                              missing +
                                              "'; the NVIDIA driver must support CUDA 11.4");
}

Result Driver::open(std::shared_ptr<const Driver> &out_driver) {
  void *library = nullptr;
  if (Result result = openLibrary(library); result.failed())
    return result;
  auto driver = std::make_shared<Driver>();
  Result result = lookupAll(library, *driver);
  dlclose(library);
  if (result.failed())
    return result;
  if (CUresult code = driver->cuInit(0))
    return failure(UDNN_UNSUPPORTED_DEVICE,
                   (code == CUDA_ERROR_NO_DEVICE ? "the NVIDIA driver finds no GPU: "
                                                 : "the NVIDIA driver does not start: ") +
                       driver->describe(code));
  out_driver = std::move(driver);
  return success();
}

std::string Driver::describe(CUresult code) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(code, &name) != CUDA_SUCCESS || !name)
    return "CUDA error " + std::to_string(code);
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

Result Driver::check(CUresult code, const char *what) const {
  if (code == CUDA_SUCCESS)
    return success();
  return failure(code == CUDA_ERROR_OUT_OF_MEMORY ? UDNN_OUT_OF_MEMORY : UDNN_DEVICE_FAILED,
                 std::string("cannot ") + what + ": " + describe(code));
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

Result PrimaryContext::retain(std::shared_ptr<const Driver> driver, CUdevice device,
                              std::shared_ptr<PrimaryContext> &out_context) {
  std::shared_ptr<PrimaryContext> context(new PrimaryContext(std::move(driver), device));
  const Driver &d = context->getDriver();
  if (Result result =
          d.check(d.cuDevicePrimaryCtxRetain(&context->context, device), "open the GPU's context");
      result.failed()) {
    context->context = nullptr;
    return result;
  }
  out_context = std::move(context);
  return success();
}

PrimaryContext::~PrimaryContext() {
  if (context)
    driver->cuDevicePrimaryCtxRelease(device);
}

CurrentContext::~CurrentContext() {
  CUcontext popped;
  if (code == CUDA_SUCCESS)
    driver.cuCtxPopCurrent(&popped);
}
