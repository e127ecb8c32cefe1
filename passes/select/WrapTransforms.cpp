//===- WrapTransforms.cpp - units of layout transforms and packing ----------===//
//
// Wraps what selection left on tensors into units, so that it is planned and selected as well.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Select.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_WRAPTRANSFORMSPASS
#include "udnn/Passes/Select.h.inc"
} // namespace udnn

using namespace udnn;

/// True for the operations that compute and must run as a kernel.
static bool needsKernel(Operation &op) {
  return isa<linalg::LinalgOp, linalg::PackOp, linalg::UnPackOp, tensor::PadOp, tensor::GenerateOp,
             dnn::BatchOpInterface>(op);
}

/// A layout transform is named after what it does, other operations after their mnemonic.
static StringRef getUnitName(Operation &op) {
  if (isa<linalg::PackOp>(op))
    return "pack";
  if (isa<linalg::UnPackOp>(op))
    return "unpack";
  return op.getName().stripDialect();
}

/// Where the results of `op` are written: its own inits, or new tensors.
static SmallVector<Value> getInits(OpBuilder &builder, Operation &op) {
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return llvm::to_vector(ValueRange(destination.getDpsInits()));
  SmallVector<Value> inits;
  for (Type result : op.getResultTypes()) {
    auto type = cast<RankedTensorType>(result);
    inits.push_back(
        tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), type.getElementType()));
  }
  return inits;
}

/// Moves `op` into a unit: the tensors that it reads become arguments, scalars are copied into it.
static void wrap(Operation &op) {
  OpBuilder builder(&op);
  Location loc = op.getLoc();
  SmallVector<Value> inits = getInits(builder, op);
  llvm::SetVector<Value> used, inputs;
  used.insert(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), used);
  for (Value value : used)
    if (isa<RankedTensorType>(value.getType()) && !llvm::is_contained(inits, value))
      inputs.insert(value);
  auto unit =
      dnn::UnitOp::create(builder, loc, op.getResultTypes(), builder.getStringAttr(getUnitName(op)),
                          inputs.getArrayRef(), inits, dnn::PlanAttr());
  Block *body = builder.createBlock(&unit.getBody());
  IRMapping mapping;
  for (Value operand : unit->getOperands())
    mapping.map(operand, body->addArgument(operand.getType(), loc));
  for (Value value : used)
    if (!mapping.contains(value) && value.getDefiningOp())
      builder.clone(*value.getDefiningOp(), mapping);
  Operation *copy = builder.clone(op, mapping);
  dnn::YieldOp::create(builder, loc, copy->getResults());
  op.replaceAllUsesWith(unit);
  op.erase();
}

namespace {
struct WrapTransformsPass : public udnn::impl::WrapTransformsPassBase<WrapTransformsPass> {
  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body))
      if (needsKernel(op))
        wrap(op);
    // What the wrapped operations read has been copied into their units.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
