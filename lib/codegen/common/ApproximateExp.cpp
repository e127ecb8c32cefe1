//===- ApproximateExp.cpp - the exponential function of f32 -------------------===//
//
// A polynomial and two powers of two, without branches and selections: right to one unit in the
// last place over the whole range, denormal results, infinities and NaN included.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {

/// Below the first, e^x is less than half of the smallest denormal number; above the second,
/// more than the largest number.
constexpr double kLowest = -104, kHighest = 89;

/// 1.5 * 2^23: added to a small number, it leaves the nearest integer in the low bits; its own low
/// ten bits are zero.
constexpr double kRounder = 12582912;

constexpr double kInverseLn2 = 1.4426950408889634;
/// ln 2 as the sum of two f32.
constexpr double kLn2High = 0.693147182464599609375, kLn2Low = -1.904654323148236e-09;

/// e^r on [-ln 2 / 2, ln 2 / 2], the lowest power first; by least squares of the relative error.
constexpr double kPolynomial[] = {1,
                                  1,
                                  0.4999999403953552,
                                  0.1666651964187622,
                                  0.04166839271783829,
                                  0.008368782699108124,
                                  0.0013814507983624935};

struct ApproximateExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "only f32 is approximated");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, build(b, op.getOperand()));
    return success();
  }

private:
  static Value build(ImplicitLocOpBuilder &b, Value x);
};

} // namespace

/// `value` in all elements of a type like `type`.
static Value makeConstant(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, ArrayRef<Attribute>(value));
  return arith::ConstantOp::create(b, value);
}

/// e^x = 2^n e^r with n = round(x / ln 2). 2^n is multiplied in two steps, each of which has an
/// exponent in the range of f32, so that results overflow and underflow as they should.
Value ApproximateExp::build(ImplicitLocOpBuilder &b, Value x) {
  Type floats = x.getType(), integers = b.getI32Type();
  if (auto shaped = dyn_cast<ShapedType>(floats))
    integers = shaped.clone(integers);
  auto f = [&](double value) { return makeConstant(b, floats, b.getF32FloatAttr(value)); };
  auto i = [&](int64_t value) { return makeConstant(b, integers, b.getI32IntegerAttr(value)); };
  auto fma = [&](Value a, Value factor, Value c) -> Value {
    return math::FmaOp::create(b, a, factor, c);
  };
  // Comparisons with NaN are false: it stays.
  auto clamp = [&](arith::CmpFPredicate predicate, Value bound) {
    x = arith::SelectOp::create(b, arith::CmpFOp::create(b, predicate, x, bound), bound, x);
  };
  clamp(arith::CmpFPredicate::OLT, f(kLowest));
  clamp(arith::CmpFPredicate::OGT, f(kHighest));

  Value rounded = fma(x, f(kInverseLn2), f(kRounder));
  Value n = arith::SubFOp::create(b, rounded, f(kRounder));
  Value r = fma(n, f(-kLn2Low), fma(n, f(-kLn2High), x));
  // Short chains: the processor's scheduler holds few of these operations at a time.
  Value square = arith::MulFOp::create(b, r, r);
  auto pair = [&](int k) { return fma(f(kPolynomial[k + 1]), r, f(kPolynomial[k])); };
  Value power = fma(f(kPolynomial[6]), square, pair(4));
  power = fma(power, square, pair(2));
  power = fma(power, square, arith::AddFOp::create(b, r, f(1)));

  // What is above the low bits is shifted out.
  Value bits = arith::BitcastOp::create(b, integers, rounded);
  Value half = arith::ShRSIOp::create(b, bits, i(1));
  Value otherHalf = arith::SubIOp::create(b, bits, half);
  Value one = arith::BitcastOp::create(b, integers, f(1));
  for (Value exponent : {half, otherHalf}) {
    Value factor = arith::AddIOp::create(b, arith::ShLIOp::create(b, exponent, i(23)), one);
    power = arith::MulFOp::create(b, power, arith::BitcastOp::create(b, floats, factor));
  }
  return power;
}

void udnn::codegen::populateApproximateExpPattern(RewritePatternSet &patterns) {
  patterns.add<ApproximateExp>(patterns.getContext());
}
