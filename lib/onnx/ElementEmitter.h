//===- ElementEmitter.h - scalar computations of element-wise operators --*- C++ -*-===//
//
// Short names for the scalar operations in the bodies of element-wise operators, and the imports
// that apply such a computation to all elements. float16 and bfloat16 are computed in float.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_ELEMENTEMITTER_H
#define UDNN_LIB_ONNX_ELEMENTEMITTER_H

#include "NodeContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace udnn::onnx {

/// Emits scalar operations at one place. Operands of one operation have one type.
class ElementEmitter {
public:
  ElementEmitter(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// Any operation with one result.
  template <typename Op, typename... Args>
  mlir::Value emit(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }

  /// A number of the type of `like`.
  mlir::Value constant(mlir::Value like, double value) {
    return NodeContext::createScalar(builder, loc, like.getType(), value);
  }

  // Floats or integers, by the operands' type.
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, double b) { return add(a, constant(a, b)); }
  mlir::Value mul(mlir::Value a, double b) { return mul(a, constant(a, b)); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return emit<mlir::arith::DivFOp>(a, b); }
  /// NaN of either operand is the result.
  mlir::Value max(mlir::Value a, mlir::Value b, bool isUnsigned = false);
  mlir::Value min(mlir::Value a, mlir::Value b, bool isUnsigned = false);
  mlir::Value max(mlir::Value a, double b) { return max(a, constant(a, b)); }
  mlir::Value min(mlir::Value a, double b) { return min(a, constant(a, b)); }

  // Comparisons; false for NaN.
  mlir::Value less(mlir::Value a, mlir::Value b, bool isUnsigned = false);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, double b) { return less(a, constant(a, b)); }
  mlir::Value greater(mlir::Value a, double b) { return less(constant(a, b), a); }
  mlir::Value equal(mlir::Value a, double b) { return equal(a, constant(a, b)); }
  mlir::Value isNaN(mlir::Value a) {
    return emit<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::UNO, a, a);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return emit<mlir::arith::SelectOp>(condition, a, b);
  }
  mlir::Value invert(mlir::Value condition);

  // Functions of floats.
  mlir::Value exp(mlir::Value a) { return emit<mlir::math::ExpOp>(a); }
  mlir::Value abs(mlir::Value a) { return emit<mlir::math::AbsFOp>(a); }
  mlir::Value sigmoid(mlir::Value a);
  mlir::Value softplus(mlir::Value a);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// float for float16 and bfloat16, else the type itself.
mlir::Type getWideType(mlir::Type type);
ElementType getWideType(ElementType type);

using WideBody = llvm::function_ref<mlir::Value(ElementEmitter &, mlir::ValueRange)>;

/// Emits `body` on elements widened from `type`, and narrows the result to `type` again.
mlir::Value emitWide(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange elements,
                     mlir::Type type, WideBody body);

/// Sets output 0 to `body` of the first `numInputs` inputs, broadcast, in the type of input 0.
mlir::LogicalResult importElementwise(NodeContext &ctx, unsigned numInputs, WideBody body);

/// The same with a result of type bool; the elements are widened.
mlir::LogicalResult importPredicate(NodeContext &ctx, unsigned numInputs, WideBody body);

/// Fails when the inputs from 1 on have another element type than input 0.
mlir::LogicalResult checkSameTypes(NodeContext &ctx);

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_ELEMENTEMITTER_H
