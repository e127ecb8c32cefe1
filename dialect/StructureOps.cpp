//===- StructureOps.cpp - units ---------------------------------------------===//
//
// Checks and queries of dnn.unit.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"

using namespace mlir;
using namespace udnn::dnn;

/// The only operation of a block that implements a dnn primitive, or null.
static Operation *getOnlyPrimitive(Block &block) {
  Operation *found = nullptr;
  for (Operation &op : block)
    if (isa<BatchOpInterface>(op)) {
      if (found)
        return nullptr;
      found = &op;
    }
  return found;
}

Operation *UnitOp::getPrimitive() { return getOnlyPrimitive(getBody().front()); }
Operation *KernelOp::getPrimitive() { return getOnlyPrimitive(getBody().front()); }

LogicalResult UnitOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getOperandTypes())
    return emitOpError("expects the region's arguments to have the types of the inputs and inits");
  if (getInits().getTypes() != getResultTypes())
    return emitOpError("expects results of the inits' types");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expects a region that ends in 'dnn.yield'");
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("expects the region to yield the result types");
  PlanAttr plan = getPlanAttr();
  if (plan && (plan.getInputs().size() != getInputs().size() ||
               plan.getResults().size() != getNumResults()))
    return emitOpError("expects a plan with ")
           << getInputs().size() << " input and " << getNumResults() << " result layouts, got "
           << plan.getInputs().size() << " and " << plan.getResults().size();
  return success();
}
