//===- FoldConstants.cpp - compute what depends on constants alone ----------===//
//
// Finds the values at the border between what is constant and what is not, and evaluates them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "udnn/Constants/Evaluate.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;

/// The operations of a block whose results depend on constants alone, in order.
static llvm::SetVector<Operation *> collectConstantOps(Block &block) {
  llvm::SetVector<Operation *> constant;
  auto isConstant = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && (isa<arith::ConstantOp>(op) || constant.contains(op));
  };
  for (Operation &op : block) {
    // What tensor.empty holds is unspecified: as a constant it would cost memory.
    if (isa<arith::ConstantOp, tensor::EmptyOp>(op) || op.getNumResults() == 0 || !isPure(&op))
      continue;
    std::optional<SmallVector<Value>> operands = getEvaluationOperands(&op);
    if (operands && llvm::all_of(*operands, isConstant))
      constant.insert(&op);
  }
  return constant;
}

/// The constant operation that stands for `attr` as a value of `type`.
static Value createConstant(OpBuilder &builder, Location loc, Type type, ElementsAttr attr) {
  if (isa<ShapedType>(type))
    return arith::ConstantOp::create(builder, loc, type, cast<TypedAttr>(attr));
  Attribute scalar = *attr.value_begin<Attribute>();
  return arith::ConstantOp::create(builder, loc, type, cast<TypedAttr>(scalar));
}

namespace {

struct FoldConstantsPass : public udnn::impl::FoldConstantsPassBase<FoldConstantsPass> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      foldBlock(block);
  }

  void foldBlock(Block &block) {
    llvm::SetVector<Operation *> constant = collectConstantOps(block);
    for (Operation *op : constant) {
      // An evaluator of its own: what lies between constants and `op` is freed again.
      ConstantEvaluator evaluator(limitBytes);
      for (Value result : op->getResults()) {
        auto isBorder = [&](Operation *user) {
          return !constant.contains(block.findAncestorOpInBlock(*user));
        };
        if (llvm::any_of(result.getUsers(), isBorder))
          foldValue(result, evaluator);
      }
    }
    for (Operation *op : llvm::reverse(constant))
      if (op->use_empty())
        op->erase();
  }

  void foldValue(Value value, ConstantEvaluator &evaluator) {
    ElementsAttr attr = evaluator.evaluate(value);
    if (!attr)
      return;
    OpBuilder builder(value.getDefiningOp());
    value.replaceAllUsesWith(createConstant(builder, value.getLoc(), value.getType(), attr));
    report(value.getLoc(), "dnn-fold-constants", "fold",
           value.getDefiningOp()->getName().getStringRef() + " computed at compile time");
  }
};

} // namespace
