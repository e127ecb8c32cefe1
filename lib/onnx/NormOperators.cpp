//===- NormOperators.cpp - softmax and normalizations -----------------------===//
//
// Softmax, LogSoftmax, BatchNormalization, InstanceNormalization, LayerNormalization, LRN.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"
#include "udnn/Dialect/Dnn.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;
using dnn::DimsAttr;

/// Product of some sizes.
static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

template <typename SoftmaxOp>
static LogicalResult importSoftmax(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  int64_t rank = type.getRank();
  FailureOr<int64_t> axis = ctx.normalizeAxis(ctx.getInt("axis", ctx.opset < 13 ? 1 : -1), rank);
  if (failed(axis))
    return failure();
  Value input = ctx.getInput(0);
  int64_t dimension = *axis;
  // Before opset 13 the dimensions from the axis on are taken as one.
  int64_t rest = getProduct(type.getShape().drop_front(*axis + 1));
  bool flattens = ctx.opset < 13 && rest != 1;
  if (flattens) {
    input = ctx.createReshape(
        input, {getProduct(type.getShape().take_front(*axis)), rest * type.getDimSize(*axis)});
    dimension = 1;
  }
  auto inputType = cast<RankedTensorType>(input.getType());
  Value init = ctx.createEmpty(inputType.getShape(), inputType.getElementType());
  Value result =
      SoftmaxOp::create(ctx.builder, ctx.loc, inputType, input, init, dimension).getResult();
  return ctx.setOutput(0, ctx.createReshape(result, type.getShape()));
}

/// Checks that the inputs from `first` to `last` are vectors with one float per channel.
static LogicalResult checkChannelVectors(NodeContext &ctx, unsigned first, unsigned last,
                                         int64_t channels) {
  for (unsigned i = first; i <= last; ++i) {
    RankedTensorType type = ctx.getInputType(i);
    if (type.getRank() != 1 || type.getDimSize(0) != channels || !isFloat(ctx.getElementType(i)))
      return ctx.emitError() << "expects input " << i << " to hold one float for each of "
                             << channels << " channels, got " << type;
  }
  return success();
}

/// The wider one of the types of some inputs.
static ElementType getWidestType(NodeContext &ctx, unsigned count) {
  ElementType widest = ctx.getElementType(0);
  for (unsigned i = 1; i < count; ++i) {
    ElementType type = ctx.getElementType(i);
    if (getElementSize(type) > getElementSize(widest))
      widest = type;
    else if (getElementSize(type) == getElementSize(widest) && type != widest)
      widest = ElementType::Float;
  }
  return widest;
}

static LogicalResult importBatchNorm(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  if (ctx.getInt("training_mode", 0))
    return ctx.emitError() << "training_mode = 1 is not supported";
  if (!ctx.getInt("spatial", 1))
    return ctx.emitError() << "spatial = 0 is not supported";
  for (unsigned i = 1; i < ctx.getNumOutputs(); ++i)
    if (ctx.wantsOutput(i))
      return ctx.emitError() << "output " << i << ", which only training sets, is not supported";
  if (type.getRank() < 2)
    return ctx.emitError() << "expects an input with a batch and channels, got " << type;
  if (failed(checkChannelVectors(ctx, 1, 4, type.getDimSize(1))))
    return failure();
  // Statistics may be of a wider type than the data; then all is computed in it.
  ElementType compute = getWidestType(ctx, 5);
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < 5; ++i)
    inputs.push_back(ctx.createCast(ctx.getInput(i), ctx.getElementType(i), compute));
  Value init = ctx.createEmpty(type.getShape(), ctx.getType(compute));
  DimsAttr dims = DimsAttr::getActivation(ctx.builder.getContext(), type.getRank() - 2);
  auto op = dnn::BatchNormOp::create(ctx.builder, ctx.loc, init.getType(), inputs[0], inputs[1],
                                     inputs[2], inputs[3], inputs[4], init, dims,
                                     APFloat(double(ctx.getFloat("epsilon", 1e-5f))));
  return ctx.setOutput(0, ctx.createCast(op.getResult(), compute, ctx.getElementType(0)));
}

static LogicalResult importInstanceNorm(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  if (type.getRank() < 3)
    return ctx.emitError() << "expects an input with a batch, channels and spatial dimensions, got "
                           << type;
  if (failed(checkChannelVectors(ctx, 1, 2, type.getDimSize(1))))
    return failure();
  if (ctx.getElementType(1) != ctx.getElementType(0) ||
      ctx.getElementType(2) != ctx.getElementType(0))
    return ctx.emitError() << "expects inputs of one type";
  Value init = ctx.createEmpty(type.getShape(), type.getElementType());
  DimsAttr dims = DimsAttr::getActivation(ctx.builder.getContext(), type.getRank() - 2);
  auto op = dnn::InstanceNormOp::create(ctx.builder, ctx.loc, type, ctx.getInput(0),
                                        ctx.getInput(1), ctx.getInput(2), init, dims,
                                        APFloat(double(ctx.getFloat("epsilon", 1e-5f))));
  return ctx.setOutput(0, op.getResult());
}

/// Scale and bias of a layer normalization broadcast to the normalized dimensions; leading
/// dimensions of size 1 beyond them are dropped.
static FailureOr<Value> getLayerVector(NodeContext &ctx, unsigned i, int64_t dimension) {
  RankedTensorType input = ctx.getInputType(0), type = ctx.getInputType(i);
  int64_t normalized = input.getRank() - dimension;
  if (ctx.getElementType(i) != ctx.getElementType(0))
    return ctx.emitError() << "expects input " << i << " of the type of input 0, got "
                           << getElementTypeName(ctx.getElementType(i));
  SmallVector<int64_t> shape(type.getShape());
  while (int64_t(shape.size()) > normalized && shape.front() == 1)
    shape.erase(shape.begin());
  ArrayRef<int64_t> target =
      input.getShape().take_back(std::min<int64_t>(shape.size(), normalized));
  bool fits = int64_t(shape.size()) <= normalized;
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = shape[d] == target[d] || shape[d] == 1;
  if (!fits)
    return ctx.emitError() << "expects input " << i << " to broadcast to the dimensions from "
                           << dimension << " on of " << input << ", got " << type;
  shape.insert(shape.begin(), normalized - shape.size(), 1);
  return ctx.createReshape(ctx.getInput(i), shape);
}

static LogicalResult importLayerNorm(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  FailureOr<int64_t> axis = ctx.normalizeAxis(ctx.getInt("axis", -1), type.getRank());
  if (failed(axis))
    return failure();
  if (ctx.getInt("stash_type", 1) != 1)
    return ctx.emitError() << "stash_type = " << ctx.getInt("stash_type", 1) << " is not supported";
  FailureOr<Value> scale = getLayerVector(ctx, 1, *axis);
  FailureOr<Value> bias =
      ctx.hasInput(2) ? getLayerVector(ctx, 2, *axis) : FailureOr<Value>(Value());
  if (failed(scale) || failed(bias))
    return failure();
  SmallVector<Value> inits = {ctx.createEmpty(type.getShape(), type.getElementType())};
  SmallVector<Type> types = {inits[0].getType()};
  if (ctx.wantsOutput(1) || ctx.wantsOutput(2)) {
    SmallVector<int64_t> shape(type.getShape());
    std::fill(shape.begin() + *axis, shape.end(), 1);
    for (int i = 0; i < 2; ++i) {
      inits.push_back(ctx.createEmpty(shape, ctx.builder.getF32Type()));
      types.push_back(inits.back().getType());
    }
  }
  auto op = dnn::LayerNormOp::create(ctx.builder, ctx.loc, types, ctx.getInput(0), *scale, *bias,
                                     inits, *axis, APFloat(double(ctx.getFloat("epsilon", 1e-5f))));
  for (unsigned i = 1; i < op.getNumResults(); ++i)
    (void)ctx.setOutput(i, op.getResult(i), ElementType::Float);
  return ctx.setOutput(0, op.getResult(0));
}

static LogicalResult importLRN(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  FailureOr<int64_t> size = ctx.requireInt("size");
  if (failed(size))
    return failure();
  if (*size < 1 || *size > (1 << 20))
    return ctx.emitError() << "expects a positive size, got " << *size;
  if (type.getRank() < 2)
    return ctx.emitError() << "expects an input with a batch and channels, got " << type;
  Value init = ctx.createEmpty(type.getShape(), type.getElementType());
  DimsAttr dims = DimsAttr::getActivation(ctx.builder.getContext(), type.getRank() - 2);
  auto op = dnn::LRNOp::create(ctx.builder, ctx.loc, type, ctx.getInput(0), init, dims, *size,
                               APFloat(double(ctx.getFloat("alpha", 1e-4f))),
                               APFloat(double(ctx.getFloat("beta", 0.75f))),
                               APFloat(double(ctx.getFloat("bias", 1.0f))));
  return ctx.setOutput(0, op.getResult());
}

void udnn::onnx::registerNormOperators(OperatorRegistry &registry) {
  registry.add({"BatchNormalization",
                {},
                5,
                5,
                5,
                kFloatTypes,
                importBatchNorm,
                0,
                "training_mode = 1, spatial = 0"});
  registry.add({"InstanceNormalization", {}, 3, 3, 1, kFloatTypes, importInstanceNorm});
  registry.add({"LayerNormalization",
                {17},
                2,
                3,
                3,
                kFloatTypes,
                importLayerNorm,
                0,
                "stash_type other than float"});
  registry.add({"LogSoftmax", {}, 1, 1, 1, kFloatTypes, importSoftmax<dnn::LogSoftmaxOp>});
  registry.add({"LRN", {}, 1, 1, 1, kFloatTypes, importLRN});
  registry.add({"Softmax", {}, 1, 1, 1, kFloatTypes, importSoftmax<dnn::SoftmaxOp>});
}
