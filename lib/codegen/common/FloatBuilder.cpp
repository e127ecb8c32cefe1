//===- FloatBuilder.cpp - arithmetic on f32 and its bits ----------------------===//
//
// The builder of approximations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace udnn::codegen;

FloatBuilder::FloatBuilder(Location loc, OpBuilder &builder, Type floats)
    : ImplicitLocOpBuilder(loc, builder), floats(floats), integers(getI32Type()) {
  if (auto shaped = dyn_cast<ShapedType>(floats))
    integers = shaped.clone(integers);
}

Value FloatBuilder::makeConstant(Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, ArrayRef<Attribute>(value));
  return arith::ConstantOp::create(*this, value);
}

Value FloatBuilder::f(double value) { return makeConstant(floats, getF32FloatAttr(value)); }

Value FloatBuilder::i(int64_t value) { return makeConstant(integers, getI32IntegerAttr(value)); }

Value FloatBuilder::fma(Value a, Value b, Value c) { return math::FmaOp::create(*this, a, b, c); }

Value FloatBuilder::select(arith::CmpFPredicate predicate, Value a, Value b, Value yes, Value no) {
  Value condition = arith::CmpFOp::create(*this, predicate, a, b);
  return arith::SelectOp::create(*this, condition, yes, no);
}

Value FloatBuilder::toBits(Value value) { return arith::BitcastOp::create(*this, integers, value); }

Value FloatBuilder::fromBits(Value bits) { return arith::BitcastOp::create(*this, floats, bits); }
