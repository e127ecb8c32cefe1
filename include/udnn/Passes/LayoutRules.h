//===- LayoutRules.h - layouts of what is not a unit -------------*- C++ -*-===//
//
// The rules by which concatenations and slices pass on their operands' layouts. Planning and
// selection both follow them, so that a plan needs to name layouts at units only.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_LAYOUTRULES_H
#define UDNN_PASSES_LAYOUTRULES_H

#include "udnn/Dialect/Dnn.h"

namespace udnn {

/// The layout of the result of `tensor.concat` or `tensor.extract_slice` that goes with this layout
/// of one tensor operand (null: plain). Null for every other operation, and where a channel block
/// would be cut: then the operation works on plain tensors.
dnn::DimsAttr getWholeLayout(mlir::Operation *op, unsigned operand, dnn::DimsAttr layout);

/// The same for the layouts of all tensor operands: null where they do not go together.
dnn::DimsAttr deriveLayout(mlir::Operation *op, llvm::ArrayRef<dnn::DimsAttr> operandLayouts);

/// True for the operations that `getWholeLayout` knows.
bool passesLayoutOn(mlir::Operation *op);

/// The physical type of a tensor of plain type `type` in `layout` (null: `type` itself).
mlir::RankedTensorType getPhysicalType(mlir::RankedTensorType type, dnn::DimsAttr layout);

/// The layout as a plan stores it: `unit` for null.
mlir::Attribute encodeLayout(mlir::MLIRContext *context, dnn::DimsAttr layout);
/// The layout that a plan's entry stands for: null for `unit`.
dnn::DimsAttr decodeLayout(mlir::Attribute attr);

} // namespace udnn

#endif // UDNN_PASSES_LAYOUTRULES_H
