//===- VerifySimplified.cpp - check the contract of the simplify stage ------===//
//
// The list of operations that may follow simplification.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Simplify.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_VERIFYSIMPLIFIEDPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;

static LogicalResult verifyOp(Operation &op, llvm::StringSet<> &names) {
  if (!isa<dnn::UnitOp, arith::ConstantOp, tensor::EmptyOp, tensor::ExpandShapeOp,
           tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::ConcatOp, func::ReturnOp>(op))
    return op.emitError("expects only units, constants, views and concatenations after "
                        "simplification, got '")
           << op.getName() << "'";
  for (Type type : llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !tensor.hasStaticShape())
      return op.emitError("expects static tensors after simplification, got ") << type;
  if (auto unit = dyn_cast<dnn::UnitOp>(op); unit && !names.insert(unit.getName()).second)
    return op.emitError("expects unique names of units, got '") << unit.getName() << "' twice";
  return success();
}

namespace {

struct VerifySimplifiedPass : public udnn::impl::VerifySimplifiedPassBase<VerifySimplifiedPass> {
  using VerifySimplifiedPassBase::VerifySimplifiedPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      llvm::StringSet<> names;
      for (Block &block : function.getBody())
        for (Operation &op : block)
          if (failed(verifyOp(op, names)))
            return signalPassFailure();
    }
  }
};

} // namespace
