//===- ReductionOperators.cpp - reductions ----------------------------------===//
//
// ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceL1, ReduceL2, ReduceSumSquare,
// ReduceLogSum, ReduceLogSumExp, ArgMax, ArgMin.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <limits>

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

namespace {
enum class Reduction { Sum, Mean, Max, Min, Prod, L1, L2, SumSquare, LogSum, LogSumExp };

/// Which dimensions of a tensor are reduced, and the shapes that result.
struct ReducedShape {
  ReducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) : shape(shape) {
    for (auto [i, size] : llvm::enumerate(shape)) {
      bool reduced = llvm::is_contained(axes, int64_t(i));
      isReduced.push_back(reduced);
      withOnes.push_back(reduced ? 1 : size);
      if (!reduced)
        kept.push_back(size);
      else
        count *= size;
    }
  }

  AffineMap getKeptMap(MLIRContext *context) const {
    SmallVector<AffineExpr> exprs;
    for (auto [i, reduced] : llvm::enumerate(isReduced))
      if (!reduced)
        exprs.push_back(getAffineDimExpr(i, context));
    return AffineMap::get(shape.size(), 0, exprs, context);
  }

  SmallVector<utils::IteratorType> getIterators() const {
    return llvm::map_to_vector(isReduced, [](bool reduced) {
      return reduced ? utils::IteratorType::reduction : utils::IteratorType::parallel;
    });
  }

  ArrayRef<int64_t> shape;
  SmallVector<bool> isReduced;
  SmallVector<int64_t> kept, withOnes;
  /// Number of elements that are reduced to one.
  int64_t count = 1;
};
} // namespace

/// Computes the elements that are yielded, from the input's elements and the accumulators.
using ReductionBody =
    llvm::function_ref<SmallVector<Value>(ElementEmitter &, ValueRange, ValueRange)>;

/// A linalg.generic that reduces `input` from `starts`; `statistics` have the reduced shape.
static ValueRange emitReduction(NodeContext &ctx, const ReducedShape &shape, Value input,
                                ValueRange statistics, ArrayRef<TypedAttr> starts,
                                ReductionBody body) {
  OpBuilder &builder = ctx.builder;
  SmallVector<Value> operands = {input}, inits;
  llvm::append_range(operands, statistics);
  for (TypedAttr start : starts) {
    Value scalar = arith::ConstantOp::create(builder, ctx.loc, start);
    Value empty = ctx.createEmpty(shape.kept, start.getType());
    inits.push_back(linalg::FillOp::create(builder, ctx.loc, scalar, empty).getResult(0));
  }
  SmallVector<AffineMap> maps(1 + statistics.size() + inits.size(),
                              shape.getKeptMap(builder.getContext()));
  maps[0] = builder.getMultiDimIdentityMap(shape.shape.size());
  auto generic = linalg::GenericOp::create(
      builder, ctx.loc, ValueRange(inits).getTypes(), operands, inits, maps, shape.getIterators(),
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        ElementEmitter emitter(b, loc);
        linalg::YieldOp::create(
            b, loc,
            body(emitter, elements.drop_back(inits.size()), elements.take_back(inits.size())));
      });
  return generic.getResults();
}

//===----------------------------------------------------------------------===//
// Reduce*
//===----------------------------------------------------------------------===//

/// The extreme number of a type: the start of a maximum (`lowest`) or of a minimum.
static TypedAttr getExtreme(Type type, bool lowest, bool isUnsigned) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    return FloatAttr::get(floatType, lowest ? -infinity : infinity);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (isUnsigned)
    return IntegerAttr::get(type, lowest ? APInt::getZero(width) : APInt::getAllOnes(width));
  return IntegerAttr::get(type, lowest ? APInt::getSignedMinValue(width)
                                       : APInt::getSignedMaxValue(width));
}

static TypedAttr getStart(Reduction kind, Type type, bool isUnsigned) {
  if (kind == Reduction::Max || kind == Reduction::Min)
    return getExtreme(type, kind == Reduction::Max, isUnsigned);
  double start = kind == Reduction::Prod ? 1 : 0;
  if (isa<FloatType>(type))
    return FloatAttr::get(type, start);
  return IntegerAttr::get(type, int64_t(start));
}

/// The type in which a reduction accumulates: means, roots and logarithms of integers in double.
static ElementType getAccumulatorType(Reduction kind, ElementType type) {
  bool isReal = kind == Reduction::Mean || kind == Reduction::L2 || kind == Reduction::LogSum ||
                kind == Reduction::LogSumExp;
  return isReal && !isFloat(type) ? ElementType::Double : getWideType(type);
}

static Value emitMagnitude(ElementEmitter &e, Value x, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return e.abs(x);
  return isUnsigned ? x : e.select(e.less(x, 0.0), e.sub(e.constant(x, 0), x), x);
}

/// The accumulator after element `x`.
static Value emitStep(ElementEmitter &e, Reduction kind, Value accumulator, Value x,
                      bool isUnsigned) {
  switch (kind) {
  case Reduction::Max:
    return e.max(accumulator, x, isUnsigned);
  case Reduction::Min:
    return e.min(accumulator, x, isUnsigned);
  case Reduction::Prod:
    return e.mul(accumulator, x);
  case Reduction::L1:
    return e.add(accumulator, emitMagnitude(e, x, isUnsigned));
  case Reduction::L2:
  case Reduction::SumSquare:
    return e.add(accumulator, e.mul(x, x));
  default:
    return e.add(accumulator, x);
  }
}

/// What is stored, from the final accumulator.
static Value emitFinish(ElementEmitter &e, Reduction kind, Value accumulator, int64_t count) {
  if (kind == Reduction::Mean)
    return e.div(accumulator, e.constant(accumulator, count));
  if (kind == Reduction::L2)
    return e.emit<math::SqrtOp>(accumulator);
  if (kind == Reduction::LogSum)
    return e.emit<math::LogOp>(accumulator);
  return accumulator;
}

/// A maximum to subtract before exp: zero in place of infinity.
static Value emitFiniteShift(ElementEmitter &e, Value maximum) {
  Value isInfinite = e.equal(e.abs(maximum), std::numeric_limits<double>::infinity());
  return e.select(isInfinite, e.constant(maximum, 0), maximum);
}

/// Reduces the input; the result has the kept dimensions and the input's element type.
static Value reduce(NodeContext &ctx, Reduction kind, const ReducedShape &shape) {
  ElementType type = ctx.getElementType(0), accumulatorType = getAccumulatorType(kind, type);
  Type elementType = ctx.getType(type), mlirType = ctx.getType(accumulatorType);
  auto convert = [&](ElementEmitter &e, Value x) {
    return NodeContext::createScalarCast(e.builder, e.loc, x, type, accumulatorType);
  };
  bool isUnsignedType = isUnsigned(type);
  auto run = [&](Reduction step) -> Value {
    return emitReduction(ctx, shape, ctx.getInput(0), {}, getStart(step, mlirType, isUnsignedType),
                         [&](ElementEmitter &e, ValueRange v, ValueRange a) -> SmallVector<Value> {
                           return {emitStep(e, step, a[0], convert(e, v[0]), isUnsignedType)};
                         })[0];
  };
  auto finish = [&](ValueRange operands, WideBody body) -> Value {
    return *ctx.createElementwise(SmallVector<Value>(operands), shape.kept, elementType,
                                  [&](OpBuilder &b, Location loc, ValueRange v) {
                                    ElementEmitter e(b, loc);
                                    return NodeContext::createScalarCast(b, loc, body(e, v),
                                                                         accumulatorType, type);
                                  });
  };
  if (kind != Reduction::LogSumExp) {
    Value total = run(kind);
    bool isFinished = kind != Reduction::Mean && kind != Reduction::L2 && kind != Reduction::LogSum;
    if (isFinished && mlirType == elementType)
      return total;
    return finish(total, [&](ElementEmitter &e, ValueRange v) {
      return emitFinish(e, kind, v[0], shape.count);
    });
  }
  Value maximum = run(Reduction::Max);
  Value sum = emitReduction(
      ctx, shape, ctx.getInput(0), maximum, getStart(Reduction::Sum, mlirType, false),
      [&](ElementEmitter &e, ValueRange v, ValueRange a) -> SmallVector<Value> {
        return {e.add(a[0], e.exp(e.sub(convert(e, v[0]), emitFiniteShift(e, v[1]))))};
      })[0];
  return finish({sum, maximum}, [&](ElementEmitter &e, ValueRange v) {
    return e.add(e.emit<math::LogOp>(v[0]), emitFiniteShift(e, v[1]));
  });
}

static FailureOr<SmallVector<int64_t>> getReducedAxes(NodeContext &ctx) {
  FailureOr<SmallVector<int64_t>> axes = ctx.getInts("axes");
  if (ctx.hasInput(1))
    axes = ctx.getConstantInts(1);
  if (failed(axes))
    return failure();
  int64_t rank = ctx.getInputType(0).getRank();
  if (axes->empty() && !ctx.getInt("noop_with_empty_axes", 0))
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  return ctx.normalizeAxes(*axes, rank);
}

static ImportFunction makeReduction(Reduction kind) {
  return [kind](NodeContext &ctx) -> LogicalResult {
    FailureOr<SmallVector<int64_t>> axes = getReducedAxes(ctx);
    if (failed(axes))
      return failure();
    ReducedShape shape(ctx.getInputType(0).getShape(), *axes);
    Value result = reduce(ctx, kind, shape);
    if (ctx.getInt("keepdims", 1))
      result = ctx.createReshape(result, shape.withOnes);
    return ctx.setOutput(0, result);
  };
}

//===----------------------------------------------------------------------===//
// ArgMax, ArgMin
//===----------------------------------------------------------------------===//

/// Whether element `x` takes the place of the best one so far. NaN wins; of equals, the first one
/// or the last one.
static Value emitTakes(ElementEmitter &e, Value x, Value best, Value bestIndex, bool isMax,
                       bool takesLast, bool isUnsigned) {
  Value better = isMax ? e.less(best, x, isUnsigned) : e.less(x, best, isUnsigned);
  Value takes = takesLast ? e.emit<arith::OrIOp>(better, e.equal(x, best)) : better;
  if (isa<FloatType>(x.getType())) {
    Value wins = e.isNaN(x), bestIsNaN = e.isNaN(best);
    if (!takesLast)
      wins = e.emit<arith::AndIOp>(wins, e.invert(bestIsNaN));
    takes = e.emit<arith::OrIOp>(takes, wins);
  }
  return e.emit<arith::OrIOp>(takes, e.less(bestIndex, 0.0));
}

static ImportFunction makeArgReduction(bool isMax) {
  return [isMax](NodeContext &ctx) -> LogicalResult {
    RankedTensorType type = ctx.getInputType(0);
    FailureOr<int64_t> axis = ctx.normalizeAxis(ctx.getInt("axis", 0), type.getRank());
    if (failed(axis))
      return failure();
    if (type.getDimSize(*axis) == 0)
      return ctx.emitError() << "expects a dimension of 1 or more elements, got 0";
    ReducedShape shape(type.getShape(), {*axis});
    bool takesLast = ctx.getInt("select_last_index", 0);
    bool compareUnsigned = isUnsigned(ctx.getElementType(0));
    Type element = getWideType(type.getElementType());
    TypedAttr none = ctx.builder.getI64IntegerAttr(-1);
    Value indices = emitReduction(
        ctx, shape, ctx.getInput(0), {}, {getExtreme(element, isMax, compareUnsigned), none},
        [&](ElementEmitter &e, ValueRange v, ValueRange a) -> SmallVector<Value> {
          Value x = v[0];
          if (x.getType() != element)
            x = e.emit<arith::ExtFOp>(element, x);
          Value index =
              e.emit<arith::IndexCastOp>(e.builder.getI64Type(), e.emit<linalg::IndexOp>(*axis));
          Value takes = emitTakes(e, x, a[0], a[1], isMax, takesLast, compareUnsigned);
          return {e.select(takes, x, a[0]), e.select(takes, index, a[1])};
        })[1];
    if (ctx.getInt("keepdims", 1))
      indices = ctx.createReshape(indices, shape.withOnes);
    return ctx.setOutput(0, indices, ElementType::Int64);
  };
}

void udnn::onnx::registerReductionOperators(OperatorRegistry &registry) {
  constexpr TypeSet types = kFloatTypes | kIntegerTypes;
  // The axes are an attribute, then an input.
  auto add = [&](const char *name, Reduction kind, int64_t firstWithInput, TypeSet covered) {
    registry.add({name, {kOldestOpset, firstWithInput - 1}, 1, 1, 1, covered, makeReduction(kind)});
    registry.add({name, {firstWithInput}, 1, 2, 1, covered, makeReduction(kind)});
  };
  add("ReduceL1", Reduction::L1, 18, types);
  add("ReduceL2", Reduction::L2, 18, types);
  add("ReduceLogSum", Reduction::LogSum, 18, types);
  add("ReduceLogSumExp", Reduction::LogSumExp, 18, types);
  add("ReduceMax", Reduction::Max, 18, types | kBoolType);
  add("ReduceMean", Reduction::Mean, 18, types);
  add("ReduceMin", Reduction::Min, 18, types | kBoolType);
  add("ReduceProd", Reduction::Prod, 18, types);
  add("ReduceSum", Reduction::Sum, 13, types);
  add("ReduceSumSquare", Reduction::SumSquare, 18, types);
  registry.add({"ArgMax", {}, 1, 1, 1, kNumericTypes, makeArgReduction(/*isMax=*/true)});
  registry.add({"ArgMin", {}, 1, 1, 1, kNumericTypes, makeArgReduction(/*isMax=*/false)});
}
