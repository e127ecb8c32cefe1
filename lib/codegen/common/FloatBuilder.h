//===- FloatBuilder.h - arithmetic on f32 and its bits -----------*- C++ -*-===//
//
// What approximations of functions are written in: numbers and vectors alike.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CODEGEN_COMMON_FLOATBUILDER_H
#define UDNN_LIB_CODEGEN_COMMON_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace udnn::codegen {

/// ln 2 as the sum of two f32.
inline constexpr double kLn2High = 0.693147182464599609375, kLn2Low = -1.904654323148236e-09;

/// Builds operations on values of one type, f32 or vectors of it.
class FloatBuilder : public mlir::ImplicitLocOpBuilder {
public:
  FloatBuilder(mlir::Location loc, mlir::OpBuilder &builder, mlir::Type floats);

  mlir::Type getFloats() const { return floats; }
  /// i32, or vectors of it.
  mlir::Type getIntegers() const { return integers; }

  /// Constants.
  mlir::Value f(double value);
  mlir::Value i(int64_t value);

  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// `yes` where the comparison of `a` with `b` holds, else `no`.
  mlir::Value select(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b,
                     mlir::Value yes, mlir::Value no);
  mlir::Value toBits(mlir::Value value);
  mlir::Value fromBits(mlir::Value bits);

private:
  mlir::Value makeConstant(mlir::Type type, mlir::TypedAttr value);

  mlir::Type floats, integers;
};

/// e^x within 1.3 units in the last place, subnormal results, infinities and NaN included.
mlir::Value buildExp(FloatBuilder &b, mlir::Value x);

/// The natural logarithm within one unit in the last place, subnormal numbers included.
mlir::Value buildLog(FloatBuilder &b, mlir::Value x);

} // namespace udnn::codegen

#endif // UDNN_LIB_CODEGEN_COMMON_FLOATBUILDER_H
