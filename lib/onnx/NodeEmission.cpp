//===- NodeEmission.cpp - operations that many ONNX operators need ----------===//
//
// Constants, broadcast element-wise computations, reshapes, transposes and casts.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OperatorRegistry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

Type NodeContext::getType(ElementType type) const {
  return getMLIRType(type, builder.getContext());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// `value` as an attribute of a float or integer type.
static TypedAttr getScalarAttr(Type type, double value) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, value);
  unsigned width = cast<IntegerType>(type).getWidth();
  return IntegerAttr::get(type, APInt(64, uint64_t(int64_t(value))).zextOrTrunc(width));
}

Value NodeContext::createEmpty(ArrayRef<int64_t> shape, Type elementType) {
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

Value NodeContext::createConstant(ElementsAttr value) {
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(value));
}

Value NodeContext::createSplat(ArrayRef<int64_t> shape, Type elementType, double value) {
  return createConstant(DenseElementsAttr::get(getTensorType(shape, elementType),
                                               Attribute(getScalarAttr(elementType, value))));
}

Value NodeContext::createScalar(OpBuilder &builder, Location loc, Type type, double value) {
  return arith::ConstantOp::create(builder, loc, getScalarAttr(type, value));
}

Value NodeContext::createInts(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return createConstant(
      DenseIntElementsAttr::get(getTensorType(shape, builder.getI64Type()), values));
}

//===----------------------------------------------------------------------===//
// Element-wise computation
//===----------------------------------------------------------------------===//

/// Combines two sizes of one dimension by NumPy's rules, or returns -1.
static int64_t broadcastSize(int64_t a, int64_t b) {
  if (a == b || b == 1)
    return a;
  return a == 1 ? b : -1;
}

FailureOr<SmallVector<int64_t>>
NodeContext::broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes) const {
  SmallVector<int64_t> result;
  for (ArrayRef<int64_t> shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    size_t offset = result.size() - shape.size();
    for (auto [i, size] : llvm::enumerate(shape)) {
      int64_t merged = broadcastSize(result[offset + i], size);
      if (merged < 0) {
        InFlightDiagnostic diagnostic = emitError() << "cannot broadcast shapes";
        for (ArrayRef<int64_t> s : shapes) {
          diagnostic << (s.data() == shapes.front().data() ? " [" : " and [");
          llvm::interleaveComma(s, diagnostic);
          diagnostic << "]";
        }
        return diagnostic;
      }
      result[offset + i] = merged;
    }
  }
  if (failed(checkShape(*this, result)))
    return failure();
  return result;
}

FailureOr<Value> NodeContext::createElementwise(ArrayRef<Value> operands, Type resultElementType,
                                                ElementBody body) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : operands)
    shapes.push_back(cast<RankedTensorType>(operand.getType()).getShape());
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(shapes);
  if (failed(shape))
    return failure();
  return createElementwise(operands, *shape, resultElementType, body);
}

/// The map from the dimensions of `shape` to those of an operand that broadcasts to it.
static AffineMap getBroadcastMap(ArrayRef<int64_t> operand, ArrayRef<int64_t> shape,
                                 MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  size_t offset = shape.size() - operand.size();
  for (auto [i, size] : llvm::enumerate(operand))
    exprs.push_back(size == shape[offset + i] ? getAffineDimExpr(offset + i, context)
                                              : getAffineConstantExpr(0, context));
  return AffineMap::get(shape.size(), 0, exprs, context);
}

/// A linalg.generic without reductions on an empty init.
static Value emitGeneric(NodeContext &ctx, ArrayRef<Value> operands, ArrayRef<AffineMap> maps,
                         ArrayRef<int64_t> shape, Type elementType, NodeContext::ElementBody body) {
  Value init = ctx.createEmpty(shape, elementType);
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto generic =
      linalg::GenericOp::create(ctx.builder, ctx.loc, init.getType(), operands, init, maps,
                                iterators, [&](OpBuilder &b, Location loc, ValueRange elements) {
                                  Value result = body(b, loc, elements.drop_back());
                                  linalg::YieldOp::create(b, loc, result);
                                });
  return generic.getResult(0);
}

FailureOr<Value> NodeContext::createElementwise(ArrayRef<Value> operands, ArrayRef<int64_t> shape,
                                                Type resultElementType, ElementBody body) {
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    ArrayRef<int64_t> operandShape = cast<RankedTensorType>(operand.getType()).getShape();
    bool fits = operandShape.size() <= shape.size();
    for (size_t i = 0; fits && i < operandShape.size(); ++i) {
      int64_t target = shape[shape.size() - operandShape.size() + i];
      fits = operandShape[i] == target || operandShape[i] == 1;
    }
    if (!fits) {
      InFlightDiagnostic diagnostic = emitError() << "cannot broadcast shape [";
      llvm::interleaveComma(operandShape, diagnostic);
      diagnostic << "] to [";
      llvm::interleaveComma(shape, diagnostic);
      return diagnostic << "]";
    }
    maps.push_back(getBroadcastMap(operandShape, shape, context));
  }
  maps.push_back(builder.getMultiDimIdentityMap(shape.size()));
  return emitGeneric(*this, operands, maps, shape, resultElementType, body);
}

Value NodeContext::createChannelwise(Value value, Value vector, ElementBody body) {
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap channel = AffineMap::get(type.getRank(), 0, builder.getAffineDimExpr(1));
  return emitGeneric(*this, {value, vector}, {identity, channel, identity}, type.getShape(),
                     type.getElementType(), body);
}

//===----------------------------------------------------------------------===//
// Reshapes and transposes
//===----------------------------------------------------------------------===//

/// Pairs the dimensions of two shapes of equal size into groups of equal products. `common` holds
/// the groups' sizes.
static void getReshapeGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                             SmallVectorImpl<int64_t> &common,
                             SmallVectorImpl<ReassociationIndices> &fromGroups,
                             SmallVectorImpl<ReassociationIndices> &toGroups) {
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReassociationIndices &fromGroup = fromGroups.emplace_back();
    ReassociationIndices &toGroup = toGroups.emplace_back();
    int64_t a = from[i], b = to[j];
    fromGroup.push_back(i++);
    toGroup.push_back(j++);
    while (a != b) {
      if (a < b) {
        a *= from[i];
        fromGroup.push_back(i++);
      } else {
        b *= to[j];
        toGroup.push_back(j++);
      }
    }
    common.push_back(a);
  }
  // What is left has size 1 and joins the last group.
  for (; i < from.size(); ++i)
    fromGroups.back().push_back(i);
  for (; j < to.size(); ++j)
    toGroups.back().push_back(j);
}

Value NodeContext::createReshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> common;
  SmallVector<ReassociationIndices> fromGroups, toGroups;
  if (type.getNumElements() == 0) {
    common = {0};
    fromGroups = {llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()))};
    toGroups = {llvm::to_vector<2>(llvm::seq<int64_t>(0, shape.size()))};
  } else if (type.getRank() > 0 && !shape.empty()) {
    getReshapeGroups(type.getShape(), shape, common, fromGroups, toGroups);
  }
  if (type.getRank() != int64_t(common.size()))
    value = tensor::CollapseShapeOp::create(
        builder, loc, getTensorType(common, type.getElementType()), value, fromGroups);
  if (shape.size() != common.size())
    value = tensor::ExpandShapeOp::create(builder, loc, getTensorType(shape, type.getElementType()),
                                          value, toGroups);
  return value;
}

Value NodeContext::createTranspose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  Value init = createEmpty(shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, init, permutation)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static Value castFloatToFloat(OpBuilder &b, Location loc, Value element, FloatType to) {
  unsigned fromWidth = cast<FloatType>(element.getType()).getWidth();
  if (fromWidth < to.getWidth())
    return arith::ExtFOp::create(b, loc, to, element);
  if (fromWidth > to.getWidth())
    return arith::TruncFOp::create(b, loc, to, element);
  // float16 and bfloat16
  Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), element);
  return arith::TruncFOp::create(b, loc, to, wide);
}

/// Truncates to a signed integer of 32 or 64 bits. What does not fit, and NaN, becomes the least
/// one, as on x86; the conversion alone gives anything there.
static Value castFloatToSigned(OpBuilder &b, Location loc, Value element, IntegerType type) {
  unsigned width = type.getWidth();
  Value limit = NodeContext::createScalar(b, loc, element.getType(), std::ldexp(1.0, width - 1));
  Value magnitude = math::AbsFOp::create(b, loc, element);
  Value fits = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude, limit);
  Value integer = arith::FPToSIOp::create(b, loc, type, element);
  Value least = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, llvm::APInt::getSignedMinValue(width)));
  return arith::SelectOp::create(b, loc, fits, integer, least);
}

/// The upper half of the unsigned numbers is converted less 2^63, whose bit is put back.
static Value castFloatToUInt64(OpBuilder &b, Location loc, Value element) {
  IntegerType type = b.getI64Type();
  Value half = NodeContext::createScalar(b, loc, element.getType(), std::ldexp(1.0, 63));
  Value isUpper = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, element, half);
  Value lower = arith::SubFOp::create(b, loc, element, half);
  element = arith::SelectOp::create(b, loc, isUpper, lower, element);
  Value bit =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, llvm::APInt::getSignedMinValue(64)));
  Value none = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 0));
  Value offset = arith::SelectOp::create(b, loc, isUpper, bit, none);
  return arith::XOrIOp::create(b, loc, castFloatToSigned(b, loc, element, type), offset);
}

/// Narrow integers wrap around as they do in NumPy, so they go through a wider one. ONNX leaves
/// open what out of range numbers become; constants, all processors and GPUs give the same here,
/// which is what ONNX Runtime gives on x86 wherever its results do not depend on the shape.
static Value castFloatToInteger(OpBuilder &b, Location loc, Value element, ElementType to,
                                IntegerType toType) {
  if (cast<FloatType>(element.getType()).getWidth() == 16)
    element = arith::ExtFOp::create(b, loc, b.getF32Type(), element);
  if (to == ElementType::UInt64)
    return castFloatToUInt64(b, loc, element);
  bool isWide = toType.getWidth() == 64 || to == ElementType::UInt32;
  Value integer = castFloatToSigned(b, loc, element, b.getIntegerType(isWide ? 64 : 32));
  return integer.getType() == toType ? integer
                                     : arith::TruncIOp::create(b, loc, toType, integer).getResult();
}

static Value castIntegerToFloat(OpBuilder &b, Location loc, Value element, ElementType from,
                                FloatType to) {
  Type wide = to.getWidth() == 16 ? b.getF32Type() : Type(to);
  Value result = isUnsigned(from) ? arith::UIToFPOp::create(b, loc, wide, element).getResult()
                                  : arith::SIToFPOp::create(b, loc, wide, element).getResult();
  return wide == to ? result : arith::TruncFOp::create(b, loc, to, result).getResult();
}

Value NodeContext::createScalarCast(OpBuilder &b, Location loc, Value element, ElementType from,
                                    ElementType to) {
  if (from == to)
    return element;
  Type toType = getMLIRType(to, b.getContext());
  if (to == ElementType::Bool) {
    Value zero = createScalar(b, loc, element.getType(), 0);
    if (isFloat(from))
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, element, zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, element, zero);
  }
  if (auto floatType = dyn_cast<FloatType>(toType))
    return isFloat(from) ? castFloatToFloat(b, loc, element, floatType)
                         : castIntegerToFloat(b, loc, element, from, floatType);
  auto integerType = cast<IntegerType>(toType);
  if (isFloat(from))
    return castFloatToInteger(b, loc, element, to, integerType);
  unsigned fromWidth = cast<IntegerType>(element.getType()).getWidth();
  if (fromWidth > integerType.getWidth())
    return arith::TruncIOp::create(b, loc, toType, element);
  if (fromWidth == integerType.getWidth())
    return element;
  if (isUnsigned(from))
    return arith::ExtUIOp::create(b, loc, toType, element);
  return arith::ExtSIOp::create(b, loc, toType, element);
}

Value NodeContext::createCast(Value value, ElementType from, ElementType to) {
  auto type = cast<RankedTensorType>(value.getType());
  if (getType(from) == getType(to))
    return value;
  FailureOr<Value> result =
      createElementwise(value, type.getShape(), getType(to),
                        [&](OpBuilder &b, Location bodyLoc, ValueRange elements) {
                          return createScalarCast(b, bodyLoc, elements[0], from, to);
                        });
  return *result;
}
