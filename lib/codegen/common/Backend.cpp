//===- Backend.cpp - machine code for kernels -----------------------------===//
//
// What all backends do the same way.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Codegen/Backend.h"

#include "udnn/Kernels/KernelFamily.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace udnn;

Backend::~Backend() = default;

LogicalResult Backend::buildKernel(dnn::KernelOp kernel, dnn::DeviceAttr device,
                                   ModuleOp module) const {
  const KernelFamily *family = lookupKernelFamily(kernel.getFamily());
  if (!family)
    return kernel.emitError() << "expects '" << kernel.getFamily() << "' to be a kernel family";
  if (failed(family->build(kernel, device, module)) || failed(finishKernel(kernel, module)))
    return failure();
  return verify(module);
}
