//===- Buffers.h - where the bytes of a memref are -----------------*- C++ -*-===//
//
// Follows views to the allocation, argument or constant behind them, and measures byte ranges.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_MEMORY_BUFFERS_H
#define UDNN_PASSES_MEMORY_BUFFERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace udnn {

/// Marks the arguments of the entry that are written.
constexpr llvm::StringLiteral kOutputAttr = "dnn.output";
/// What `dnn-plan-arena` writes: the offset of an allocation, and the totals of the function.
constexpr llvm::StringLiteral kOffsetAttr = "dnn.offset";
constexpr llvm::StringLiteral kArenaAttr = "dnn.arena";
constexpr llvm::StringLiteral kLiveAttr = "dnn.live";

/// The value behind all views: an allocation, a block argument, a constant's address.
mlir::Value getRoot(mlir::Value buffer);

/// The bytes that a memref spans: from its first element's byte to behind its last one's, relative
/// to its root. None when offset or strides are not static.
struct ByteRange {
  int64_t offset = 0, size = 0;
};
std::optional<ByteRange> getByteRange(mlir::MemRefType type);

} // namespace udnn

#endif // UDNN_PASSES_MEMORY_BUFFERS_H
