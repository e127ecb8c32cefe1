//===- OuterValues.cpp - what epilogues read from outside -------------------===//
//
// Tells constants from other values.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OuterValues.h"

using namespace mlir;

arith::ConstantOp udnn::getOuterConstant(Value value, Region &region) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant && constant->getParentRegion() != &region ? constant : arith::ConstantOp();
}

std::string udnn::explainOuterValues(Operation &op) {
  Region &region = *op.getParentRegion();
  for (Value operand : op.getOperands())
    if (operand.getParentRegion() != &region && !getOuterConstant(operand, region))
      return "the epilogue reads a value from outside that is no constant";
  return {};
}
