//===- ResizeToLinalg.cpp - resampling --------------------------------------===//
//
// Nearest and linear interpolation as one element-wise operation that computes its coordinates.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace udnn;
using namespace udnn::dnn;

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// Where result coordinate y lies in the input: `(y + before) * factor / divisor + after`.
struct CoordinateMap {
  double before = 0, factor = 1, divisor = 1, after = 0;

  double operator()(int64_t y) const { return (y + before) * factor / divisor + after; }
};
} // namespace

/// The coordinate map of dimension `i` as ONNX `Resize` defines it.
static CoordinateMap getCoordinateMap(ResizeOp op, int64_t i) {
  double size = cast<RankedTensorType>(op.getInput().getType()).getDimSize(i);
  double resultSize = cast<RankedTensorType>(op.getResult().getType()).getDimSize(i);
  double scale = op.getScales()[i];
  // ONNX measures the resized length as a fraction where a scale was given.
  double length = scale * size;
  switch (op.getCoordinateMode()) {
  case CoordinateMode::HalfPixel:
  case CoordinateMode::PytorchHalfPixel:
    if (op.getCoordinateMode() == CoordinateMode::PytorchHalfPixel && length == 1)
      return {0, 0, 1, 0};
    return {0.5, 1, scale, -0.5};
  case CoordinateMode::HalfPixelSymmetric:
    return {0.5, 1, scale, size / 2 * (1 - resultSize / length) - 0.5};
  case CoordinateMode::AlignCorners:
    return length == 1 ? CoordinateMap{0, 0, 1, 0} : CoordinateMap{0, size - 1, length - 1, 0};
  case CoordinateMode::Asymmetric:
    return {0, 1, scale, 0};
  case CoordinateMode::TfHalfPixelForNN:
    return {0.5, 1, scale, 0};
  case CoordinateMode::TfCropAndResize:
    break;
  }
  double start = (*op.getRoi())[i], end = (*op.getRoi())[op.getScales().size() + i];
  if (length == 1)
    return {0, 0, 1, (start + end) * (size - 1) / 2};
  return {0, (end - start) * (size - 1), length - 1, start * (size - 1)};
}

/// Whether the dimension is copied as it is.
static bool isIdentity(ResizeOp op, int64_t i) {
  int64_t size = cast<RankedTensorType>(op.getInput().getType()).getDimSize(i);
  int64_t resultSize = cast<RankedTensorType>(op.getResult().getType()).getDimSize(i);
  bool isCropped = op.getCoordinateMode() == CoordinateMode::TfCropAndResize &&
                   ((*op.getRoi())[i] != 0 || (*op.getRoi())[op.getScales().size() + i] != 1);
  return size == resultSize && op.getScales()[i] == 1 && !isCropped;
}

/// Rounds a coordinate as the nearest mode says.
static double roundCoordinate(double x, NearestMode mode) {
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return std::ceil(x - 0.5);
  case NearestMode::RoundPreferCeil:
    return std::floor(x + 0.5);
  case NearestMode::Floor:
    return std::floor(x);
  case NearestMode::Ceil:
    return std::ceil(x);
  }
  return x;
}

/// An expression over loop `y` that gives the nearest input element of every result coordinate of
/// dimension `i`, where a division or a multiplication does; null elsewhere.
static AffineExpr getNearestExpr(ResizeOp op, int64_t i, AffineExpr y) {
  int64_t size = cast<RankedTensorType>(op.getInput().getType()).getDimSize(i);
  int64_t resultSize = cast<RankedTensorType>(op.getResult().getType()).getDimSize(i);
  CoordinateMap map = getCoordinateMap(op, i);
  auto matches = [&](function_ref<int64_t(int64_t)> candidate) {
    for (int64_t k = 0; k < resultSize; ++k) {
      double x = roundCoordinate(map(k), op.getNearestMode());
      if (std::min(std::max(x, 0.0), size - 1.0) != double(candidate(k)))
        return false;
    }
    return true;
  };
  int64_t up = std::max<int64_t>(resultSize / std::max<int64_t>(size, 1), 1);
  int64_t down = std::max<int64_t>(size / std::max<int64_t>(resultSize, 1), 1);
  if (up > 1 && matches([&](int64_t k) { return k / up; }))
    return y.floorDiv(up);
  if (matches([&](int64_t k) { return k * down; }))
    return y * down;
  return {};
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

namespace {
/// Emits the body of a resize for one result element.
class ResizeBody {
public:
  ResizeBody(NestBody body, ResizeOp op, ArrayRef<AffineExpr> loops)
      : b(body.builder), loc(body.loc), body(body), op(op), loops(loops),
        inputType(cast<RankedTensorType>(op.getInput().getType())), indices(inputType.getRank()) {
    Type type = inputType.getElementType();
    bool isWide = type.isF64() || (type.isInteger() && type.getIntOrFloatBitWidth() > 16);
    computeType = isWide ? b.getF64Type() : b.getF32Type();
  }

  Value emit() {
    for (int64_t i = 0, e = inputType.getRank(); i < e; ++i) {
      if (isIdentity(op, i))
        indices[i] = body.index(loops[i]);
      else if (op.getMode() == ResizeMode::Nearest)
        addNearest(i);
      else
        addLinear(i);
    }
    if (op.getMode() == ResizeMode::Nearest)
      return select(tensor::ExtractOp::create(b, loc, op.getInput(), indices));
    return select(convertResult(interpolate(0)));
  }

private:
  struct Neighbours {
    int64_t dimension;
    Value low, high, weight;
  };

  Value makeF64(double value) { return makeScalar(b, loc, b.getF64Type(), value); }
  Value makeIndex(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  /// The input coordinate of dimension `i` in f64; records where it must lie inside.
  Value emitCoordinate(int64_t i) {
    CoordinateMap map = getCoordinateMap(op, i);
    Value y = arith::IndexCastOp::create(b, loc, b.getI64Type(), body.index(loops[i]));
    Value x = arith::SIToFPOp::create(b, loc, b.getF64Type(), y);
    if (map.before != 0)
      x = arith::AddFOp::create(b, loc, x, makeF64(map.before));
    if (map.factor != 1)
      x = arith::MulFOp::create(b, loc, x, makeF64(map.factor));
    if (map.divisor != 1)
      x = arith::DivFOp::create(b, loc, x, makeF64(map.divisor));
    if (map.after != 0)
      x = arith::AddFOp::create(b, loc, x, makeF64(map.after));
    if (op.getCoordinateMode() == CoordinateMode::TfCropAndResize) {
      require(arith::CmpFPredicate::OGE, x, 0);
      require(arith::CmpFPredicate::OLE, x, inputType.getDimSize(i) - 1);
    }
    return x;
  }

  void require(arith::CmpFPredicate predicate, Value x, double bound) {
    Value test = arith::CmpFOp::create(b, loc, predicate, x, makeF64(bound));
    inside = inside ? arith::AndIOp::create(b, loc, inside, test).getResult() : test;
  }

  /// An integral f64 as an index inside dimension `i`.
  Value clamp(Value x, int64_t i) {
    Value integer = arith::FPToSIOp::create(b, loc, b.getI64Type(), x);
    Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), integer);
    index = arith::MaxSIOp::create(b, loc, index, makeIndex(0));
    return arith::MinSIOp::create(b, loc, index, makeIndex(inputType.getDimSize(i) - 1));
  }

  void addNearest(int64_t i) {
    if (op.getCoordinateMode() != CoordinateMode::TfCropAndResize)
      if (AffineExpr expr = getNearestExpr(op, i, loops[i])) {
        indices[i] = body.index(expr);
        return;
      }
    Value x = emitCoordinate(i);
    NearestMode mode = op.getNearestMode();
    if (mode == NearestMode::RoundPreferFloor)
      x = arith::SubFOp::create(b, loc, x, makeF64(0.5));
    if (mode == NearestMode::RoundPreferCeil)
      x = arith::AddFOp::create(b, loc, x, makeF64(0.5));
    bool isCeil = mode == NearestMode::RoundPreferFloor || mode == NearestMode::Ceil;
    x = isCeil ? math::CeilOp::create(b, loc, x).getResult()
               : math::FloorOp::create(b, loc, x).getResult();
    indices[i] = clamp(x, i);
  }

  void addLinear(int64_t i) {
    Value x = emitCoordinate(i);
    Value floor = math::FloorOp::create(b, loc, x);
    Value weight = arith::SubFOp::create(b, loc, x, floor);
    Value next = arith::AddFOp::create(b, loc, floor, makeF64(1));
    neighbours.push_back(
        {i, clamp(floor, i), clamp(next, i), convertScalar(b, loc, weight, computeType)});
  }

  /// Interpolates along the dimensions from `neighbours[n]` on, the others' indices being set.
  Value interpolate(size_t n) {
    if (n == neighbours.size()) {
      Value value = tensor::ExtractOp::create(b, loc, op.getInput(), indices);
      return convertScalar(b, loc, value, computeType, op.getIsUnsigned());
    }
    const Neighbours &pair = neighbours[n];
    indices[pair.dimension] = pair.low;
    Value low = interpolate(n + 1);
    indices[pair.dimension] = pair.high;
    Value high = interpolate(n + 1);
    Value rest = arith::SubFOp::create(b, loc, makeScalar(b, loc, computeType, 1), pair.weight);
    return arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, low, rest),
                                 arith::MulFOp::create(b, loc, high, pair.weight));
  }

  /// An interpolated value in the result's type. Means of integers never leave their range.
  Value convertResult(Value value) {
    Type type = inputType.getElementType();
    if (type.isInteger())
      value = math::RoundEvenOp::create(b, loc, value);
    return convertScalar(b, loc, value, type, op.getIsUnsigned());
  }

  Value select(Value value) {
    if (!inside)
      return value;
    double outside = op.getExtrapolation() ? op.getExtrapolation()->convertToDouble() : 0;
    return arith::SelectOp::create(b, loc, inside, value,
                                   makeScalar(b, loc, value.getType(), outside));
  }

  OpBuilder &b;
  Location loc;
  NestBody body;
  ResizeOp op;
  ArrayRef<AffineExpr> loops;
  RankedTensorType inputType;
  Type computeType;
  SmallVector<Value> indices;
  SmallVector<Neighbours> neighbours;
  Value inside;
};

struct ResizeLowering : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    if (inputType.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "input without elements");
    LoopNest nest(rewriter, op.getLoc());
    SmallVector<AffineExpr> loops =
        nest.addParallel(cast<RankedTensorType>(op.getResult().getType()).getShape());
    rewriter.replaceOp(op,
                       nest.build(op.getInit(), loops, [&](NestBody body) -> SmallVector<Value> {
                         return {ResizeBody(body, op, loops).emit()};
                       }));
    return success();
  }
};
} // namespace

void udnn::populateResizeToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ResizeLowering>(patterns.getContext());
}
