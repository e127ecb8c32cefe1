//===- Tile.h - a tile of a primitive and what it reads ----------*- C++ -*-===//
//
// Which part of every operand a tile of the iteration domain touches, and why a tile may be
// refused.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_TILE_H
#define UDNN_DIALECT_TILE_H

#include "TilingDomain.h"

#include "mlir/IR/OpDefinition.h"

namespace udnn::dnn {

/// The part of one loop that a tile covers.
struct LoopTile {
  mlir::OpFoldResult offset, size;
  /// The size, or `ShapedType::kDynamic` while it may be `fullSize` or what is left at the loop's
  /// end. `fullSize` is 0 when nothing is known of the size.
  int64_t constantSize = 0, fullSize = 0;
  /// The least and the greatest offset.
  int64_t first = 0, last = 0;
};

/// The part of one dimension of an operand, and how much of what the tile reads lies outside.
struct SlicedDim {
  mlir::OpFoldResult offset, size;
  /// False when the slice is the whole dimension and `pads` stay as they are.
  bool isCut = false;
  /// What `pads` become where all positions are constants.
  int64_t padBefore = 0, padAfter = 0;
  /// How much is padded with values, up to `extent` elements; null where nothing is.
  mlir::OpFoldResult low, high;
  int64_t extent = 0;
};

/// A tile of the iteration domain of a primitive.
class Tile {
public:
  Tile(mlir::Operation *op, const TilingDomain &domain, llvm::ArrayRef<mlir::OpFoldResult> offsets,
       llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// Two cases that a tile must be computed in: `value == constant`, and the others.
  struct Cases;
  /// The cases of a tile whose operation depends on its position: a last tile that is smaller, and
  /// tiles at a border, whose windows read padding.
  std::optional<Cases> getCases() const;

  /// Why the primitive cannot be computed on this tile alone; empty when it can.
  std::string findObstacle() const;
  /// The groups of a convolution that the tile runs over. Expects one case without obstacle.
  int64_t getGroups() const;
  /// The part of dimension `dim` of an operand. Creates affine operations where positions are no
  /// constants. Expects one case without obstacle.
  SlicedDim slice(mlir::OpBuilder &builder, unsigned operand, unsigned dim) const;

private:
  bool isWhole(unsigned loop) const;
  bool isWhole(const DimSlice &dim) const;
  /// The least first and the greatest last position that tiles touch.
  int64_t getFirst(const DimSlice &dim) const;
  int64_t getLast(const DimSlice &dim) const;
  /// True for a window dimension whose tiles may read outside the operand.
  bool mayLeave(const DimSlice &dim, int64_t size) const;
  /// The number of elements that the tile touches.
  int64_t getExtent(const DimSlice &dim) const;
  /// True when positions are constants and some of the slice lies inside the operand.
  bool isConstant(const DimSlice &dim, int64_t size) const;
  void setLoop(unsigned loop, LoopTile tile);
  Cases makeCases(unsigned loop, mlir::OpFoldResult value, int64_t constant, LoopTile equal,
                  LoopTile other) const;
  std::optional<Cases> getBorderCases(const DimSlice &dim, int64_t size) const;
  std::string findLoopObstacle(unsigned loop) const;
  std::string findGroupObstacle() const;
  std::string findPaddingObstacle() const;
  SlicedDim sliceInside(mlir::OpBuilder &builder, const DimSlice &dim) const;
  SlicedDim sliceConstant(mlir::OpBuilder &builder, const DimSlice &dim, int64_t size,
                          int64_t after) const;
  SlicedDim slicePadded(mlir::OpBuilder &builder, const DimSlice &dim, int64_t size) const;
  SlicedDim sliceGroups(mlir::OpBuilder &builder) const;

  mlir::Operation *op;
  const TilingDomain *domain;
  llvm::SmallVector<LoopTile> loops;
};

struct Tile::Cases {
  mlir::Value value;
  int64_t constant;
  Tile equal, other;
};

} // namespace udnn::dnn

#endif // UDNN_DIALECT_TILE_H
