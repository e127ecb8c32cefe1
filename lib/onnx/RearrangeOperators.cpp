//===- RearrangeOperators.cpp - padding, tiling, depth and space ------------===//
//
// Pad, Tile, DepthToSpace, SpaceToDepth.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"
#include "reader/TensorSize.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// Elements added before and after every dimension; negative numbers remove elements.
struct Padding {
  SmallVector<int64_t> before, after;
};
} // namespace

static FailureOr<Padding> getPadding(NodeContext &ctx) {
  int64_t rank = ctx.getInputType(0).getRank();
  FailureOr<SmallVector<int64_t>> pads =
      ctx.hasInput(1) ? ctx.getConstantInts(1) : ctx.requireInts("pads");
  FailureOr<SmallVector<int64_t>> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (succeeded(pads) && ctx.hasInput(3)) {
    axes = ctx.getConstantInts(3);
    if (succeeded(axes))
      axes = ctx.normalizeAxes(*axes, rank);
  }
  if (failed(pads) || failed(axes))
    return failure();
  size_t count = axes->size();
  if (pads->size() != 2 * count)
    return ctx.emitError() << "expects " << 2 * count << " pads, got " << pads->size();
  for (int64_t pad : *pads)
    if (pad < -kMaxTensorBytes || pad > kMaxTensorBytes)
      return ctx.emitError() << "expects pads from " << -kMaxTensorBytes << " to "
                             << kMaxTensorBytes << ", got " << pad;
  Padding padding{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 0)};
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    padding.before[axis] = (*pads)[i];
    padding.after[axis] = (*pads)[count + i];
  }
  return padding;
}

/// The scalar that constant padding writes.
static FailureOr<Value> getPadValue(NodeContext &ctx) {
  Type type = ctx.getInputType(0).getElementType();
  if (!ctx.hasInput(2))
    return NodeContext::createScalar(ctx.builder, ctx.loc, type, ctx.getFloat("value", 0));
  if (ctx.getElementType(2) != ctx.getElementType(0))
    return ctx.emitError() << "expects a constant_value of type "
                           << getElementTypeName(ctx.getElementType(0)) << ", got "
                           << getElementTypeName(ctx.getElementType(2));
  FailureOr<ElementsAttr> value = ctx.getConstantInput(2);
  if (failed(value))
    return failure();
  auto dense = dyn_cast<DenseElementsAttr>(*value);
  if (!dense || dense.getNumElements() != 1)
    return ctx.emitError() << "expects a constant_value of one element";
  return arith::ConstantOp::create(ctx.builder, ctx.loc,
                                   cast<TypedAttr>(*dense.value_begin<Attribute>()))
      .getResult();
}

static LogicalResult importConstantPad(NodeContext &ctx, const Padding &padding,
                                       ArrayRef<int64_t> resultShape) {
  FailureOr<Value> padValue = getPadValue(ctx);
  if (failed(padValue))
    return failure();
  RankedTensorType type = ctx.getInputType(0);
  Value value = ctx.getInput(0);
  // What is removed is cut off first.
  SmallVector<int64_t> shape(type.getShape()), offsets, low, high;
  bool isCut = false, isPadded = false;
  for (auto [size, before, after, result] :
       llvm::zip(shape, padding.before, padding.after, resultShape)) {
    offsets.push_back(std::clamp<int64_t>(-before, 0, size));
    int64_t kept = std::clamp<int64_t>(size + after, offsets.back(), size) - offsets.back();
    // Where nothing is kept, all of the result is padding.
    low.push_back(kept ? std::max<int64_t>(before, 0) : result);
    high.push_back(result - low.back() - kept);
    isCut |= kept != size;
    isPadded |= kept != result;
    size = kept;
  }
  auto makeIndices = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(ctx.builder.getContext(), values);
  };
  // Without a source element there is only padding.
  if (llvm::is_contained(shape, 0)) {
    Value empty = ctx.createEmpty(resultShape, type.getElementType());
    return ctx.setOutput(
        0, linalg::FillOp::create(ctx.builder, ctx.loc, *padValue, empty).getResult(0));
  }
  if (isCut)
    value = tensor::ExtractSliceOp::create(ctx.builder, ctx.loc, value, makeIndices(offsets),
                                           makeIndices(shape),
                                           makeIndices(SmallVector<int64_t>(shape.size(), 1)));
  if (isPadded)
    value = tensor::PadOp::create(ctx.builder, ctx.loc,
                                  RankedTensorType::get(resultShape, type.getElementType()), value,
                                  makeIndices(low), makeIndices(high), *padValue);
  return ctx.setOutput(0, value);
}

/// The input's coordinate along a dimension of `size` elements for position `x`, counted from the
/// input's first element.
static Value emitSource(ElementEmitter &e, StringRef mode, Value x, int64_t size, int64_t before) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(e.builder, e.loc, value);
  };
  if (mode == "edge")
    return e.min(e.max(x, index(0)), index(size - 1));
  if (size == 1)
    return index(0);
  // Both others repeat; positions become positive by whole periods.
  int64_t period = mode == "wrap" ? size : 2 * (size - 1);
  int64_t shift = (std::max<int64_t>(before, 0) + period - 1) / period * period;
  Value position = e.emit<arith::RemUIOp>(e.add(x, index(shift)), index(period));
  if (mode == "wrap")
    return position;
  return e.min(position, e.sub(index(period), position));
}

static LogicalResult importMirroredPad(NodeContext &ctx, StringRef mode, const Padding &padding,
                                       ArrayRef<int64_t> resultShape) {
  RankedTensorType type = ctx.getInputType(0);
  if (type.getNumElements() == 0)
    return ctx.emitError() << "expects an input with elements in mode '" << mode << "'";
  Value input = ctx.getInput(0);
  FailureOr<Value> result = ctx.createElementwise(
      {}, resultShape, type.getElementType(), [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        ElementEmitter e(b, loc);
        SmallVector<Value> indices;
        for (int64_t i = 0, rank = type.getRank(); i < rank; ++i) {
          Value x = e.emit<linalg::IndexOp>(i);
          if (padding.before[i] || padding.after[i]) {
            x = e.sub(x, e.emit<arith::ConstantIndexOp>(padding.before[i]));
            x = emitSource(e, mode, x, type.getDimSize(i), padding.before[i]);
          }
          indices.push_back(x);
        }
        return e.emit<tensor::ExtractOp>(input, indices);
      });
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result);
}

static LogicalResult importPad(NodeContext &ctx) {
  FailureOr<Padding> padding = getPadding(ctx);
  if (failed(padding))
    return failure();
  std::string mode = ctx.getString("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      !(mode == "wrap" && ctx.opset >= 19))
    return ctx.emitError() << "mode '" << mode << "' is not supported";
  SmallVector<int64_t> resultShape;
  for (auto [size, before, after] :
       llvm::zip(ctx.getInputType(0).getShape(), padding->before, padding->after))
    resultShape.push_back(size + before + after);
  if (failed(checkShape(ctx, resultShape)))
    return failure();
  if (mode == "constant")
    return importConstantPad(ctx, *padding, resultShape);
  return importMirroredPad(ctx, mode, *padding, resultShape);
}

//===----------------------------------------------------------------------===//
// Tile
//===----------------------------------------------------------------------===//

static LogicalResult importTile(NodeContext &ctx) {
  FailureOr<SmallVector<int64_t>> repeats = ctx.getConstantInts(1);
  if (failed(repeats))
    return failure();
  RankedTensorType type = ctx.getInputType(0);
  if (int64_t(repeats->size()) != type.getRank())
    return ctx.emitError() << "expects " << type.getRank() << " repeats, got " << repeats->size();
  // A repeated dimension is two: the repetitions, and the elements in them.
  SmallVector<int64_t> split, resultShape;
  SmallVector<AffineExpr> exprs;
  for (auto [size, count] : llvm::zip(type.getShape(), *repeats)) {
    if (count < 0 || count > std::numeric_limits<int32_t>::max())
      return ctx.emitError() << "expects repeats from 0 to " << std::numeric_limits<int32_t>::max()
                             << ", got " << count;
    if (count != 1)
      split.push_back(count);
    exprs.push_back(ctx.builder.getAffineDimExpr(split.size()));
    split.push_back(size);
    resultShape.push_back(size * count);
  }
  if (failed(checkShape(ctx, resultShape)))
    return failure();
  OpBuilder &builder = ctx.builder;
  int64_t rank = split.size();
  Value init = ctx.createEmpty(split, type.getElementType());
  AffineMap inputMap = AffineMap::get(rank, 0, exprs, builder.getContext());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, ctx.loc, init.getType(), ctx.getInput(0), init,
      {inputMap, builder.getMultiDimIdentityMap(rank)}, iterators,
      [](OpBuilder &b, Location loc, ValueRange v) { linalg::YieldOp::create(b, loc, v[0]); });
  return ctx.setOutput(0, ctx.createReshape(generic.getResult(0), resultShape));
}

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth
//===----------------------------------------------------------------------===//

/// The attributes of both operators, checked: the block size and whether blocks come first.
static FailureOr<std::pair<int64_t, bool>> getBlocks(NodeContext &ctx) {
  FailureOr<int64_t> block = ctx.requireInt("blocksize");
  if (failed(block))
    return failure();
  std::string mode = ctx.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return ctx.emitError() << "expects 'mode' to be DCR or CRD, got '" << mode << "'";
  if (*block < 1 || *block > std::numeric_limits<int16_t>::max())
    return ctx.emitError() << "expects a blocksize from 1 to "
                           << std::numeric_limits<int16_t>::max() << ", got " << *block;
  if (ctx.getInputType(0).getRank() != 4)
    return ctx.emitError() << "expects an input of 4 dimensions, got "
                           << ctx.getInputType(0).getRank();
  return std::pair(*block, mode == "DCR");
}

static LogicalResult importDepthToSpace(NodeContext &ctx) {
  auto blocks = getBlocks(ctx);
  if (failed(blocks))
    return failure();
  auto [block, blocksFirst] = *blocks;
  ArrayRef<int64_t> shape = ctx.getInputType(0).getShape();
  int64_t n = shape[0], c = shape[1] / (block * block), h = shape[2], w = shape[3];
  if (shape[1] % (block * block))
    return ctx.emitError() << "expects channels that divide by " << block * block << ", got "
                           << shape[1];
  Value value;
  if (blocksFirst) {
    value = ctx.createReshape(ctx.getInput(0), {n, block, block, c, h, w});
    value = ctx.createTranspose(value, {0, 3, 4, 1, 5, 2});
  } else {
    value = ctx.createReshape(ctx.getInput(0), {n, c, block, block, h, w});
    value = ctx.createTranspose(value, {0, 1, 4, 2, 5, 3});
  }
  return ctx.setOutput(0, ctx.createReshape(value, {n, c, h * block, w * block}));
}

static LogicalResult importSpaceToDepth(NodeContext &ctx) {
  auto blocks = getBlocks(ctx);
  if (failed(blocks))
    return failure();
  auto [block, blocksFirst] = *blocks;
  ArrayRef<int64_t> shape = ctx.getInputType(0).getShape();
  if (shape[2] % block || shape[3] % block)
    return ctx.emitError() << "expects spatial dimensions that divide by " << block << ", got "
                           << shape[2] << " x " << shape[3];
  int64_t n = shape[0], c = shape[1], h = shape[2] / block, w = shape[3] / block;
  Value value = ctx.createReshape(ctx.getInput(0), {n, c, h, block, w, block});
  value = blocksFirst ? ctx.createTranspose(value, {0, 3, 5, 1, 2, 4})
                      : ctx.createTranspose(value, {0, 1, 3, 5, 2, 4});
  return ctx.setOutput(0, ctx.createReshape(value, {n, c * block * block, h, w}));
}

void udnn::onnx::registerRearrangeOperators(OperatorRegistry &registry) {
  registry.add({"DepthToSpace", {}, 1, 1, 1, kAllTypes, importDepthToSpace});
  registry.add({"Pad", {7, 10}, 1, 1, 1, kFloatTypes, importPad});
  registry.add({"Pad", {11, 17}, 2, 3, 1, kAllTypes, importPad});
  registry.add({"Pad", {18}, 2, 4, 1, kAllTypes, importPad});
  registry.add({"SpaceToDepth", {}, 1, 1, 1, kAllTypes, importSpaceToDepth});
  registry.add({"Tile", {}, 2, 2, 1, kAllTypes, importTile});
}
