//===- ArithmeticOperators.cpp - functions of several elements --------------===//
//
// Add, Sub, Mul, Div, Mod, Pow, Min, Max, Sum, Mean, Where.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

//===----------------------------------------------------------------------===//
// Add, Sub, Mul, Div, Mod
//===----------------------------------------------------------------------===//

using BinaryBody = llvm::function_ref<Value(ElementEmitter &, Value, Value)>;

/// Applies a function of two elements of one type.
static LogicalResult importBinary(NodeContext &ctx, BinaryBody body) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  return importElementwise(ctx, 2,
                           [&](ElementEmitter &e, ValueRange v) { return body(e, v[0], v[1]); });
}

static LogicalResult importAdd(NodeContext &ctx) {
  return importBinary(ctx, [](ElementEmitter &e, Value a, Value b) { return e.add(a, b); });
}

static LogicalResult importSub(NodeContext &ctx) {
  return importBinary(ctx, [](ElementEmitter &e, Value a, Value b) { return e.sub(a, b); });
}

static LogicalResult importMul(NodeContext &ctx) {
  return importBinary(ctx, [](ElementEmitter &e, Value a, Value b) { return e.mul(a, b); });
}

/// Integer division or remainder without the two cases that trap: by zero, which gives zero, and
/// signed by -1, whose quotient is the negated dividend and whose remainder is zero.
template <typename SignedOp, typename UnsignedOp>
static Value emitIntegerDivision(ElementEmitter &e, Value a, Value b, bool isUnsigned,
                                 bool isQuotient) {
  Value zero = e.constant(a, 0), one = e.constant(a, 1);
  Value isZero = e.equal(b, zero);
  if (isUnsigned) {
    Value result = e.emit<UnsignedOp>(a, e.select(isZero, one, b));
    return e.select(isZero, zero, result);
  }
  Value isMinusOne = e.equal(b, -1.0);
  Value traps = e.emit<arith::OrIOp>(isZero, isMinusOne);
  Value result = e.emit<SignedOp>(a, e.select(traps, one, b));
  Value negated = isQuotient ? e.sub(zero, a) : zero;
  return e.select(isZero, zero, e.select(isMinusOne, negated, result));
}

static LogicalResult importDiv(NodeContext &ctx) {
  ElementType type = ctx.getElementType(0);
  return importBinary(ctx, [&](ElementEmitter &e, Value a, Value b) {
    if (isFloat(type))
      return e.div(a, b);
    return emitIntegerDivision<arith::DivSIOp, arith::DivUIOp>(e, a, b, isUnsigned(type), true);
  });
}

/// Whether exactly one of two numbers is negative.
static Value emitSignsDiffer(ElementEmitter &e, Value a, Value b) {
  return e.emit<arith::XOrIOp>(e.less(a, 0.0), e.less(b, 0.0));
}

/// The remainder with the sign of the divisor, from the one with the sign of the dividend.
static Value emitFloorRemainder(ElementEmitter &e, Value remainder, Value divisor) {
  Value isZero = e.equal(remainder, 0.0);
  Value moves = e.emit<arith::AndIOp>(emitSignsDiffer(e, remainder, divisor), e.invert(isZero));
  Value moved = e.select(moves, e.add(remainder, divisor), remainder);
  if (!isa<FloatType>(remainder.getType()))
    return moved;
  return e.select(isZero, e.emit<math::CopySignOp>(remainder, divisor), moved);
}

static LogicalResult importMod(NodeContext &ctx) {
  ElementType type = ctx.getElementType(0);
  bool truncates = ctx.getInt("fmod", 0);
  return importBinary(ctx, [&](ElementEmitter &e, Value a, Value b) {
    Value remainder =
        isFloat(type)
            ? e.emit<arith::RemFOp>(a, b)
            : emitIntegerDivision<arith::RemSIOp, arith::RemUIOp>(e, a, b, isUnsigned(type), false);
    return truncates || isUnsigned(type) ? remainder : emitFloorRemainder(e, remainder, b);
  });
}

//===----------------------------------------------------------------------===//
// Pow
//===----------------------------------------------------------------------===//

/// The number that all elements of a constant equal.
static std::optional<double> getSplat(Value value) {
  DenseElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || !attr.isSplat())
    return std::nullopt;
  if (isa<FloatType>(attr.getElementType()))
    return attr.getSplatValue<APFloat>().convertToDouble();
  return attr.getSplatValue<APInt>().getSExtValue();
}

/// `base ^ exponent` for integers, wrapping around: squares base once per bit of the exponent.
static Value emitIntegerPower(ElementEmitter &e, Value base, Value exponent,
                              bool isUnsignedExponent) {
  Value one = e.constant(base, 1), zero = e.constant(base, 0);
  Value result = one, square = base;
  unsigned width = exponent.getType().getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < width; ++bit) {
    Value mask = arith::ConstantOp::create(
        e.builder, e.loc,
        e.builder.getIntegerAttr(exponent.getType(), APInt::getOneBitSet(width, bit)));
    Value isSet = e.invert(e.equal(e.emit<arith::AndIOp>(exponent, mask), e.constant(exponent, 0)));
    result = e.select(isSet, e.mul(result, square), result);
    if (bit + 1 < width)
      square = e.mul(square, square);
  }
  if (isUnsignedExponent)
    return result;
  // 1 / base ^ -exponent is 0 but for bases 1 and -1, whose powers do not depend on the sign.
  Value isOne = e.equal(base, one), isMinusOne = e.equal(base, -1.0);
  Value keeps = e.emit<arith::OrIOp>(isOne, isMinusOne);
  Value vanishes = e.emit<arith::AndIOp>(e.less(exponent, 0.0), e.invert(keeps));
  return e.select(vanishes, zero, result);
}

/// `base ^ exponent` for a constant exponent that needs only products; null for others.
static Value emitSmallPower(ElementEmitter &e, Value base, double exponent) {
  if (exponent == 1)
    return base;
  if (exponent == 2)
    return e.mul(base, base);
  if (exponent == 3)
    return e.mul(e.mul(base, base), base);
  if (exponent == -1 && isa<FloatType>(base.getType()))
    return e.div(e.constant(base, 1), base);
  return {};
}

static Value emitPower(ElementEmitter &e, Value base, Value exponent, ElementType baseType,
                       ElementType exponentType) {
  if (isFloat(baseType)) {
    Value converted = NodeContext::createScalarCast(
        e.builder, e.loc, exponent, getWideType(exponentType), getWideType(baseType));
    return e.emit<math::PowFOp>(base, converted);
  }
  if (!isFloat(exponentType))
    return emitIntegerPower(e, base, exponent, isUnsigned(exponentType));
  auto cast = [&](Value value, ElementType from, ElementType to) {
    return NodeContext::createScalarCast(e.builder, e.loc, value, from, to);
  };
  Value power =
      e.emit<math::PowFOp>(cast(base, baseType, ElementType::Double),
                           cast(exponent, getWideType(exponentType), ElementType::Double));
  return cast(power, ElementType::Double, baseType);
}

static LogicalResult importPow(NodeContext &ctx) {
  std::optional<double> splat = getSplat(ctx.getInput(1));
  return importElementwise(ctx, 2, [&](ElementEmitter &e, ValueRange v) {
    if (splat)
      if (Value power = emitSmallPower(e, v[0], *splat))
        return power;
    return emitPower(e, v[0], v[1], ctx.getElementType(0), ctx.getElementType(1));
  });
}

//===----------------------------------------------------------------------===//
// Any number of operands
//===----------------------------------------------------------------------===//

/// Folds the elements of all inputs from the left.
static LogicalResult importFold(NodeContext &ctx, BinaryBody body, bool isMean = false) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  unsigned count = ctx.getNumInputs();
  return importElementwise(ctx, count, [&](ElementEmitter &e, ValueRange v) {
    Value result = v[0];
    for (Value element : v.drop_front())
      result = body(e, result, element);
    return isMean ? e.div(result, e.constant(result, count)) : result;
  });
}

static LogicalResult importSum(NodeContext &ctx) {
  return importFold(ctx, [](ElementEmitter &e, Value a, Value b) { return e.add(a, b); });
}

static LogicalResult importMean(NodeContext &ctx) {
  return importFold(
      ctx, [](ElementEmitter &e, Value a, Value b) { return e.add(a, b); }, /*isMean=*/true);
}

static LogicalResult importMax(NodeContext &ctx) {
  bool compareUnsigned = isUnsigned(ctx.getElementType(0));
  return importFold(
      ctx, [&](ElementEmitter &e, Value a, Value b) { return e.max(a, b, compareUnsigned); });
}

static LogicalResult importMin(NodeContext &ctx) {
  bool compareUnsigned = isUnsigned(ctx.getElementType(0));
  return importFold(
      ctx, [&](ElementEmitter &e, Value a, Value b) { return e.min(a, b, compareUnsigned); });
}

static LogicalResult importWhere(NodeContext &ctx) {
  if (ctx.getElementType(0) != ElementType::Bool)
    return ctx.emitError() << "expects a condition of type bool, got "
                           << getElementTypeName(ctx.getElementType(0));
  if (ctx.getElementType(1) != ctx.getElementType(2))
    return ctx.emitError() << "expects inputs 1 and 2 of one type, got "
                           << getElementTypeName(ctx.getElementType(1)) << " and "
                           << getElementTypeName(ctx.getElementType(2));
  FailureOr<Value> result = ctx.createElementwise(
      {ctx.getInput(0), ctx.getInput(1), ctx.getInput(2)}, ctx.getInputType(1).getElementType(),
      [](OpBuilder &b, Location loc, ValueRange v) -> Value {
        return arith::SelectOp::create(b, loc, v[0], v[1], v[2]);
      });
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result, ctx.getElementType(1));
}

void udnn::onnx::registerArithmeticOperators(OperatorRegistry &registry) {
  constexpr TypeSet powerTypes = kFloatTypes | kIndexTypes;
  registry.add({"Add", {}, 2, 2, 1, kNumericTypes, importAdd});
  registry.add({"Div", {}, 2, 2, 1, kNumericTypes, importDiv});
  registry.add({"Max", {}, 1, kVariadic, 1, kNumericTypes, importMax});
  registry.add({"Mean", {}, 1, kVariadic, 1, kFloatTypes, importMean});
  registry.add({"Min", {}, 1, kVariadic, 1, kNumericTypes, importMin});
  registry.add({"Mod", {10}, 2, 2, 1, kNumericTypes, importMod});
  registry.add({"Mul", {}, 2, 2, 1, kNumericTypes, importMul});
  registry.add({"Pow", {}, 2, 2, 1, powerTypes, importPow});
  registry.add({"Sub", {}, 2, 2, 1, kNumericTypes, importSub});
  registry.add({"Sum", {}, 1, kVariadic, 1, kFloatTypes, importSum});
  registry.add({"Where", {9}, 3, 3, 1, kAllTypes, importWhere, /*typedInput=*/1});
}
