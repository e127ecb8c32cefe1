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

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace udnn {

/// Name of the entry function and of the program made from it.
constexpr llvm::StringLiteral kEntry = "main";
/// Marks the arguments of the entry that are written.
constexpr llvm::StringLiteral kOutputAttr = "dnn.output";
/// What `dnn-plan-arena` writes: the offset of an allocation, and the totals of the function.
constexpr llvm::StringLiteral kOffsetAttr = "dnn.offset";
constexpr llvm::StringLiteral kArenaAttr = "dnn.arena";
constexpr llvm::StringLiteral kLiveAttr = "dnn.live";

/// The value behind all views: an allocation, a block argument, a constant's address.
mlir::Value getRoot(mlir::Value buffer);

/// Bytes of one element as they lie in memory (i1: 1), or 0 for a type that is not stored.
int64_t getElementSize(mlir::Type type);

/// Bytes of a tensor of this static shape; none when they exceed 63 bits.
std::optional<int64_t> getTensorBytes(mlir::ShapedType type);

/// The bytes that a memref spans: from its first element's byte to behind its last one's, relative
/// to its root. None when offset or strides are not static.
struct ByteRange {
  int64_t offset = 0, size = 0;
};
std::optional<ByteRange> getByteRange(mlir::MemRefType type);

/// The entry function of the module; emits an error when there is none or it has several blocks.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);

} // namespace udnn

#endif // UDNN_PASSES_MEMORY_BUFFERS_H
