//===- SelectInternal.h - pieces of selection --------------------*- C++ -*-===//
//
// Layout transforms and physical units, shared by the passes of this folder.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_SELECT_SELECTINTERNAL_H
#define UDNN_PASSES_SELECT_SELECTINTERNAL_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/PatternMatch.h"

namespace udnn {

/// `plain` in `layout`: a view where both have the same order of elements, else a linalg.pack or
/// transpose.
mlir::Value packTo(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value plain,
                   dnn::DimsAttr layout);

/// The plain tensor of `plainType` that `packed` holds in `layout`.
mlir::Value unpackFrom(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value packed,
                       dnn::DimsAttr layout, mlir::RankedTensorType plainType);

/// Creates a copy of `unit` that reads `inputs`, which are in the layouts of its plan, and writes
/// results in the layouts of its plan: types, dimension numbers, affine maps and loops of the body
/// are changed. Vectors of channels are padded to whole blocks.
mlir::FailureOr<dnn::UnitOp> createPhysicalUnit(mlir::RewriterBase &rewriter, dnn::UnitOp unit,
                                                mlir::ValueRange inputs);

} // namespace udnn

#endif // UDNN_PASSES_SELECT_SELECTINTERNAL_H
