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
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace udnn {

/// Bytes of a constant, row-major, every element in whole bytes (i1 takes one byte, 0 or 1).
struct ConstantBytes {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> data;
  /// Holds `data` where it had to be unpacked (splats, i1).
  std::shared_ptr<std::vector<char>> storage;
};

/// The bytes of a DenseElementsAttr or DenseResourceElementsAttr.
mlir::FailureOr<ConstantBytes> getConstantBytes(mlir::ElementsAttr attr);

/// A constant with these bytes: dense when small, else a dense resource that owns them.
mlir::ElementsAttr makeConstant(mlir::RankedTensorType type, std::vector<char> data);

/// Evaluates values whose whole backward slice is constants and pure operations on tensors:
/// linalg (generic, named, pack, unpack), tensor (reshapes, slices, pad, concat, empty, splat),
/// arith.constant, dnn.winograd_filter. Results are remembered per value.
class ConstantEvaluator {
public:
  /// Tensors above `limitBytes` are not computed (0: no limit).
  explicit ConstantEvaluator(int64_t limitBytes = 0) : limitBytes(limitBytes) {}

  /// The constant that `value` equals, or null when it depends on more than constants or is not
  /// covered. Never emits diagnostics.
  mlir::ElementsAttr evaluate(mlir::Value value);

private:
  int64_t limitBytes;
  llvm::DenseMap<mlir::Value, mlir::ElementsAttr> known;
};

} // namespace udnn

#endif // UDNN_CONSTANTS_EVALUATE_H
