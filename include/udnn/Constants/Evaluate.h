//===- Evaluate.h - evaluation of operations on constants --------*- C++ -*-===//
//
// Computes tensors that depend on constants alone: shape arithmetic for the importer, and the
// folding and packing of weights.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_CONSTANTS_EVALUATE_H
#define UDNN_CONSTANTS_EVALUATE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <vector>

namespace udnn {

/// Bytes of a constant, row-major, every element in whole bytes (i1 takes one byte, 0 or 1; index
/// takes eight).
struct ConstantBytes {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> data;
  /// Owns `data` where it does not lie in an attribute (splats, i1, computed values).
  std::shared_ptr<std::vector<char>> storage;
};

/// Bytes of one element in a constant; 0 for types that are not covered (odd integer widths,
/// 8-bit floats).
int64_t getElementBytes(mlir::Type elementType);

/// The bytes of a DenseElementsAttr or DenseResourceElementsAttr. Fails for other attributes,
/// other element types, resources whose size does not fit the type, and splats above 8 GiB.
mlir::FailureOr<ConstantBytes> getConstantBytes(mlir::ElementsAttr attr);

/// A constant with these bytes (as many as the type needs): dense when small or a splat, else a
/// dense resource that owns them.
mlir::ElementsAttr makeConstant(mlir::RankedTensorType type, std::vector<char> data);

/// The values that the evaluator needs to evaluate `op`: what it reads, values captured by its
/// regions included. Nothing when the evaluator does not cover such operations.
std::optional<llvm::SmallVector<mlir::Value>> getEvaluationOperands(mlir::Operation *op);

/// Evaluates values whose whole backward slice is constants and pure operations on tensors and
/// scalars: linalg (generic, named, pack, unpack), tensor (reshapes, slices, pad, concat, empty,
/// splat, from_elements, extract, dim), arith and math, dnn.winograd_filter. Results are
/// remembered per value: operations that were asked about must not be changed or erased while the
/// evaluator lives.
class ConstantEvaluator {
public:
  /// Tensors above `limitBytes` (0: 8 GiB) are not computed, splats above it not written out; nor
  /// those above 64 MiB that take more than 8 times the bytes of the constants that they are
  /// computed from, such as expanded ones.
  explicit ConstantEvaluator(int64_t limitBytes = 0) : limitBytes(limitBytes) {}

  /// The constant that `value` equals, or null when it depends on more than constants or is not
  /// covered. A scalar gives a constant of rank 0. Elements that are unspecified (tensor.empty,
  /// what lies beyond the logical size after packing without a padding value) are zero. Never
  /// emits diagnostics.
  mlir::ElementsAttr evaluate(mlir::Value value);

  /// As `evaluate`, without making an attribute.
  mlir::FailureOr<ConstantBytes> evaluateBytes(mlir::Value value);

private:
  struct Entry {
    /// The attribute where there is one; `bytes` is taken from it when they are first asked for.
    mlir::ElementsAttr attr;
    ConstantBytes bytes;
    /// Bytes of the constants that the value is computed from, or its own where they are fewer.
    int64_t sourceBytes = 0;
    bool isConstant() const { return attr || bytes.type; }
  };

  Entry &compute(mlir::Value value);
  void computeOp(mlir::Operation *op);
  void computeResults(mlir::Operation *op, int64_t growthLimit);
  int64_t getSourceBytes(mlir::Operation *op);
  void setSourceBytes(mlir::Operation *op, int64_t bytes);

  int64_t limitBytes;
  llvm::DenseMap<mlir::Value, Entry> known;
};

} // namespace udnn

#endif // UDNN_CONSTANTS_EVALUATE_H
