//===- VerifySelected.cpp - the contract after selection ------------------------===//
//
// Checks what the memory stage relies on.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Cost/Device.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Dialect/Storage.h"
#include "udnn/Passes/Entry.h"
#include "udnn/Passes/Select.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace udnn {
#define GEN_PASS_DEF_VERIFYSELECTEDPASS
#include "udnn/Passes/Select.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

static bool isAllowed(Operation &op) {
  return isa<dnn::DispatchOp, tensor::EmptyOp, arith::ConstantOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             func::ReturnOp>(op);
}

/// Checks that a value is a constant scalar, or a static tensor that can be addressed.
static LogicalResult verifyType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type.isIntOrIndexOrFloat() ? success()
                                      : op->emitError("expects tensors and scalars, got ") << type;
  if (!tensor.hasStaticShape())
    return op->emitError("expects static shapes, got ") << type;
  if (getElementStorageBytes(tensor.getElementType()) == 0)
    return op->emitError("expects elements that can be stored, got ") << type;
  if (!getStorageBytes(tensor))
    return op->emitError("expects a tensor below 2^63 bytes, got ") << type;
  return success();
}

namespace {

struct VerifySelected : public udnn::impl::VerifySelectedPassBase<VerifySelected> {
  void runOnOperation() override {
    if (failed(verify(getOperation())))
      signalPassFailure();
  }

  static LogicalResult verify(ModuleOp module) {
    if (!getDevice(module))
      return module.emitError("expects the attribute '") << kDeviceAttrName << "'";
    for (Operation &op : *module.getBody())
      if (!isa<dnn::KernelOp, func::FuncOp>(op))
        return op.emitError("expects only kernels and the function '") << kEntry << "'";
    func::FuncOp function = getEntry(module);
    if (!function || !llvm::hasSingleElement(module.getOps<func::FuncOp>()))
      return function ? module.emitError("expects one function") : failure();
    for (Type type : function.getFunctionType().getInputs())
      if (failed(verifyType(function, type)))
        return failure();
    for (Operation &op : function.getBody().front()) {
      if (!isAllowed(op))
        return op.emitError("expects only dispatches, constants, views and insertions");
      for (Type type : op.getResultTypes())
        if (failed(verifyType(&op, type)))
          return failure();
    }
    return success();
  }
};

} // namespace
