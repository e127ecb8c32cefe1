//===- UnitOperands.cpp - operands of a unit's primitive --------------------===//
//
// Looks operands up.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "UnitOperands.h"

#include "LinearAccess.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace udnn;

Value udnn::getUnitOperand(dnn::UnitOp unit, Value value) {
  return unit->getOperand(cast<BlockArgument>(value).getArgNumber());
}

bool udnn::isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (op->getNumOperands() == 0)
    return op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op);
  return isPure(op) && !isa<dnn::UnitOp>(op) && llvm::all_of(op->getOperands(), isConstant);
}

SmallVector<Value> udnn::getUnitExtras(dnn::UnitOp unit) {
  SmallVector<Value> extras;
  auto op = cast<dnn::EpilogueOpInterface>(unit.getPrimitive());
  for (OpOperand &extra : op.getExtrasOperandRange())
    extras.push_back(getUnitOperand(unit, extra.get()));
  return extras;
}

int64_t udnn::getInPlaceExtra(dnn::UnitOp unit, int64_t first) {
  auto op = cast<dnn::EpilogueOpInterface>(unit.getPrimitive());
  auto destination = cast<DestinationStyleOpInterface>(unit.getPrimitive());
  SmallVector<Value> read;
  for (OpOperand *operand : destination.getDpsInputOperands())
    read.push_back(getUnitOperand(unit, operand->get()));
  for (auto [i, extra] : llvm::enumerate(getUnitExtras(unit)))
    if (isResultShaped(op, i) && extra.getType() == unit.getResult(0).getType() &&
        llvm::count(read, extra) == 1)
      return first + i;
  return -1;
}
