//===- LaneSteps.cpp - the operations of a lane program ----------------------===//
//
// What every operation of arith and math does to the lanes of its operands.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Half.h"
#include "LaneProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace udnn {

using Step = std::function<bool(char *registers, int64_t lanes)>;

//===----------------------------------------------------------------------===//
// Loops over lanes
//===----------------------------------------------------------------------===//

template <typename R, typename A, typename F>
static Step map1(int64_t result, ArrayRef<int64_t> in, F f) {
  return [=, a = in[0]](char *registers, int64_t lanes) {
    R *r = reinterpret_cast<R *>(registers + result);
    const A *x = reinterpret_cast<const A *>(registers + a);
    for (int64_t i = 0; i < lanes; ++i)
      r[i] = R(f(x[i]));
    return true;
  };
}

template <typename R, typename A, typename F>
static Step map2(int64_t result, ArrayRef<int64_t> in, F f) {
  return [=, a = in[0], b = in[1]](char *registers, int64_t lanes) {
    R *r = reinterpret_cast<R *>(registers + result);
    const A *x = reinterpret_cast<const A *>(registers + a);
    const A *y = reinterpret_cast<const A *>(registers + b);
    for (int64_t i = 0; i < lanes; ++i)
      r[i] = R(f(x[i], y[i]));
    return true;
  };
}

/// Rounds the lanes of a 16-bit type after `step`, which computed them in float.
static Step rounded(Type type, int64_t result, Step step) {
  if (!type.isF16() && !type.isBF16())
    return step;
  bool half = type.isF16();
  return [=, step = std::move(step)](char *registers, int64_t lanes) {
    if (!step(registers, lanes))
      return false;
    float *r = reinterpret_cast<float *>(registers + result);
    for (int64_t i = 0; i < lanes; ++i)
      r[i] = half ? floatFromFloat16(float16FromFloat(r[i]))
                  : floatFromBFloat16(bfloat16FromFloat(r[i]));
    return true;
  };
}

template <typename F>
static Step float1(Type type, int64_t result, ArrayRef<int64_t> in, F f) {
  if (type.isF64())
    return map1<double, double>(result, in, f);
  return rounded(type, result, map1<float, float>(result, in, f));
}

template <typename F>
static Step float2(Type type, int64_t result, ArrayRef<int64_t> in, F f) {
  if (type.isF64())
    return map2<double, double>(result, in, f);
  return rounded(type, result, map2<float, float>(result, in, f));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static int64_t getWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

/// The low `width` bits, sign-extended.
static int64_t wrap(uint64_t value, int64_t width) {
  return int64_t(value << (64 - width)) >> (64 - width);
}

static uint64_t mask(uint64_t value, int64_t width) {
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

/// `f` on sign-extended values.
template <typename F>
static Step signed2(Type type, int64_t result, ArrayRef<int64_t> in, F f) {
  int64_t width = getWidth(type);
  return map2<int64_t, int64_t>(result, in,
                                [=](int64_t a, int64_t b) { return wrap(f(a, b), width); });
}

/// `f` on zero-extended values.
template <typename F>
static Step unsigned2(Type type, int64_t result, ArrayRef<int64_t> in, F f) {
  int64_t width = getWidth(type);
  return map2<int64_t, int64_t>(result, in, [=](int64_t a, int64_t b) {
    return wrap(f(mask(a, width), mask(b, width)), width);
  });
}

/// Runs `step` unless the divisor is zero in a lane, or the quotient overflows.
static Step guarded(Type type, ArrayRef<int64_t> in, bool isSigned, Step step) {
  int64_t smallest = std::numeric_limits<int64_t>::min() >> (64 - getWidth(type));
  return [=, a = in[0], b = in[1], step = std::move(step)](char *registers, int64_t lanes) {
    const int64_t *x = reinterpret_cast<const int64_t *>(registers + a);
    const int64_t *y = reinterpret_cast<const int64_t *>(registers + b);
    for (int64_t i = 0; i < lanes; ++i)
      if (y[i] == 0 || (isSigned && y[i] == -1 && x[i] == smallest))
        return false;
    return step(registers, lanes);
  };
}

template <typename F>
static Step signedDivision(Type type, int64_t result, ArrayRef<int64_t> in, F f) {
  return guarded(type, in, true, signed2(type, result, in, f));
}

template <typename F>
static Step unsignedDivision(Type type, int64_t result, ArrayRef<int64_t> in, F f) {
  return guarded(type, in, false, unsigned2(type, result, in, f));
}

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

static int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + ((a % b != 0) && ((a < 0) == (b < 0)));
}

/// A shift whose amount reaches the width is poison: gives zero.
template <typename F>
static auto shift(Type type, F f) {
  int64_t width = getWidth(type);
  return [=](auto a, auto b) {
    return uint64_t(b) < uint64_t(width) ? f(a, b) : decltype(f(a, b))(0);
  };
}

static Step makeIntegerStep(Operation &op, Type type, int64_t r, ArrayRef<int64_t> in) {
  using U = uint64_t;
  return TypeSwitch<Operation *, Step>(&op)
      .Case([&](arith::AddIOp) { return signed2(type, r, in, [](U a, U b) { return a + b; }); })
      .Case([&](arith::SubIOp) { return signed2(type, r, in, [](U a, U b) { return a - b; }); })
      .Case([&](arith::MulIOp) { return signed2(type, r, in, [](U a, U b) { return a * b; }); })
      .Case([&](arith::AndIOp) { return signed2(type, r, in, [](U a, U b) { return a & b; }); })
      .Case([&](arith::OrIOp) { return signed2(type, r, in, [](U a, U b) { return a | b; }); })
      .Case([&](arith::XOrIOp) { return signed2(type, r, in, [](U a, U b) { return a ^ b; }); })
      .Case([&](arith::MaxSIOp) {
        return signed2(type, r, in, [](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinSIOp) {
        return signed2(type, r, in, [](int64_t a, int64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::MaxUIOp) {
        return unsigned2(type, r, in, [](U a, U b) { return std::max(a, b); });
      })
      .Case([&](arith::MinUIOp) {
        return unsigned2(type, r, in, [](U a, U b) { return std::min(a, b); });
      })
      .Case([&](arith::ShLIOp) {
        return unsigned2(type, r, in, shift(type, [](U a, U b) { return a << b; }));
      })
      .Case([&](arith::ShRUIOp) {
        return unsigned2(type, r, in, shift(type, [](U a, U b) { return a >> b; }));
      })
      .Case([&](arith::ShRSIOp) {
        return signed2(type, r, in, shift(type, [](int64_t a, int64_t b) { return a >> b; }));
      })
      .Case([&](arith::DivSIOp) {
        return signedDivision(type, r, in, [](int64_t a, int64_t b) { return a / b; });
      })
      .Case([&](arith::RemSIOp) {
        return signedDivision(type, r, in, [](int64_t a, int64_t b) { return a % b; });
      })
      .Case([&](arith::FloorDivSIOp) { return signedDivision(type, r, in, floorDiv); })
      .Case([&](arith::CeilDivSIOp) { return signedDivision(type, r, in, ceilDiv); })
      .Case([&](arith::DivUIOp) {
        return unsignedDivision(type, r, in, [](U a, U b) { return a / b; });
      })
      .Case([&](arith::RemUIOp) {
        return unsignedDivision(type, r, in, [](U a, U b) { return a % b; });
      })
      .Case([&](arith::CeilDivUIOp) {
        return unsignedDivision(type, r, in, [](U a, U b) { return a / b + (a % b != 0); });
      })
      .Case([&](math::AbsIOp) {
        int64_t width = getWidth(type);
        return map1<int64_t, int64_t>(
            r, in, [=](int64_t a) { return wrap(a < 0 ? 0 - U(a) : U(a), width); });
      })
      .Default([](Operation *) { return Step(); });
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// IEEE 754-2019 maximum and minimum: NaN wins, -0 is below +0.
template <typename T>
static T maximum(T a, T b) {
  if (a != a || b != b)
    return a != a ? a : b;
  return a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b);
}

template <typename T>
static T minimum(T a, T b) {
  if (a != a || b != b)
    return a != a ? a : b;
  return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
}

#define UDNN_FLOAT1(OP, EXPR)                                                                      \
  .Case([&](OP) { return float1(type, r, in, [](auto x) { return EXPR; }); })
#define UDNN_FLOAT2(OP, EXPR)                                                                      \
  .Case([&](OP) { return float2(type, r, in, [](auto x, auto y) { return EXPR; }); })

static Step makeFloatStep(Operation &op, Type type, int64_t r, ArrayRef<int64_t> in) {
  // One operation per line, which clang-format would nest.
  // clang-format off
  return TypeSwitch<Operation *, Step>(&op)
      UDNN_FLOAT2(arith::AddFOp, x + y)
      UDNN_FLOAT2(arith::SubFOp, x - y)
      UDNN_FLOAT2(arith::MulFOp, x * y)
      UDNN_FLOAT2(arith::DivFOp, x / y)
      UDNN_FLOAT2(arith::RemFOp, std::fmod(x, y))
      UDNN_FLOAT2(arith::MaximumFOp, maximum(x, y))
      UDNN_FLOAT2(arith::MinimumFOp, minimum(x, y))
      UDNN_FLOAT2(arith::MaxNumFOp, std::fmax(x, y))
      UDNN_FLOAT2(arith::MinNumFOp, std::fmin(x, y))
      UDNN_FLOAT2(math::PowFOp, std::pow(x, y))
      UDNN_FLOAT2(math::Atan2Op, std::atan2(x, y))
      UDNN_FLOAT2(math::CopySignOp, std::copysign(x, y))
      UDNN_FLOAT1(arith::NegFOp, -x)
      UDNN_FLOAT1(math::AbsFOp, std::fabs(x))
      UDNN_FLOAT1(math::CeilOp, std::ceil(x))
      UDNN_FLOAT1(math::FloorOp, std::floor(x))
      UDNN_FLOAT1(math::RoundOp, std::round(x))
      UDNN_FLOAT1(math::RoundEvenOp, std::nearbyint(x))
      UDNN_FLOAT1(math::TruncOp, std::trunc(x))
      UDNN_FLOAT1(math::SqrtOp, std::sqrt(x))
      UDNN_FLOAT1(math::RsqrtOp, 1 / std::sqrt(x))
      UDNN_FLOAT1(math::CbrtOp, std::cbrt(x))
      UDNN_FLOAT1(math::ExpOp, std::exp(x))
      UDNN_FLOAT1(math::Exp2Op, std::exp2(x))
      UDNN_FLOAT1(math::ExpM1Op, std::expm1(x))
      UDNN_FLOAT1(math::LogOp, std::log(x))
      UDNN_FLOAT1(math::Log2Op, std::log2(x))
      UDNN_FLOAT1(math::Log10Op, std::log10(x))
      UDNN_FLOAT1(math::Log1pOp, std::log1p(x))
      UDNN_FLOAT1(math::SinOp, std::sin(x))
      UDNN_FLOAT1(math::CosOp, std::cos(x))
      UDNN_FLOAT1(math::TanOp, std::tan(x))
      UDNN_FLOAT1(math::AsinOp, std::asin(x))
      UDNN_FLOAT1(math::AcosOp, std::acos(x))
      UDNN_FLOAT1(math::AtanOp, std::atan(x))
      UDNN_FLOAT1(math::SinhOp, std::sinh(x))
      UDNN_FLOAT1(math::CoshOp, std::cosh(x))
      UDNN_FLOAT1(math::TanhOp, std::tanh(x))
      UDNN_FLOAT1(math::AsinhOp, std::asinh(x))
      UDNN_FLOAT1(math::AcoshOp, std::acosh(x))
      UDNN_FLOAT1(math::AtanhOp, std::atanh(x))
      UDNN_FLOAT1(math::ErfOp, std::erf(x))
      UDNN_FLOAT1(math::ErfcOp, std::erfc(x))
      .Default([](Operation *) { return Step(); });
  // clang-format on
}

#undef UDNN_FLOAT1
#undef UDNN_FLOAT2

template <typename T>
static Step makeFma(int64_t result, ArrayRef<int64_t> in) {
  return [=, a = in[0], b = in[1], c = in[2]](char *registers, int64_t lanes) {
    auto at = [&](int64_t offset) { return reinterpret_cast<T *>(registers + offset); };
    for (int64_t i = 0; i < lanes; ++i)
      at(result)[i] = std::fma(at(a)[i], at(b)[i], at(c)[i]);
    return true;
  };
}

//===----------------------------------------------------------------------===//
// Comparisons and selection
//===----------------------------------------------------------------------===//

template <typename T>
static bool compare(arith::CmpFPredicate predicate, T a, T b) {
  bool unordered = a != a || b != b;
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, int64_t width) {
  uint64_t ua = mask(a, width), ub = mask(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

template <typename T>
static Step makeSelect(int64_t result, ArrayRef<int64_t> in) {
  return [=, a = in[0], b = in[1], c = in[2]](char *registers, int64_t lanes) {
    T *r = reinterpret_cast<T *>(registers + result);
    const int64_t *condition = reinterpret_cast<const int64_t *>(registers + a);
    const T *x = reinterpret_cast<const T *>(registers + b);
    const T *y = reinterpret_cast<const T *>(registers + c);
    for (int64_t i = 0; i < lanes; ++i)
      r[i] = condition[i] ? x[i] : y[i];
    return true;
  };
}

static Step makeChoiceStep(Operation &op, Type type, int64_t r, ArrayRef<int64_t> in) {
  Type operand = getElementTypeOrSelf(op.getOperand(0));
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    int64_t width = getWidth(operand);
    return map2<int64_t, int64_t>(r, in, [=, predicate = cmp.getPredicate()](int64_t a, int64_t b) {
      return -int64_t(compare(predicate, a, b, width));
    });
  }
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    auto f = [predicate = cmp.getPredicate()](auto a, auto b) {
      return -int64_t(compare(predicate, a, b));
    };
    return operand.isF64() ? map2<int64_t, double>(r, in, f) : map2<int64_t, float>(r, in, f);
  }
  if (isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op)) {
    bool nan = isa<math::IsNaNOp>(op), inf = isa<math::IsInfOp>(op);
    auto f = [=](auto a) {
      return -int64_t(nan ? std::isnan(a) : inf ? std::isinf(a) : std::isfinite(a));
    };
    return operand.isF64() ? map1<int64_t, double>(r, in, f) : map1<int64_t, float>(r, in, f);
  }
  if (!isa<arith::SelectOp>(op))
    return Step();
  switch (getLaneKind(type)) {
  case LaneKind::Float:
    return makeSelect<float>(r, in);
  case LaneKind::Double:
    return makeSelect<double>(r, in);
  case LaneKind::Integer:
    return makeSelect<int64_t>(r, in);
  }
  return Step();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Float to integer. Out of range values are poison; they saturate here, and NaN becomes zero.
template <typename T>
static int64_t toInteger(T value, int64_t width, bool isUnsigned) {
  if (value != value)
    return 0;
  double v = std::trunc(double(value));
  double low = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  double high = std::ldexp(1.0, isUnsigned ? width : width - 1); // one above the largest
  if (v < low)
    return isUnsigned ? 0 : wrap(uint64_t(1) << (width - 1), width);
  if (v >= high)
    return isUnsigned ? -1 : int64_t(mask(~uint64_t(0), width - 1));
  return isUnsigned ? wrap(uint64_t(v), width) : int64_t(v);
}

/// Integer to float: f16 and bf16 by way of double rounded to odd, so that it rounds once.
template <typename F>
static Step fromInteger(Type type, int64_t r, ArrayRef<int64_t> in, F widen) {
  if (type.isF64())
    return map1<double, int64_t>(r, in, widen);
  if (type.isF32())
    return map1<float, int64_t>(r, in, widen);
  return rounded(type, r, map1<float, int64_t>(r, in, [=](int64_t v) {
                   return roundToOdd(double(widen(v)));
                 }));
}

static Step makeBitcast(Type from, Type to, int64_t r, int64_t a) {
  return [=](char *registers, int64_t lanes) {
    char bytes[LaneProgram::kLanes * 8];
    storeLanes(from, registers + a, bytes, 1, lanes);
    loadLanes(to, registers + r, bytes, 1, lanes);
    return true;
  };
}

static Step makeConversionStep(Operation &op, Type type, int64_t r, ArrayRef<int64_t> in) {
  Type from = getElementTypeOrSelf(op.getOperand(0));
  if (!getElementBytes(from))
    return Step();
  if (isa<arith::BitcastOp>(op))
    return getElementBytes(from) == getElementBytes(type) ? makeBitcast(from, type, r, in[0])
                                                          : Step();
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    auto same = [](auto v) { return v; };
    if (from.isF64() && type.isF32())
      return map1<float, double>(r, in, same);
    if (from.isF64())
      return rounded(type, r, map1<float, double>(r, in, roundToOdd));
    if (type.isF64())
      return map1<double, float>(r, in, same);
    return rounded(type, r, map1<float, float>(r, in, same));
  }
  if (isa<arith::SIToFPOp>(op))
    return fromInteger(type, r, in, [](int64_t v) { return v; });
  if (isa<arith::UIToFPOp>(op))
    return fromInteger(type, r, in, [width = getWidth(from)](int64_t v) { return mask(v, width); });
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    auto f = [width = getWidth(type), isUnsigned = isa<arith::FPToUIOp>(op)](auto v) {
      return toInteger(v, width, isUnsigned);
    };
    return from.isF64() ? map1<int64_t, double>(r, in, f) : map1<int64_t, float>(r, in, f);
  }
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
    return map1<int64_t, int64_t>(
        r, in, [a = getWidth(from), b = getWidth(type)](int64_t v) { return wrap(mask(v, a), b); });
  }
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return map1<int64_t, int64_t>(r, in, [b = getWidth(type)](int64_t v) { return wrap(v, b); });
  return Step();
}

Step LaneProgram::makeStep(Operation &op, int64_t result, ArrayRef<int64_t> operands) {
  Type type = getElementTypeOrSelf(op.getResult(0));
  if (operands.empty())
    return Step();
  if (isa<math::FmaOp>(op))
    return type.isF64() ? makeFma<double>(result, operands)
                        : rounded(type, result, makeFma<float>(result, operands));
  if (isa<arith::CmpIOp, arith::CmpFOp, arith::SelectOp, math::IsNaNOp, math::IsInfOp,
          math::IsFiniteOp>(op))
    return makeChoiceStep(op, type, result, operands);
  if (Step step = makeConversionStep(op, type, result, operands))
    return step;
  if (isa<FloatType>(type))
    return makeFloatStep(op, type, result, operands);
  return makeIntegerStep(op, type, result, operands);
}

} // namespace udnn
