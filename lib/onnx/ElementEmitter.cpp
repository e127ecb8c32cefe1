//===- ElementEmitter.cpp - scalar computations of element-wise operators ----===//
//
// Scalar operations on floats or integers, and their application to all elements.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

static bool isFloatValue(Value value) { return isa<FloatType>(value.getType()); }

Value ElementEmitter::add(Value a, Value b) {
  return isFloatValue(a) ? emit<arith::AddFOp>(a, b) : emit<arith::AddIOp>(a, b);
}

Value ElementEmitter::sub(Value a, Value b) {
  return isFloatValue(a) ? emit<arith::SubFOp>(a, b) : emit<arith::SubIOp>(a, b);
}

Value ElementEmitter::mul(Value a, Value b) {
  return isFloatValue(a) ? emit<arith::MulFOp>(a, b) : emit<arith::MulIOp>(a, b);
}

Value ElementEmitter::max(Value a, Value b, bool isUnsigned) {
  if (isFloatValue(a))
    return emit<arith::MaximumFOp>(a, b);
  return isUnsigned ? emit<arith::MaxUIOp>(a, b) : emit<arith::MaxSIOp>(a, b);
}

Value ElementEmitter::min(Value a, Value b, bool isUnsigned) {
  if (isFloatValue(a))
    return emit<arith::MinimumFOp>(a, b);
  return isUnsigned ? emit<arith::MinUIOp>(a, b) : emit<arith::MinSIOp>(a, b);
}

Value ElementEmitter::less(Value a, Value b, bool isUnsigned) {
  if (isFloatValue(a))
    return emit<arith::CmpFOp>(arith::CmpFPredicate::OLT, a, b);
  return emit<arith::CmpIOp>(isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, a,
                             b);
}

Value ElementEmitter::equal(Value a, Value b) {
  if (isFloatValue(a))
    return emit<arith::CmpFOp>(arith::CmpFPredicate::OEQ, a, b);
  return emit<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
}

Value ElementEmitter::invert(Value condition) {
  Value ones = arith::ConstantIntOp::create(builder, loc, condition.getType(), -1);
  return emit<arith::XOrIOp>(condition, ones);
}

Value ElementEmitter::sigmoid(Value a) {
  Value one = constant(a, 1);
  return div(one, add(one, exp(emit<arith::NegFOp>(a))));
}

Value ElementEmitter::softplus(Value a) {
  // exp of a negative number does not overflow.
  Value tail = exp(emit<arith::NegFOp>(abs(a)));
  return add(max(a, 0.0), emit<math::Log1pOp>(tail));
}

//===----------------------------------------------------------------------===//
// All elements
//===----------------------------------------------------------------------===//

Type udnn::onnx::getWideType(Type type) {
  bool isNarrow = isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Type(Float32Type::get(type.getContext())) : type;
}

ElementType udnn::onnx::getWideType(ElementType type) {
  bool isNarrow = type == ElementType::Float16 || type == ElementType::BFloat16;
  return isNarrow ? ElementType::Float : type;
}

static SmallVector<Value> widen(OpBuilder &b, Location loc, ValueRange elements) {
  return llvm::map_to_vector(elements, [&](Value element) -> Value {
    Type wide = getWideType(element.getType());
    return wide == element.getType() ? element
                                     : arith::ExtFOp::create(b, loc, wide, element).getResult();
  });
}

Value udnn::onnx::emitWide(OpBuilder &builder, Location loc, ValueRange elements, Type type,
                           WideBody body) {
  ElementEmitter emitter(builder, loc);
  SmallVector<Value> wide = widen(builder, loc, elements);
  Value result = body(emitter, wide);
  if (result.getType() == type)
    return result;
  return arith::TruncFOp::create(builder, loc, type, result);
}

static LogicalResult importWide(NodeContext &ctx, unsigned numInputs, ElementType resultType,
                                WideBody body) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < numInputs; ++i)
    operands.push_back(ctx.getInput(i));
  Type type = ctx.getType(resultType);
  FailureOr<Value> result =
      ctx.createElementwise(operands, type, [&](OpBuilder &b, Location loc, ValueRange elements) {
        return emitWide(b, loc, elements, type, body);
      });
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result, resultType);
}

LogicalResult udnn::onnx::importElementwise(NodeContext &ctx, unsigned numInputs, WideBody body) {
  return importWide(ctx, numInputs, ctx.getElementType(0), body);
}

LogicalResult udnn::onnx::importPredicate(NodeContext &ctx, unsigned numInputs, WideBody body) {
  return importWide(ctx, numInputs, ElementType::Bool, body);
}

LogicalResult udnn::onnx::checkSameTypes(NodeContext &ctx) {
  for (unsigned i = 1; i < ctx.getNumInputs(); ++i)
    if (ctx.hasInput(i) && ctx.getElementType(i) != ctx.getElementType(0))
      return ctx.emitError() << "expects inputs of one type, got "
                             << getElementTypeName(ctx.getElementType(0)) << " and "
                             << getElementTypeName(ctx.getElementType(i));
  return success();
}
