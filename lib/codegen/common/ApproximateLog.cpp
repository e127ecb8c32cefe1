//===- ApproximateLog.cpp - the natural logarithm of f32 ---------------------===//
//
// An exponent and a polynomial of what is left.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"

#include <limits>

using namespace mlir;
using namespace udnn::codegen;

namespace {

/// The bits of 2/3 as f32.
constexpr int64_t kTwoThirds = 0x3f2aaaab;

/// What subnormal numbers are multiplied by, as a power of two.
constexpr int64_t kScale = 24;

/// (ln(1 + r) - r + r^2 / 2) / r^3 on [-1/3, 1/3], the lowest power first; by least squares whose
/// weights even out the relative error of the logarithm.
constexpr double kLogPolynomial[] = {
    0.3333320617675781, -0.24999888241291046, 0.20010773837566376, -0.16676385700702667,
    0.1400095820426941, -0.12240918725728989, 0.14005091786384583, -0.12646690011024475};

} // namespace

/// ln x = n ln 2 + ln(1 + r) with x = 2^n (1 + r) and r from -1/3 to 1/3.
Value udnn::codegen::buildLog(FloatBuilder &b, Value x) {
  using Predicate = arith::CmpFPredicate;
  Value least = b.f(std::numeric_limits<float>::min()), zero = b.f(0);
  Value scaled = arith::MulFOp::create(b, x, b.f(int64_t(1) << kScale));
  Value normal = b.select(Predicate::OLT, x, least, scaled, x);
  Value extra = b.select(Predicate::OLT, x, least, b.f(-kScale), zero);

  Value bits = b.toBits(normal);
  Value distance = arith::SubIOp::create(b, bits, b.i(kTwoThirds));
  Value exponent = arith::ShRSIOp::create(b, distance, b.i(23));
  Value fraction = arith::SubIOp::create(b, bits, arith::ShLIOp::create(b, exponent, b.i(23)));
  Value r = arith::SubFOp::create(b, b.fromBits(fraction), b.f(1));
  Value n = arith::AddFOp::create(b, arith::SIToFPOp::create(b, b.getFloats(), exponent), extra);

  // Short chains: the processor's scheduler holds few of these operations at a time.
  Value square = arith::MulFOp::create(b, r, r);
  auto pair = [&](int k) { return b.fma(b.f(kLogPolynomial[k + 1]), r, b.f(kLogPolynomial[k])); };
  Value power = b.fma(pair(6), square, pair(4));
  power = b.fma(power, square, pair(2));
  power = b.fma(power, square, pair(0));
  // From the smallest term to the largest one.
  Value cube = arith::MulFOp::create(b, square, r);
  Value sum = b.fma(power, cube, arith::MulFOp::create(b, n, b.f(kLn2Low)));
  sum = arith::AddFOp::create(b, r, b.fma(square, b.f(-0.5), sum));
  sum = b.fma(n, b.f(kLn2High), sum);

  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  sum = b.select(Predicate::OEQ, x, b.f(infinity), x, sum);
  Value other = b.select(Predicate::OEQ, x, zero, b.f(-infinity), b.f(nan));
  return b.select(Predicate::OGT, x, zero, sum, other);
}
