//===- Backends.cpp - the list of backends --------------------------------===//
//
// One backend for each kind of device.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "cpu/CpuBackend.h"
#include "cuda/CudaBackend.h"

using namespace mlir;
using namespace udnn;

static std::vector<std::unique_ptr<Backend>> createBackends() {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(codegen::createCpuBackend());
  backends.push_back(codegen::createCudaBackend());
  return backends;
}

static ArrayRef<std::unique_ptr<Backend>> getBackends() {
  static const std::vector<std::unique_ptr<Backend>> backends = createBackends();
  return backends;
}

const Backend *udnn::lookupBackend(dnn::DeviceAttr device) {
  for (const auto &backend : getBackends())
    if (backend->getDeviceKind() == device.getKind().getValue())
      return backend.get();
  return nullptr;
}

void udnn::registerCodegenDialects(DialectRegistry &registry) {
  for (const auto &backend : getBackends())
    backend->registerDialects(registry);
}
