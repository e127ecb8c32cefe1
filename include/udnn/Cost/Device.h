//===- Device.h - facts about target devices ---------------------*- C++ -*-===//
//
// Turns a target's name into the facts that planning and code generation use.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_COST_DEVICE_H
#define UDNN_COST_DEVICE_H

#include "udnn/Dialect/Dnn.h"

namespace udnn {

/// The facts for `target`: "cpu" (with `cpu` "native" or an LLVM CPU name such as "haswell"), or
/// "cuda:sm_90a" and the like. They depend on the names, and for "native" on the host's CPU model
/// and number of cores, never on a measurement. Reports an unknown name through `emitError`.
mlir::FailureOr<dnn::DeviceAttr>
getDevice(mlir::MLIRContext *context, llvm::StringRef target, llvm::StringRef cpu,
          llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Name of the module attribute that holds the device facts.
inline constexpr llvm::StringLiteral kDeviceAttrName = "dnn.device";

/// The device of the module around `op`; null when it has none.
dnn::DeviceAttr getDevice(mlir::Operation *op);

/// The device of `module`; null, after an error on the module, when it has none.
dnn::DeviceAttr requireDevice(mlir::ModuleOp module);

} // namespace udnn

#endif // UDNN_COST_DEVICE_H
