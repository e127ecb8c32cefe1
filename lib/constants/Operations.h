//===- Operations.h - evaluation of single operations ------------*- C++ -*-===//
//
// What the evaluator calls for one operation whose operands are known.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CONSTANTS_OPERATIONS_H
#define UDNN_LIB_CONSTANTS_OPERATIONS_H

#include "udnn/Constants/Evaluate.h"
#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace udnn {

/// Gives the bytes of an operand; fails when it is not constant.
using OperandFn = llvm::function_ref<mlir::FailureOr<ConstantBytes>(mlir::Value)>;

/// No constant of more bytes is computed or written out element by element.
inline constexpr int64_t kMaxConstantBytes = int64_t(1) << 33;

/// True when a tensor of static shape takes more bytes than the limit.
bool isLargerThan(mlir::RankedTensorType type, int64_t limitBytes);

/// Zeroed bytes for `type`.
ConstantBytes allocate(mlir::RankedTensorType type);
/// The elements of a computed constant, writable.
inline char *writable(ConstantBytes &bytes) { return bytes.storage->data(); }

/// Row-major strides in elements.
llvm::SmallVector<int64_t> getStrides(llvm::ArrayRef<int64_t> shape);

/// Copies a block of elements between two strided places. Strides and sizes are in elements and
/// may be negative or zero.
void copyStrided(char *to, llvm::ArrayRef<int64_t> toStrides, const char *from,
                 llvm::ArrayRef<int64_t> fromStrides, llvm::ArrayRef<int64_t> sizes,
                 int64_t elementBytes);

/// Sets every element to the one at `element`.
void fillElements(char *to, const char *element, int64_t count, int64_t elementBytes);

/// Any structured operation with a scalar body. One constant per result.
mlir::FailureOr<llvm::SmallVector<ConstantBytes>> evaluateLinalg(mlir::linalg::LinalgOp op,
                                                                 OperandFn operand);
/// An operation of arith or math on scalars or element-wise on tensors.
mlir::FailureOr<ConstantBytes> evaluateElementwise(mlir::Operation *op, OperandFn operand);
/// An operation of tensor.
mlir::FailureOr<ConstantBytes> evaluateTensor(mlir::Operation *op, OperandFn operand);
mlir::FailureOr<ConstantBytes> evaluatePack(mlir::linalg::PackOp op, OperandFn operand);
mlir::FailureOr<ConstantBytes> evaluateUnpack(mlir::linalg::UnPackOp op, OperandFn operand);
mlir::FailureOr<ConstantBytes> evaluateWinogradFilter(dnn::WinogradFilterOp op, OperandFn operand);

} // namespace udnn

#endif // UDNN_LIB_CONSTANTS_OPERATIONS_H
