//===- PoolToLinalg.cpp - pooling -------------------------------------------===//
//
// Maximum (with indices) and average over windows.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <limits>

using namespace mlir;
using namespace udnn;
using namespace udnn::dnn;

namespace {
/// The loops of a pooling: the result's physical dimensions, then the window.
template <typename PoolOp>
struct PoolLoops {
  PoolLoops(LoopNest &nest, PoolOp op)
      : loops(nest.addParallel(cast<RankedTensorType>(op.getResult().getType()).getShape())) {
    input = loops;
    DimsAttr dims = op.getDims();
    for (auto [i, size] : llvm::enumerate(op.getWindow())) {
      window.push_back(nest.addReduction(size));
      int64_t position = dims.find(i);
      input[position] =
          loops[position] * op.getStrides()[i] + window[i] * op.getDilations()[i] - op.getPads()[i];
    }
    nest.read(op.getInput(), input);
  }

  /// Positions in the result, in the window, and in the input by physical dimension.
  SmallVector<AffineExpr> loops, window, input;
};
} // namespace

//===----------------------------------------------------------------------===//
// Maximum
//===----------------------------------------------------------------------===//

/// The least value of a type, from which maxima start.
static Value makeLowest(OpBuilder &builder, Location loc, Type type, bool isUnsigned) {
  if (isa<FloatType>(type))
    return makeScalar(builder, loc, type, -std::numeric_limits<double>::infinity());
  unsigned width = type.getIntOrFloatBitWidth();
  APInt lowest = isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, lowest));
}

static Value makeMaximum(const NestBody &body, Value lhs, Value rhs, bool isUnsigned) {
  if (isa<FloatType>(lhs.getType()))
    return arith::MaximumFOp::create(body.builder, body.loc, lhs, rhs);
  if (isUnsigned)
    return arith::MaxUIOp::create(body.builder, body.loc, lhs, rhs);
  return arith::MaxSIOp::create(body.builder, body.loc, lhs, rhs);
}

/// The position in the flattened logical input, as an i64.
static Value makeFlatIndex(const NestBody &body, MaxPoolOp op, ArrayRef<AffineExpr> input) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  DimsAttr dims = op.getDims();
  SmallVector<int64_t> roles = {DimsAttr::kBatch, DimsAttr::kChannel};
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq(dims.getSpatialRank()));
  if (op.getColumnMajor())
    std::reverse(spatial.begin(), spatial.end());
  llvm::append_range(roles, spatial);
  AffineExpr flat = body.builder.getAffineConstantExpr(0);
  for (int64_t role : roles)
    if (dims.find(role) >= 0)
      flat = flat * dims.getLogicalSize(role, type.getShape()) + getLogicalExpr(dims, role, input);
  return arith::IndexCastOp::create(body.builder, body.loc, body.builder.getI64Type(),
                                    body.index(flat));
}

/// Whether a value takes the place of the best one: greater, or the first, or the first NaN.
static Value makeTakes(const NestBody &body, Value value, Value best, Value bestIndex,
                       bool isUnsigned) {
  OpBuilder &b = body.builder;
  Location loc = body.loc;
  Value zero = makeScalar(b, loc, bestIndex.getType(), 0);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bestIndex, zero);
  Value takes;
  if (isa<FloatType>(value.getType())) {
    Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, value, best);
    Value bestIsNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
    takes = arith::AndIOp::create(b, loc, greater, bestIsNumber);
  } else {
    auto predicate = isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    takes = arith::CmpIOp::create(b, loc, predicate, value, best);
  }
  takes = arith::OrIOp::create(b, loc, takes, isFirst);
  if (Value inside = body.elements[0].inside)
    takes = arith::AndIOp::create(b, loc, takes, inside);
  return takes;
}

namespace {
struct MaxPoolLowering : OpRewritePattern<MaxPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaxPoolOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = cast<RankedTensorType>(op.getResult().getType()).getElementType();
    LoopNest nest(rewriter, loc);
    PoolLoops<MaxPoolOp> loops(nest, op);
    bool isUnsigned = op.getIsUnsigned();
    Value lowest = makeLowest(rewriter, loc, type, isUnsigned);
    Value start = linalg::FillOp::create(rewriter, loc, lowest, op.getInit()).getResult(0);
    if (!op.getIndices()) {
      rewriter.replaceOp(
          op, nest.build(start, loops.loops, [&](NestBody body) -> SmallVector<Value> {
            Value value = body.elements[0].value;
            if (Value inside = body.elements[0].inside)
              value = arith::SelectOp::create(body.builder, loc, inside, value, lowest);
            return {makeMaximum(body, body.accumulators[0], value, isUnsigned)};
          }));
      return success();
    }
    Value none = makeScalar(rewriter, loc, rewriter.getI64Type(), -1);
    Value indexStart =
        linalg::FillOp::create(rewriter, loc, none, op.getIndicesInit()).getResult(0);
    rewriter.replaceOp(
        op,
        nest.build({start, indexStart}, {loops.loops, loops.loops},
                   [&](NestBody body) -> SmallVector<Value> {
                     Value value = body.elements[0].value, best = body.accumulators[0];
                     Value bestIndex = body.accumulators[1];
                     Value takes = makeTakes(body, value, best, bestIndex, isUnsigned);
                     Value index = makeFlatIndex(body, op, loops.input);
                     return {arith::SelectOp::create(body.builder, loc, takes, value, best),
                             arith::SelectOp::create(body.builder, loc, takes, index, bestIndex)};
                   }));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Average
//===----------------------------------------------------------------------===//

/// Whether a window of spatial dimension `i` holds nothing but padding, as dilated ones can.
static bool canBeEmpty(AvgPoolOp op, int64_t i) {
  int64_t position = op.getDims().find(i);
  int64_t size = cast<RankedTensorType>(op.getInput().getType()).getDimSize(position);
  int64_t results = cast<RankedTensorType>(op.getResult().getType()).getDimSize(position);
  int64_t dilation = op.getDilations()[i], before = op.getPads()[i];
  for (int64_t p = 0; p < results; ++p) {
    // The first window position that is not in the padding before the input.
    int64_t start = p * op.getStrides()[i] - before;
    int64_t skipped = start < 0 ? (-start + dilation - 1) / dilation : 0;
    if (skipped >= op.getWindow()[i] || start + skipped * dilation >= size)
      return true;
  }
  return false;
}

/// Number of window positions of spatial dimension `i` that count at result position `p`, as index.
static Value makeCount(const NestBody &body, AvgPoolOp op, int64_t i, AffineExpr p) {
  OpBuilder &b = body.builder;
  Location loc = body.loc;
  auto input = cast<RankedTensorType>(op.getInput().getType());
  int64_t size = input.getDimSize(op.getDims().find(i));
  int64_t before = op.getPads()[i], after = op.getPads()[op.getWindow().size() + i];
  int64_t window = op.getWindow()[i], dilation = op.getDilations()[i];
  // Window positions are shifted by the padding, so that the first of them is never negative:
  // those from `low` to `high - 1` count.
  int64_t low = op.getCountIncludePad() ? 0 : before;
  int64_t high = before + size + (op.getCountIncludePad() ? after : 0);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  // ceil(max(bound - first, 0) / dilation) window positions lie before a bound.
  Value first = body.index(p * op.getStrides()[i]);
  auto countBefore = [&](int64_t bound) -> Value {
    Value distance = arith::SubIOp::create(b, loc, constant(bound), first);
    distance = arith::MaxSIOp::create(b, loc, distance, constant(0));
    if (dilation != 1) {
      distance = arith::AddIOp::create(b, loc, distance, constant(dilation - 1));
      distance = arith::DivUIOp::create(b, loc, distance, constant(dilation));
    }
    return arith::MinSIOp::create(b, loc, distance, constant(window));
  };
  Value count = arith::SubIOp::create(b, loc, countBefore(high), countBefore(low));
  // Over no elements the sum is 0, and so is the average.
  return canBeEmpty(op, i) ? arith::MaxSIOp::create(b, loc, count, constant(1)).getResult() : count;
}

/// Whether every window of spatial dimension `i` lies inside what counts.
static bool isAlwaysFull(AvgPoolOp op, int64_t i) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  int64_t position = op.getDims().find(i);
  int64_t before = op.getPads()[i], after = op.getPads()[op.getWindow().size() + i];
  int64_t last = (result.getDimSize(position) - 1) * op.getStrides()[i] +
                 (op.getWindow()[i] - 1) * op.getDilations()[i] - before;
  bool includes = op.getCountIncludePad();
  return (includes || before <= 0) && last < input.getDimSize(position) + (includes ? after : 0);
}

/// The number of elements that are averaged, as a value of `type`.
static Value makeDivisor(const NestBody &body, AvgPoolOp op, ArrayRef<AffineExpr> loops,
                         Type type) {
  OpBuilder &b = body.builder;
  Location loc = body.loc;
  int64_t fixed = 1;
  Value divisor;
  for (auto [i, size] : llvm::enumerate(op.getWindow())) {
    if (isAlwaysFull(op, i)) {
      fixed *= size;
      continue;
    }
    Value count = makeCount(body, op, i, loops[op.getDims().find(i)]);
    divisor = divisor ? arith::MulIOp::create(b, loc, divisor, count).getResult() : count;
  }
  if (!divisor)
    return makeScalar(b, loc, type, fixed);
  if (fixed != 1)
    divisor = arith::MulIOp::create(b, loc, divisor, arith::ConstantIndexOp::create(b, loc, fixed));
  Value integer = arith::IndexCastOp::create(b, loc, b.getI32Type(), divisor);
  return convertScalar(b, loc, integer, type);
}

namespace {
struct AvgPoolLowering : OpRewritePattern<AvgPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AvgPoolOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    Type type = getComputeType(resultType.getElementType());
    if (!isa<FloatType>(type))
      return rewriter.notifyMatchFailure(op, "averages of floats only");
    LoopNest nest(rewriter, loc);
    PoolLoops<AvgPoolOp> loops(nest, op);
    Value start =
        makeFilled(rewriter, loc, resultType.getShape(), makeScalar(rewriter, loc, type, 0));
    Value sums = nest.build(start, loops.loops, [&](NestBody body) -> SmallVector<Value> {
      return {
          arith::AddFOp::create(body.builder, loc, body.accumulators[0], body.getOrZero(0, type))};
    });
    LoopNest divide(rewriter, loc);
    SmallVector<AffineExpr> positions = divide.addParallel(resultType.getShape());
    divide.read(sums, positions);
    rewriter.replaceOp(
        op, divide.build(op.getInit(), positions, [&](NestBody body) -> SmallVector<Value> {
          Value divisor = makeDivisor(body, op, positions, type);
          return {arith::DivFOp::create(body.builder, loc, body.get(0, type), divisor)};
        }));
    return success();
  }
};
} // namespace

void udnn::populatePoolToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<MaxPoolLowering, AvgPoolLowering>(patterns.getContext());
}
