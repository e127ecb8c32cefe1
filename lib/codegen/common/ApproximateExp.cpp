//===- ApproximateExp.cpp - the exponential function of f32 -------------------===//
//
// A polynomial and two powers of two, with no other branches than the ends of the range.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"

using namespace mlir;
using namespace udnn::codegen;

namespace {

/// Below the first, e^x is less than half of the smallest subnormal number; above the second,
/// more than the largest number.
constexpr double kLowest = -104, kHighest = 89;

/// 1.5 * 2^23: added to a small number, it leaves the nearest integer in the low bits; its own low
/// ten bits are zero.
constexpr double kRounder = 12582912;

constexpr double kInverseLn2 = 1.4426950408889634;

/// (e^r - 1 - r) / r^2 on [-ln 2 / 2, ln 2 / 2], the lowest power first; by least squares of the
/// relative error of e^r.
constexpr double kExpPolynomial[] = {0.4999999403953552, 0.1666651964187622, 0.04166839271783829,
                                     0.008368782699108124, 0.0013814507983624935};

} // namespace

/// e^x = 2^n e^r with n = round(x / ln 2). 2^n is multiplied in two steps, each of which has an
/// exponent in the range of f32, so that results overflow and underflow as they should.
Value udnn::codegen::buildExp(FloatBuilder &b, Value x) {
  // Comparisons with NaN are false: it stays.
  x = b.select(arith::CmpFPredicate::OLT, x, b.f(kLowest), b.f(kLowest), x);
  x = b.select(arith::CmpFPredicate::OGT, x, b.f(kHighest), b.f(kHighest), x);

  Value rounded = b.fma(x, b.f(kInverseLn2), b.f(kRounder));
  Value n = arith::SubFOp::create(b, rounded, b.f(kRounder));
  Value r = b.fma(n, b.f(-kLn2Low), b.fma(n, b.f(-kLn2High), x));
  // Short chains: the processor's scheduler holds few of these operations at a time.
  Value square = arith::MulFOp::create(b, r, r);
  auto pair = [&](int k) { return b.fma(b.f(kExpPolynomial[k + 1]), r, b.f(kExpPolynomial[k])); };
  Value power = b.fma(b.f(kExpPolynomial[4]), square, pair(2));
  power = b.fma(power, square, pair(0));
  power = b.fma(power, square, arith::AddFOp::create(b, r, b.f(1)));

  // What is above the low bits is shifted out.
  Value bits = b.toBits(rounded), half = arith::ShRSIOp::create(b, bits, b.i(1));
  for (Value exponent : {half, Value(arith::SubIOp::create(b, bits, half))}) {
    Value shifted = arith::ShLIOp::create(b, exponent, b.i(23));
    Value factor = b.fromBits(arith::AddIOp::create(b, shifted, b.toBits(b.f(1))));
    power = arith::MulFOp::create(b, power, factor);
  }
  return power;
}
