//===- ShapeOperators.cpp - shapes and constants ---------------------------===//
//
// Shape, Size, Constant, ConstantOfShape, Identity, Dropout, Range, Cast, CastLike.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "OperatorRegistry.h"
#include "reader/TensorSize.h"
#include "udnn/Support/Bytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

static LogicalResult importShape(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  int64_t rank = type.getRank();
  auto clamp = [&](int64_t axis) {
    return std::min(std::max<int64_t>(axis < 0 ? axis + rank : axis, 0), rank);
  };
  int64_t start = clamp(ctx.getInt("start", 0)), end = clamp(ctx.getInt("end", rank));
  ArrayRef<int64_t> part = type.getShape().slice(start, std::max<int64_t>(end - start, 0));
  return ctx.setOutput(0, ctx.createInts({int64_t(part.size())}, part), ElementType::Int64);
}

static LogicalResult importSize(NodeContext &ctx) {
  return ctx.setOutput(0, ctx.createInts({}, {ctx.getInputType(0).getNumElements()}),
                       ElementType::Int64);
}

static LogicalResult importConstantTensor(NodeContext &ctx, const Tensor &tensor) {
  ElementsAttr attr = getTensorAttr(tensor, ctx.builder.getContext());
  if (!attr)
    return ctx.emitError() << "element type '" << getElementTypeName(tensor.type)
                           << "' is not supported";
  return ctx.setOutput(0, ctx.createConstant(attr), tensor.type);
}

static LogicalResult importConstant(NodeContext &ctx) {
  Builder &b = ctx.builder;
  if (std::shared_ptr<const Tensor> tensor = ctx.getTensor("value"))
    return importConstantTensor(ctx, *tensor);
  if (ctx.hasAttribute("value_int"))
    return ctx.setOutput(0, ctx.createInts({}, {ctx.getInt("value_int", 0)}), ElementType::Int64);
  if (ctx.hasAttribute("value_ints")) {
    SmallVector<int64_t> values = ctx.getInts("value_ints");
    return ctx.setOutput(0, ctx.createInts({int64_t(values.size())}, values), ElementType::Int64);
  }
  if (ctx.hasAttribute("value_float")) {
    auto type = RankedTensorType::get({}, b.getF32Type());
    return ctx.setOutput(
        0, ctx.createConstant(DenseElementsAttr::get(type, ctx.getFloat("value_float", 0))),
        ElementType::Float);
  }
  if (ctx.hasAttribute("value_floats")) {
    SmallVector<float> values = ctx.getFloats("value_floats");
    auto type = RankedTensorType::get({int64_t(values.size())}, b.getF32Type());
    return ctx.setOutput(0,
                         ctx.createConstant(DenseElementsAttr::get(type, ArrayRef<float>(values))),
                         ElementType::Float);
  }
  return ctx.emitError() << "expects one of the attributes value, value_int, value_ints, "
                            "value_float, value_floats; others are not supported";
}

LogicalResult udnn::onnx::checkShape(const NodeContext &ctx, ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    if (size < 0)
      return ctx.emitError() << "expects dimensions of 0 or more, got " << size;
  if (computeTensorBytes(shape, /*elementBytes=*/1))
    return success();
  InFlightDiagnostic diagnostic = ctx.emitError()
                                  << "expects a tensor of at most " << formatBytes(kMaxTensorBytes)
                                  << ", got shape [";
  llvm::interleaveComma(shape, diagnostic);
  return diagnostic << "]";
}

static LogicalResult importConstantOfShape(NodeContext &ctx) {
  FailureOr<SmallVector<int64_t>> shape = ctx.getConstantInts(0);
  if (failed(shape) || failed(checkShape(ctx, *shape)))
    return failure();
  std::shared_ptr<const Tensor> value = ctx.getTensor("value");
  if (!value)
    return ctx.setOutput(0, ctx.createSplat(*shape, ctx.builder.getF32Type(), 0),
                         ElementType::Float);
  ElementsAttr attr = getTensorAttr(*value, ctx.builder.getContext());
  if (!attr || value->getNumElements() != 1)
    return ctx.emitError() << "expects one element in the attribute 'value'";
  auto type = RankedTensorType::get(*shape, ctx.getType(value->type));
  auto element = *cast<DenseElementsAttr>(attr).value_begin<Attribute>();
  return ctx.setOutput(0, ctx.createConstant(DenseElementsAttr::get(type, element)), value->type);
}

static LogicalResult importIdentity(NodeContext &ctx) { return ctx.setOutput(0, ctx.getInput(0)); }

static LogicalResult importDropout(NodeContext &ctx) {
  if (ctx.hasInput(2)) {
    FailureOr<int64_t> training = ctx.getConstantInt(2);
    if (failed(training))
      return failure();
    if (*training)
      return ctx.emitError() << "training_mode = 1 is not supported";
  }
  if (ctx.wantsOutput(1)) {
    // Before opset 10 the mask has the type of the data.
    ElementType type = ctx.opset < 10 ? ctx.getElementType(0) : ElementType::Bool;
    Value mask = ctx.createSplat(ctx.getInputType(0).getShape(), ctx.getType(type), 1);
    (void)ctx.setOutput(1, mask, type);
  }
  return ctx.setOutput(0, ctx.getInput(0));
}

/// start + i * delta for `count` elements.
static Value createRange(NodeContext &ctx, Value start, Value delta, int64_t count) {
  auto type = cast<RankedTensorType>(start.getType());
  OpBuilder &b = ctx.builder;
  Value init = ctx.createEmpty({count}, type.getElementType());
  AffineMap scalar = AffineMap::get(1, 0, {}, b.getContext());
  auto generic = linalg::GenericOp::create(
      b, ctx.loc, init.getType(), ValueRange{start, delta}, init,
      ArrayRef<AffineMap>{scalar, scalar, b.getMultiDimIdentityMap(1)},
      {utils::IteratorType::parallel}, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value index = linalg::IndexOp::create(b, loc, 0);
        Value i = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
        Value step =
            NodeContext::createScalarCast(b, loc, i, ElementType::Int64, ctx.getElementType(0));
        Value result;
        if (isa<FloatType>(args[0].getType())) {
          step = arith::MulFOp::create(b, loc, step, args[1]);
          result = arith::AddFOp::create(b, loc, args[0], step);
        } else {
          step = arith::MulIOp::create(b, loc, step, args[1]);
          result = arith::AddIOp::create(b, loc, args[0], step);
        }
        linalg::YieldOp::create(b, loc, result);
      });
  return generic.getResult(0);
}

static LogicalResult importRange(NodeContext &ctx) {
  for (unsigned i = 0; i < 3; ++i)
    if (ctx.getElementType(i) != ctx.getElementType(0) || ctx.getInputType(i).getNumElements() != 1)
      return ctx.emitError() << "expects three scalars of one type";
  double count;
  if (isFloat(ctx.getElementType(0))) {
    FailureOr<double> start = ctx.getConstantFloat(0), limit = ctx.getConstantFloat(1),
                      delta = ctx.getConstantFloat(2);
    if (failed(start) || failed(limit) || failed(delta))
      return failure();
    count = *delta == 0 ? NAN : std::ceil((*limit - *start) / *delta);
  } else {
    FailureOr<int64_t> start = ctx.getConstantInt(0), limit = ctx.getConstantInt(1),
                       delta = ctx.getConstantInt(2);
    if (failed(start) || failed(limit) || failed(delta))
      return failure();
    count = *delta ? std::ceil((double(*limit) - double(*start)) / double(*delta)) : NAN;
  }
  if (!(count <= double(kMaxTensorBytes)))
    return ctx.emitError() << "expects a delta other than 0 and a range of at most "
                           << formatBytes(kMaxTensorBytes);
  // Before the conversion: a limit in the other direction may be infinite.
  count = std::max(count, 0.0);
  Value start = ctx.createReshape(ctx.getInput(0), {});
  Value delta = ctx.createReshape(ctx.getInput(2), {});
  return ctx.setOutput(0, createRange(ctx, start, delta, int64_t(count)));
}

static LogicalResult importCast(NodeContext &ctx) {
  FailureOr<int64_t> to = ctx.requireInt("to");
  if (failed(to))
    return failure();
  auto type = ElementType(*to);
  if (!kAllTypes.contains(type))
    return ctx.emitError() << "a cast to element type '" << getElementTypeName(type)
                           << "' is not supported";
  return ctx.setOutput(0, ctx.createCast(ctx.getInput(0), ctx.getElementType(0), type), type);
}

static LogicalResult importCastLike(NodeContext &ctx) {
  ElementType type = ctx.getElementType(1);
  return ctx.setOutput(0, ctx.createCast(ctx.getInput(0), ctx.getElementType(0), type), type);
}

void udnn::onnx::registerShapeOperators(OperatorRegistry &registry) {
  registry.add({"Cast", {}, 1, 1, 1, kAllTypes, importCast});
  registry.add({"CastLike", {15}, 2, 2, 1, kAllTypes, importCastLike});
  registry.add({"Constant", {}, 0, 0, 1, kAllTypes, importConstant});
  registry.add({"ConstantOfShape", {9}, 1, 1, 1, kIndexTypes, importConstantOfShape});
  registry.add({"Dropout", {7, 11}, 1, 1, 2, kFloatTypes, importDropout});
  registry.add({"Dropout", {12}, 1, 3, 2, kFloatTypes, importDropout, 0, "training_mode = 1"});
  registry.add({"Identity", {}, 1, 1, 1, kAllTypes, importIdentity});
  registry.add({"Range", {11}, 3, 3, 1, kFloatTypes | kSignedTypes, importRange});
  registry.add({"Shape", {}, 1, 1, 1, kAllTypes, importShape});
  registry.add({"Size", {}, 1, 1, 1, kAllTypes, importSize});
}
