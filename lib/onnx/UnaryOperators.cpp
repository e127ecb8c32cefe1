//===- UnaryOperators.cpp - functions of one element ------------------------===//
//
// Abs, Neg, Sign, rounding, roots, exponentials, trigonometry, Erf, Not, IsNaN, IsInf.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"

#include <limits>

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

/// An operator that is one operation of the math dialect.
template <typename MathOp>
static LogicalResult importMath(NodeContext &ctx) {
  return importElementwise(ctx, 1,
                           [](ElementEmitter &e, ValueRange v) { return e.emit<MathOp>(v[0]); });
}

static LogicalResult importAbs(NodeContext &ctx) {
  ElementType type = ctx.getElementType(0);
  return importElementwise(ctx, 1, [&](ElementEmitter &e, ValueRange v) -> Value {
    if (isFloat(type))
      return e.abs(v[0]);
    // The least integer is its own magnitude.
    if (isUnsigned(type))
      return v[0];
    return e.select(e.less(v[0], 0.0), e.sub(e.constant(v[0], 0), v[0]), v[0]);
  });
}

static LogicalResult importNeg(NodeContext &ctx) {
  return importElementwise(ctx, 1, [&](ElementEmitter &e, ValueRange v) -> Value {
    if (isFloat(ctx.getElementType(0)))
      return e.emit<arith::NegFOp>(v[0]);
    return e.sub(e.constant(v[0], 0), v[0]);
  });
}

static LogicalResult importSign(NodeContext &ctx) {
  bool isUnsignedInput = isUnsigned(ctx.getElementType(0));
  return importElementwise(ctx, 1, [&](ElementEmitter &e, ValueRange v) {
    Value x = v[0], one = e.constant(x, 1);
    if (isUnsignedInput)
      return e.min(x, one, /*isUnsigned=*/true);
    // Zero and NaN are their own sign.
    return e.select(e.greater(x, 0.0), one, e.select(e.less(x, 0.0), e.constant(x, -1), x));
  });
}

static LogicalResult importReciprocal(NodeContext &ctx) {
  return importElementwise(
      ctx, 1, [](ElementEmitter &e, ValueRange v) { return e.div(e.constant(v[0], 1), v[0]); });
}

static LogicalResult importNot(NodeContext &ctx) {
  return importElementwise(ctx, 1, [](ElementEmitter &e, ValueRange v) { return e.invert(v[0]); });
}

static LogicalResult importIsNaN(NodeContext &ctx) {
  return importPredicate(ctx, 1, [](ElementEmitter &e, ValueRange v) { return e.isNaN(v[0]); });
}

static LogicalResult importIsInf(NodeContext &ctx) {
  bool negative = ctx.getInt("detect_negative", 1), positive = ctx.getInt("detect_positive", 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return importPredicate(ctx, 1, [&](ElementEmitter &e, ValueRange v) -> Value {
    if (negative && positive)
      return e.equal(e.abs(v[0]), infinity);
    if (negative || positive)
      return e.equal(v[0], positive ? infinity : -infinity);
    return arith::ConstantIntOp::create(e.builder, e.loc, 0, 1);
  });
}

void udnn::onnx::registerUnaryOperators(OperatorRegistry &registry) {
  auto add = [&](const char *name, OpsetRange opsets, TypeSet types, ImportFunction import) {
    registry.add({name, opsets, 1, 1, 1, types, std::move(import)});
  };
  add("Abs", {}, kNumericTypes, importAbs);
  add("Acos", {}, kFloatTypes, importMath<math::AcosOp>);
  add("Acosh", {9}, kFloatTypes, importMath<math::AcoshOp>);
  add("Asin", {}, kFloatTypes, importMath<math::AsinOp>);
  add("Asinh", {9}, kFloatTypes, importMath<math::AsinhOp>);
  add("Atan", {}, kFloatTypes, importMath<math::AtanOp>);
  add("Atanh", {9}, kFloatTypes, importMath<math::AtanhOp>);
  add("BitwiseNot", {18}, kIntegerTypes, importNot);
  add("Ceil", {}, kFloatTypes, importMath<math::CeilOp>);
  add("Cos", {}, kFloatTypes, importMath<math::CosOp>);
  add("Cosh", {9}, kFloatTypes, importMath<math::CoshOp>);
  add("Erf", {9}, kFloatTypes, importMath<math::ErfOp>);
  add("Exp", {}, kFloatTypes, importMath<math::ExpOp>);
  add("Floor", {}, kFloatTypes, importMath<math::FloorOp>);
  add("IsInf", {10}, kFloatTypes, importIsInf);
  add("IsNaN", {9}, kFloatTypes, importIsNaN);
  add("Log", {}, kFloatTypes, importMath<math::LogOp>);
  add("Neg", {}, kFloatTypes | kSignedTypes, importNeg);
  add("Not", {}, kBoolType, importNot);
  add("Reciprocal", {}, kFloatTypes, importReciprocal);
  add("Round", {11}, kFloatTypes, importMath<math::RoundEvenOp>);
  add("Sign", {9}, kNumericTypes, importSign);
  add("Sin", {}, kFloatTypes, importMath<math::SinOp>);
  add("Sinh", {9}, kFloatTypes, importMath<math::SinhOp>);
  add("Sqrt", {}, kFloatTypes, importMath<math::SqrtOp>);
  add("Tan", {}, kFloatTypes, importMath<math::TanOp>);
  add("Tanh", {}, kFloatTypes, importMath<math::TanhOp>);
}
