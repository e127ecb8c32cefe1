//===- Tile.cpp - a tile of a primitive and what it reads -------------------===//
//
// Positions and sizes of the slices that a tile reads, at borders and in groups of channels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Tile.h"

#include "IndexAnalysis.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace udnn::dnn;

static int64_t getDimSize(Operation *op, unsigned operand, unsigned dim) {
  return cast<RankedTensorType>(op->getOperand(operand).getType()).getDimSize(dim);
}

/// What separates the offsets of tiles at least.
static int64_t getStep(OpFoldResult offset) {
  return std::max<int64_t>(getKnownDivisor(offset), 1);
}

Tile::Tile(Operation *op, const TilingDomain &domain, ArrayRef<OpFoldResult> offsets,
           ArrayRef<OpFoldResult> sizes)
    : op(op), domain(&domain), loops(domain.loops.size()) {
  for (auto [i, offset, size] : llvm::enumerate(offsets, sizes)) {
    LoopTile loop{offset, size};
    int64_t count = domain.loops[i].size;
    std::optional<int64_t> constant = getConstantIntValue(size);
    loop.constantSize = constant ? *constant : ShapedType::kDynamic;
    if (!constant)
      loop.fullSize = getFullTileSize(offset, size, count).value_or(0);
    if (loop.fullSize >= count)
      loop.constantSize = count;
    else if (loop.fullSize && count % loop.fullSize == 0)
      loop.constantSize = loop.fullSize;
    if (!ShapedType::isDynamic(loop.constantSize)) {
      int64_t last = std::max<int64_t>(count - loop.constantSize, 0);
      loop.last = last - last % getStep(offset);
    }
    setLoop(i, loop);
  }
}

void Tile::setLoop(unsigned loop, LoopTile tile) {
  if (std::optional<int64_t> offset = getConstantIntValue(tile.offset))
    tile.first = tile.last = *offset;
  else if (!ShapedType::isDynamic(tile.constantSize) && tile.first == tile.last)
    tile.offset = Builder(op->getContext()).getIndexAttr(tile.first);
  loops[loop] = tile;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

bool Tile::isWhole(unsigned loop) const {
  return loops[loop].constantSize == domain->loops[loop].size;
}

bool Tile::isWhole(const DimSlice &dim) const {
  return llvm::all_of(dim.terms, [&](auto term) { return isWhole(term.first); });
}

int64_t Tile::getFirst(const DimSlice &dim) const {
  int64_t position = dim.start;
  for (auto [loop, factor] : dim.terms)
    position += loops[loop].first * factor;
  return position;
}

int64_t Tile::getLast(const DimSlice &dim) const {
  int64_t position = dim.start;
  for (auto [loop, factor] : dim.terms)
    position += (loops[loop].last + loops[loop].constantSize - 1) * factor;
  return position;
}

bool Tile::mayLeave(const DimSlice &dim, int64_t size) const {
  return getFirst(dim) < 0 || getLast(dim) >= size;
}

int64_t Tile::getExtent(const DimSlice &dim) const {
  int64_t extent = 1;
  for (auto [loop, factor] : dim.terms)
    extent += (loops[loop].constantSize - 1) * factor;
  return extent;
}

bool Tile::isConstant(const DimSlice &dim, int64_t size) const {
  bool isConstant = llvm::all_of(
      dim.terms, [&](auto term) { return getConstantIntValue(loops[term.first].offset); });
  return isConstant && getFirst(dim) < size && getLast(dim) >= 0;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

Tile::Cases Tile::makeCases(unsigned loop, OpFoldResult value, int64_t constant, LoopTile equal,
                            LoopTile other) const {
  Cases cases{cast<Value>(value), constant, *this, *this};
  cases.equal.setLoop(loop, equal);
  cases.other.setLoop(loop, other);
  return cases;
}

std::optional<Tile::Cases> Tile::getBorderCases(const DimSlice &dim, int64_t size) const {
  SmallVector<std::pair<unsigned, int64_t>> moving;
  for (auto term : dim.terms)
    if (!getConstantIntValue(loops[term.first].offset))
      moving.push_back(term);
  if (moving.size() != 1)
    return std::nullopt;
  auto [number, factor] = moving.front();
  const LoopTile &loop = loops[number];
  int64_t step = getStep(loop.offset);
  int64_t before = -getFirst(dim), after = getLast(dim) - size + 1;
  // Where values can stand for the padding, more border tiles are not worth an operation each.
  int64_t maxBorderTiles = domain->padding ? 1 : 4;
  if (std::max(before, after) > step * factor * maxBorderTiles)
    return std::nullopt;
  LoopTile border = loop, inner = loop;
  int64_t offset = before > 0 ? loop.first : loop.last;
  border.offset = Builder(op->getContext()).getIndexAttr(offset);
  (before > 0 ? inner.first : inner.last) += before > 0 ? step : -step;
  return makeCases(number, loop.offset, offset, border, inner);
}

std::optional<Tile::Cases> Tile::getCases() const {
  for (unsigned i = 0, e = loops.size(); i < e; ++i) {
    const LoopTile &loop = loops[i];
    if (!ShapedType::isDynamic(loop.constantSize) || !loop.fullSize)
      continue;
    int64_t count = domain->loops[i].size, rest = count % loop.fullSize;
    LoopTile full = loop, last = loop;
    full.constantSize = loop.fullSize;
    full.last = count - rest - loop.fullSize;
    last.constantSize = rest;
    last.offset = Builder(op->getContext()).getIndexAttr(count - rest);
    return makeCases(i, loop.size, loop.fullSize, full, last);
  }
  for (unsigned i : domain->windowDims) {
    const DimSlice &dim = domain->operands[0][i];
    int64_t size = getDimSize(op, 0, i);
    if (!isWhole(dim) && mayLeave(dim, size))
      if (std::optional<Cases> cases = getBorderCases(dim, size))
        return cases;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Obstacles
//===----------------------------------------------------------------------===//

static bool isMultipleOf(OpFoldResult position, int64_t factor) {
  return getKnownDivisor(position) % factor == 0;
}

static std::string refuse(unsigned loop, const Twine &why) {
  return ("cannot be tiled along loop " + Twine(loop) + ": " + why).str();
}

std::string Tile::findLoopObstacle(unsigned loop) const {
  const TilingLoop &info = domain->loops[loop];
  if (isWhole(loop))
    return "";
  if (!info.refusal.empty())
    return refuse(loop, info.refusal);
  if (ShapedType::isDynamic(loops[loop].constantSize) && !loops[loop].fullSize)
    return refuse(loop, "expects tiles of a constant size, of which only the last may be smaller");
  return "";
}

int64_t Tile::getGroups() const {
  const ChannelGroups &groups = *domain->groups;
  return std::max<int64_t>(1, loops[groups.filterLoop].constantSize / groups.filters);
}

std::string Tile::findGroupObstacle() const {
  if (!domain->groups)
    return "";
  const ChannelGroups &groups = *domain->groups;
  unsigned number = groups.filterLoop;
  int64_t size = loops[number].constantSize;
  if (size % groups.filters && groups.filters % size)
    return refuse(number, "expects parts of one group of " + Twine(groups.filters) +
                              " channels or whole groups, got tiles of " + Twine(size));
  int64_t step = std::min(size, groups.filters);
  if (!isMultipleOf(loops[number].offset, step))
    return refuse(number, "expects tiles that start at a multiple of " + Twine(step));
  if (getGroups() > 1 && !isWhole(groups.channelLoop))
    return refuse(groups.channelLoop,
                  "expects tiles of one group, got " + Twine(getGroups()) + " groups");
  return "";
}

std::string Tile::findPaddingObstacle() const {
  if (domain->padding)
    return "";
  for (unsigned i : domain->windowDims) {
    const DimSlice &dim = domain->operands[0][i];
    int64_t size = getDimSize(op, 0, i);
    if (!isWhole(dim) && mayLeave(dim, size) && !isConstant(dim, size))
      return refuse(dim.terms.front().first, "too many tiles read padding that does not count");
  }
  return "";
}

std::string Tile::findObstacle() const {
  for (Type type : op->getOperandTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape() ||
        cast<ShapedType>(type).getNumElements() == 0)
      return "expects static shapes without empty dimensions to be tiled";
  for (unsigned i = 0, e = loops.size(); i < e; ++i)
    if (std::string obstacle = findLoopObstacle(i); !obstacle.empty())
      return obstacle;
  if (std::optional<Cases> cases = getCases()) {
    std::string obstacle = cases->equal.findObstacle();
    return obstacle.empty() ? cases->other.findObstacle() : obstacle;
  }
  std::string obstacle = findGroupObstacle();
  return obstacle.empty() ? findPaddingObstacle() : obstacle;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

SlicedDim Tile::slice(OpBuilder &builder, unsigned operand, unsigned position) const {
  const DimSlice &dim = domain->operands[operand][position];
  int64_t size = getDimSize(op, operand, position);
  if (domain->groups && operand == 0 && position == domain->groups->inputDim)
    return sliceGroups(builder);
  if (isWhole(dim))
    return {builder.getIndexAttr(0), builder.getIndexAttr(size)};
  ArrayRef<unsigned> windowDims = domain->windowDims;
  unsigned window = llvm::find(windowDims, position) - windowDims.begin();
  if (operand != 0 || window == windowDims.size() || !mayLeave(dim, size))
    return sliceInside(builder, dim);
  if (!isConstant(dim, size))
    return slicePadded(builder, dim, size);
  auto pads = op->getAttrOfType<DenseI64ArrayAttr>("pads").asArrayRef();
  return sliceConstant(builder, dim, size, /*after=*/pads[windowDims.size() + window]);
}

SlicedDim Tile::sliceInside(OpBuilder &builder, const DimSlice &dim) const {
  SlicedDim slice;
  slice.isCut = true;
  AffineExpr start = builder.getAffineConstantExpr(dim.start);
  SmallVector<OpFoldResult> values;
  for (auto [loop, factor] : dim.terms) {
    start = start + builder.getAffineSymbolExpr(values.size()) * factor;
    values.push_back(loops[loop].offset);
  }
  slice.offset = affine::makeComposedFoldedAffineApply(builder, op->getLoc(), start, values);
  slice.size = builder.getIndexAttr(getExtent(dim));
  return slice;
}

SlicedDim Tile::sliceConstant(OpBuilder &builder, const DimSlice &dim, int64_t size,
                              int64_t after) const {
  SlicedDim slice;
  slice.isCut = true;
  int64_t start = getFirst(dim), last = getLast(dim);
  int64_t begin = std::max<int64_t>(start, 0), end = std::min(last + 1, size);
  slice.offset = builder.getIndexAttr(begin);
  slice.size = builder.getIndexAttr(end - begin);
  slice.padBefore = begin - start;
  // All of the padding, for the average counts it up to its end.
  slice.padAfter = last >= size ? after : 0;
  return slice;
}

SlicedDim Tile::slicePadded(OpBuilder &builder, const DimSlice &dim, int64_t size) const {
  Location loc = op->getLoc();
  SlicedDim slice = sliceInside(builder, dim);
  OpFoldResult start = slice.offset;
  int64_t extent = getExtent(dim);
  int64_t firstStart = getFirst(dim), lastStart = getLast(dim) - extent + 1;
  AffineExpr s0 = builder.getAffineSymbolExpr(0), s1 = builder.getAffineSymbolExpr(1);
  auto atLeastZero = [&](AffineExpr expr) {
    AffineExpr bounds[] = {expr, builder.getAffineConstantExpr(0)};
    auto map = AffineMap::get(0, 1, bounds, builder.getContext());
    return affine::makeComposedFoldedAffineMax(builder, loc, map, start);
  };
  auto atMost = [&](OpFoldResult value, int64_t most) {
    AffineExpr bounds[] = {s0, builder.getAffineConstantExpr(most)};
    auto map = AffineMap::get(0, 1, bounds, builder.getContext());
    return affine::makeComposedFoldedAffineMin(builder, loc, map, value);
  };
  slice.extent = extent;
  slice.low = slice.high = builder.getIndexAttr(0);
  if (firstStart < 0) {
    slice.low = atLeastZero(-s0);
    slice.offset = atLeastZero(s0);
  }
  if (lastStart + extent > size)
    slice.high = atLeastZero(s0 + (extent - size));
  // A tile that lies in the padding reads an empty slice.
  if (firstStart + extent < 0)
    slice.low = atMost(slice.low, extent);
  if (lastStart >= size) {
    slice.high = atMost(slice.high, extent);
    slice.offset = atMost(slice.offset, std::max<int64_t>(size - 1, 0));
  }
  slice.size = affine::makeComposedFoldedAffineApply(builder, loc, -s0 - s1 + extent,
                                                     {slice.low, slice.high});
  return slice;
}

SlicedDim Tile::sliceGroups(OpBuilder &builder) const {
  const ChannelGroups &groups = *domain->groups;
  SlicedDim slice;
  slice.isCut = !isWhole(groups.channelLoop) || !isWhole(groups.filterLoop);
  slice.size = builder.getIndexAttr(getGroups() * loops[groups.channelLoop].constantSize);
  AffineExpr s0 = builder.getAffineSymbolExpr(0), s1 = builder.getAffineSymbolExpr(1);
  slice.offset = affine::makeComposedFoldedAffineApply(
      builder, op->getLoc(), s0.floorDiv(groups.filters) * groups.channels + s1,
      {loops[groups.filterLoop].offset, loops[groups.channelLoop].offset});
  return slice;
}
