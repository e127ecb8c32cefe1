//===- NormToLinalg.cpp - softmax and normalizations ------------------------===//
//
// Chains of reductions over the normalized dimensions that end in an element-wise operation.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace udnn;
using namespace udnn::dnn;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// Reductions of one tensor over some of its dimensions, and reads of their results.
class Reducer {
public:
  Reducer(OpBuilder &builder, Location loc, Value input, ArrayRef<bool> isReduced)
      : builder(builder), loc(loc), input(input), isReduced(isReduced),
        shape(cast<RankedTensorType>(input.getType()).getShape()),
        type(getComputeType(cast<RankedTensorType>(input.getType()).getElementType())) {}

  Type getType() const { return type; }

  /// The kept ones of `indices`, which index a reduction's result.
  SmallVector<AffineExpr> getKept(ArrayRef<AffineExpr> indices) const {
    SmallVector<AffineExpr> kept;
    for (auto [expr, reduced] : llvm::zip(indices, isReduced))
      if (!reduced)
        kept.push_back(expr);
    return kept;
  }

  /// Reduces from `start`; `body` sees the input, then the `statistics`.
  Value reduce(double start, ValueRange statistics, LoopNest::BodyFn body) const {
    LoopNest nest(builder, loc);
    SmallVector<AffineExpr> loops;
    SmallVector<int64_t> keptShape;
    for (auto [size, reduced] : llvm::zip(shape, isReduced)) {
      loops.push_back(reduced ? nest.addReduction(size) : nest.addParallel(size));
      if (!reduced)
        keptShape.push_back(size);
    }
    nest.read(input, loops);
    for (Value statistic : statistics)
      nest.read(statistic, getKept(loops));
    Value init = makeFilled(builder, loc, keptShape, makeScalar(builder, loc, type, start));
    return nest.build(init, getKept(loops), body);
  }

  /// Mean of the input, and 1 / sqrt(variance + epsilon).
  std::pair<Value, Value> getMoments(double epsilon) const;

private:
  Value mapStatistic(Value statistic, function_ref<Value(NestBody, Value)> function) const {
    LoopNest nest(builder, loc);
    auto statisticType = cast<RankedTensorType>(statistic.getType());
    SmallVector<AffineExpr> loops = nest.addParallel(statisticType.getShape());
    nest.read(statistic, loops);
    Value init = tensor::EmptyOp::create(builder, loc, statisticType.getShape(), type);
    return nest.build(init, loops, [&](NestBody body) -> SmallVector<Value> {
      return {function(body, body.elements[0].value)};
    });
  }

  OpBuilder &builder;
  Location loc;
  Value input;
  ArrayRef<bool> isReduced;
  ArrayRef<int64_t> shape;
  Type type;
};
} // namespace

std::pair<Value, Value> Reducer::getMoments(double epsilon) const {
  int64_t count = 1;
  for (auto [size, reduced] : llvm::zip(shape, isReduced))
    count *= reduced ? size : 1;
  Value sum = reduce(0, {}, [&](NestBody body) -> SmallVector<Value> {
    return {arith::AddFOp::create(body.builder, loc, body.accumulators[0], body.get(0, type))};
  });
  auto divideByCount = [&](NestBody body, Value value) -> Value {
    return arith::DivFOp::create(body.builder, loc, value,
                                 makeScalar(body.builder, loc, type, count));
  };
  Value mean = mapStatistic(sum, divideByCount);
  Value squares = reduce(0, mean, [&](NestBody body) -> SmallVector<Value> {
    OpBuilder &b = body.builder;
    Value centered = arith::SubFOp::create(b, loc, body.get(0, type), body.get(1, type));
    Value square = arith::MulFOp::create(b, loc, centered, centered);
    return {arith::AddFOp::create(b, loc, body.accumulators[0], square)};
  });
  Value inverse = mapStatistic(squares, [&](NestBody body, Value value) -> Value {
    OpBuilder &b = body.builder;
    Value shifted = arith::AddFOp::create(b, loc, divideByCount(body, value),
                                          makeScalar(b, loc, type, epsilon));
    return arith::DivFOp::create(b, loc, makeScalar(b, loc, type, 1),
                                 math::SqrtOp::create(b, loc, shifted));
  });
  return {mean, inverse};
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

namespace {
template <typename SoftmaxOp>
struct SoftmaxLowering : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern<SoftmaxOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<bool> isReduced(resultType.getRank(), false);
    isReduced[op.getDimension()] = true;
    Reducer reducer(rewriter, loc, op.getInput(), isReduced);
    Type type = reducer.getType();
    if (!isa<FloatType>(type))
      return rewriter.notifyMatchFailure(op, "softmax of floats only");
    auto shift = [&](NestBody body) -> Value {
      return arith::SubFOp::create(body.builder, loc, body.get(0, type), body.get(1, type));
    };
    double lowest = -std::numeric_limits<double>::infinity();
    Value maximum = reducer.reduce(lowest, {}, [&](NestBody body) -> SmallVector<Value> {
      return {
          arith::MaximumFOp::create(body.builder, loc, body.accumulators[0], body.get(0, type))};
    });
    Value sum = reducer.reduce(0, maximum, [&](NestBody body) -> SmallVector<Value> {
      Value power = math::ExpOp::create(body.builder, loc, shift(body));
      return {arith::AddFOp::create(body.builder, loc, body.accumulators[0], power)};
    });
    LoopNest nest(rewriter, loc);
    SmallVector<AffineExpr> loops = nest.addParallel(resultType.getShape());
    nest.read(op.getInput(), loops);
    nest.read(maximum, reducer.getKept(loops));
    nest.read(sum, reducer.getKept(loops));
    rewriter.replaceOp(
        op, nest.build(op.getInit(), loops, [&](NestBody body) -> SmallVector<Value> {
          OpBuilder &b = body.builder;
          Value total = body.get(2, type);
          if (std::is_same_v<SoftmaxOp, LogSoftmaxOp>)
            return {arith::SubFOp::create(b, loc, shift(body), math::LogOp::create(b, loc, total))};
          return {arith::DivFOp::create(b, loc, math::ExpOp::create(b, loc, shift(body)), total)};
        }));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Batch, instance and layer normalization
//===----------------------------------------------------------------------===//

struct BatchNormLowering : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    Type type = getComputeType(resultType.getElementType());
    int64_t channels = op.getDims().getLogicalSize(DimsAttr::kChannel, resultType.getShape());

    // scale / sqrt(variance + epsilon), once per channel.
    LoopNest factors(rewriter, loc);
    SmallVector<AffineExpr> channel = {factors.addParallel(channels)};
    factors.read(op.getScale(), channel);
    factors.read(op.getVariance(), channel);
    Value empty = tensor::EmptyOp::create(rewriter, loc, ArrayRef<int64_t>{channels}, type);
    Value factor = factors.build(empty, channel, [&](NestBody body) -> SmallVector<Value> {
      OpBuilder &b = body.builder;
      Value epsilon = makeScalar(b, loc, type, op.getEpsilon().convertToDouble());
      Value shifted = arith::AddFOp::create(b, loc, body.get(1, type), epsilon);
      return {
          arith::DivFOp::create(b, loc, body.get(0, type), math::SqrtOp::create(b, loc, shifted))};
    });

    LoopNest nest(rewriter, loc);
    SmallVector<AffineExpr> loops = nest.addParallel(resultType.getShape());
    AffineExpr position = getLogicalExpr(op.getDims(), DimsAttr::kChannel, loops);
    nest.read(op.getInput(), loops);
    nest.read(op.getMean(), {position});
    nest.read(factor, {position});
    nest.read(op.getBias(), {position});
    rewriter.replaceOp(
        op, nest.build(op.getInit(), loops, [&](NestBody body) -> SmallVector<Value> {
          OpBuilder &b = body.builder;
          Value centered = arith::SubFOp::create(b, loc, body.get(0, type), body.get(1, type));
          Value scaled = arith::MulFOp::create(b, loc, centered, body.get(2, type));
          return {arith::AddFOp::create(b, loc, scaled, body.get(3, type))};
        }));
    return success();
  }
};

struct InstanceNormLowering : OpRewritePattern<InstanceNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(InstanceNormOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<bool> isReduced =
        llvm::map_to_vector(op.getDims().getRoles(), [](int64_t role) { return role >= 0; });
    Reducer reducer(rewriter, loc, op.getInput(), isReduced);
    Type type = reducer.getType();
    auto [mean, inverse] = reducer.getMoments(op.getEpsilon().convertToDouble());

    LoopNest nest(rewriter, loc);
    SmallVector<AffineExpr> loops = nest.addParallel(resultType.getShape());
    AffineExpr channel = getLogicalExpr(op.getDims(), DimsAttr::kChannel, loops);
    nest.read(op.getInput(), loops);
    nest.read(mean, reducer.getKept(loops));
    nest.read(inverse, reducer.getKept(loops));
    nest.read(op.getScale(), {channel});
    nest.read(op.getBias(), {channel});
    rewriter.replaceOp(
        op, nest.build(op.getInit(), loops, [&](NestBody body) -> SmallVector<Value> {
          OpBuilder &b = body.builder;
          Value value = arith::SubFOp::create(b, loc, body.get(0, type), body.get(1, type));
          value = arith::MulFOp::create(b, loc, value, body.get(2, type));
          value = arith::MulFOp::create(b, loc, value, body.get(3, type));
          return {arith::AddFOp::create(b, loc, value, body.get(4, type))};
        }));
    return success();
  }
};

struct LayerNormLowering : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto resultType = cast<RankedTensorType>(op.getInput().getType());
    int64_t rank = resultType.getRank();
    SmallVector<bool> isReduced(rank, false);
    std::fill(isReduced.begin() + op.getDimension(), isReduced.end(), true);
    Reducer reducer(rewriter, loc, op.getInput(), isReduced);
    Type type = reducer.getType();
    auto [mean, inverse] = reducer.getMoments(op.getEpsilon().convertToDouble());

    LoopNest nest(rewriter, loc);
    SmallVector<AffineExpr> loops = nest.addParallel(resultType.getShape());
    nest.read(op.getInput(), loops);
    nest.read(mean, reducer.getKept(loops));
    nest.read(inverse, reducer.getKept(loops));
    nest.read(op.getScale(), getBroadcast(op.getScale(), loops, rewriter));
    if (op.getBias())
      nest.read(op.getBias(), getBroadcast(op.getBias(), loops, rewriter));
    SmallVector<Value> results;
    results.push_back(nest.build(op.getInits()[0], loops, [&](NestBody body) -> SmallVector<Value> {
      OpBuilder &b = body.builder;
      Value value = arith::SubFOp::create(b, loc, body.get(0, type), body.get(1, type));
      value = arith::MulFOp::create(b, loc, value, body.get(2, type));
      value = arith::MulFOp::create(b, loc, value, body.get(3, type));
      if (op.getBias())
        value = arith::AddFOp::create(b, loc, value, body.get(4, type));
      return {value};
    }));
    if (op.getInits().size() == 3) {
      results.push_back(storeStatistic(rewriter, loc, mean, op.getInits()[1]));
      results.push_back(storeStatistic(rewriter, loc, inverse, op.getInits()[2]));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// The positions at which a tensor that broadcasts to the trailing dimensions is read.
  static SmallVector<AffineExpr> getBroadcast(Value tensor, ArrayRef<AffineExpr> loops,
                                              OpBuilder &builder) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
    SmallVector<AffineExpr> indices;
    for (auto [size, loop] : llvm::zip(shape, loops.take_back(shape.size())))
      indices.push_back(size == 1 ? builder.getAffineConstantExpr(0) : loop);
    return indices;
  }

  /// Writes a statistic to a tensor with size 1 in the normalized dimensions.
  static Value storeStatistic(OpBuilder &builder, Location loc, Value statistic, Value init) {
    LoopNest nest(builder, loc);
    SmallVector<AffineExpr> loops =
        nest.addParallel(cast<RankedTensorType>(init.getType()).getShape());
    nest.read(statistic,
              ArrayRef(loops).take_front(cast<RankedTensorType>(statistic.getType()).getRank()));
    return nest.build(
        init, loops, [&](NestBody body) -> SmallVector<Value> { return {body.elements[0].value}; });
  }
};

//===----------------------------------------------------------------------===//
// Local response normalization
//===----------------------------------------------------------------------===//

/// `value ^ exponent` for a positive value.
static Value makePower(OpBuilder &b, Location loc, Value value, double exponent) {
  if (exponent == 1.0)
    return value;
  if (exponent != 0.5 && exponent != 0.75)
    return math::PowFOp::create(b, loc, value, makeScalar(b, loc, value.getType(), exponent));
  Value root = math::SqrtOp::create(b, loc, value);
  if (exponent == 0.5)
    return root;
  return arith::MulFOp::create(b, loc, root, math::SqrtOp::create(b, loc, root));
}

struct LRNLowering : OpRewritePattern<LRNOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LRNOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    Type type = getComputeType(resultType.getElementType());
    DimsAttr dims = op.getDims();

    LoopNest window(rewriter, loc);
    SmallVector<AffineExpr> positions = window.addParallel(resultType.getShape());
    AffineExpr tap = window.addReduction(op.getSize());
    window.read(op.getInput(), getAxes(dims, resultType, [&](int64_t role) {
                  AffineExpr expr = getLogicalExpr(dims, role, positions);
                  return role == DimsAttr::kChannel ? expr + tap - (op.getSize() - 1) / 2 : expr;
                }));
    Value start =
        makeFilled(rewriter, loc, resultType.getShape(), makeScalar(rewriter, loc, type, 0));
    Value squares = window.build(start, positions, [&](NestBody body) -> SmallVector<Value> {
      Value value = body.getOrZero(0, type);
      Value square = arith::MulFOp::create(body.builder, loc, value, value);
      return {arith::AddFOp::create(body.builder, loc, body.accumulators[0], square)};
    });

    LoopNest nest(rewriter, loc);
    SmallVector<AffineExpr> loops = nest.addParallel(resultType.getShape());
    nest.read(op.getInput(), loops);
    nest.read(squares, loops);
    double alpha = op.getAlpha().convertToDouble() / op.getSize();
    rewriter.replaceOp(
        op, nest.build(op.getInit(), loops, [&](NestBody body) -> SmallVector<Value> {
          OpBuilder &b = body.builder;
          Value scaled =
              arith::MulFOp::create(b, loc, body.get(1, type), makeScalar(b, loc, type, alpha));
          Value bias = makeScalar(b, loc, type, op.getBias().convertToDouble());
          Value base = arith::AddFOp::create(b, loc, scaled, bias);
          Value power = makePower(b, loc, base, op.getBeta().convertToDouble());
          return {arith::DivFOp::create(b, loc, body.get(0, type), power)};
        }));
    return success();
  }
};
} // namespace

void udnn::populateNormToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<SoftmaxLowering<SoftmaxOp>, SoftmaxLowering<LogSoftmaxOp>, BatchNormLowering,
               InstanceNormLowering, LayerNormLowering, LRNLowering>(patterns.getContext());
}
