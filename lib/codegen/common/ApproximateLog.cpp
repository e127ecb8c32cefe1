//===- ApproximateLog.cpp - the natural logarithm of f32 ---------------------===//
//
// The logarithm as a polynomial, to one unit in the last place, subnormal numbers included.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace {

/// The bits of 2/3 as f32.
constexpr int64_t kTwoThirds = 0x3f2aaaab;

/// What subnormal numbers are multiplied by, as a power of two.
constexpr int64_t kScale = 24;

/// ln 2 as the sum of two f32.
constexpr double kLn2High = 0.693147182464599609375, kLn2Low = -1.904654323148236e-09;

/// (ln(1 + r) - r + r^2 / 2) / r^3 on [-1/3, 1/3], the lowest power first; by least squares whose
/// weights even out the relative error of the logarithm.
constexpr double kPolynomial[] = {0.3333320617675781,   -0.24999888241291046, 0.20010773837566376,
                                  -0.16676385700702667, 0.1400095820426941,   -0.12240918725728989,
                                  0.14005091786384583,  -0.12646690011024475};

struct ApproximateLog : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
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

/// ln x = n ln 2 + ln(1 + r) with x = 2^n (1 + r) and r from -1/3 to 1/3.
Value ApproximateLog::build(ImplicitLocOpBuilder &b, Value x) {
  Type floats = x.getType(), integers = b.getI32Type();
  if (auto shaped = dyn_cast<ShapedType>(floats))
    integers = shaped.clone(integers);
  auto f = [&](double value) { return makeConstant(b, floats, b.getF32FloatAttr(value)); };
  auto i = [&](int64_t value) { return makeConstant(b, integers, b.getI32IntegerAttr(value)); };
  auto fma = [&](Value a, Value factor, Value c) -> Value {
    return math::FmaOp::create(b, a, factor, c);
  };
  auto select = [&](arith::CmpFPredicate predicate, Value bound, Value yes, Value no) -> Value {
    Value condition = arith::CmpFOp::create(b, predicate, x, bound);
    return arith::SelectOp::create(b, condition, yes, no);
  };
  Value least = f(std::numeric_limits<float>::min()), zero = f(0);
  Value scaled = arith::MulFOp::create(b, x, f(int64_t(1) << kScale));
  Value normal = select(arith::CmpFPredicate::OLT, least, scaled, x);
  Value extra = select(arith::CmpFPredicate::OLT, least, f(-kScale), zero);

  Value bits = arith::BitcastOp::create(b, integers, normal);
  Value distance = arith::SubIOp::create(b, bits, i(kTwoThirds));
  Value exponent = arith::ShRSIOp::create(b, distance, i(23));
  Value fraction = arith::SubIOp::create(b, bits, arith::ShLIOp::create(b, exponent, i(23)));
  Value r = arith::SubFOp::create(b, arith::BitcastOp::create(b, floats, fraction), f(1));
  Value n = arith::AddFOp::create(b, arith::SIToFPOp::create(b, floats, exponent), extra);

  // Short chains: the processor's scheduler holds few of these operations at a time.
  Value square = arith::MulFOp::create(b, r, r);
  auto pair = [&](int k) { return fma(f(kPolynomial[k + 1]), r, f(kPolynomial[k])); };
  Value power = fma(pair(6), square, pair(4));
  power = fma(power, square, pair(2));
  power = fma(power, square, pair(0));
  // From the smallest term to the largest one.
  Value cube = arith::MulFOp::create(b, square, r);
  Value sum = fma(power, cube, arith::MulFOp::create(b, n, f(kLn2Low)));
  sum = arith::AddFOp::create(b, r, fma(square, f(-0.5), sum));
  sum = fma(n, f(kLn2High), sum);

  double infinity = std::numeric_limits<double>::infinity();
  Value other = select(arith::CmpFPredicate::OEQ, zero, f(-infinity),
                       f(std::numeric_limits<double>::quiet_NaN()));
  sum = select(arith::CmpFPredicate::OEQ, f(infinity), x, sum);
  return select(arith::CmpFPredicate::OGT, zero, sum, other);
}

void udnn::codegen::populateApproximateLogPattern(RewritePatternSet &patterns) {
  patterns.add<ApproximateLog>(patterns.getContext());
}
