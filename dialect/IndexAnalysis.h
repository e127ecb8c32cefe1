//===- IndexAnalysis.h - what is known of offsets and sizes ------*- C++ -*-===//
//
// Facts about the offsets and sizes of tiles that loops compute.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_INDEXANALYSIS_H
#define UDNN_DIALECT_INDEXANALYSIS_H

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace udnn::dnn {

/// The largest known divisor of an index, seen through loops and `affine.apply`; 0 when the index
/// is always 0.
int64_t getKnownDivisor(mlir::OpFoldResult index);

/// The size of the full tiles of a loop over `count` iterations, when `size` is this size cut off
/// at the loop's end, `min(full size, count - offset)`, and every offset is a multiple of it.
std::optional<int64_t> getFullTileSize(mlir::OpFoldResult offset, mlir::OpFoldResult size,
                                       int64_t count);

} // namespace udnn::dnn

#endif // UDNN_DIALECT_INDEXANALYSIS_H
