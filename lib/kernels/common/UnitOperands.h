//===- UnitOperands.h - operands of a unit's primitive -----------*- C++ -*-===//
//
// From the arguments of a unit's region to the operands that they stand for.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_COMMON_UNITOPERANDS_H
#define UDNN_LIB_KERNELS_COMMON_UNITOPERANDS_H

#include "udnn/Dialect/Dnn.h"

namespace udnn {

/// The unit's operand that `value`, an argument of its region, stands for.
mlir::Value getUnitOperand(dnn::UnitOp unit, mlir::Value value);

/// True when `value` depends on constants alone, so that what is computed from it folds.
bool isConstant(mlir::Value value);

/// The extra operands of the unit's primitive as operands of the unit.
llvm::SmallVector<mlir::Value> getUnitExtras(dnn::UnitOp unit);

/// The number (from `first`) of an extra operand whose bytes the result may take, else -1. What the
/// primitive reads in another place as well is none.
int64_t getInPlaceExtra(dnn::UnitOp unit, int64_t first);

} // namespace udnn

#endif // UDNN_LIB_KERNELS_COMMON_UNITOPERANDS_H
