//===- ConvOperators.cpp - convolutions -------------------------------------===//
//
// Conv and ConvTranspose.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"
#include "Window.h"
#include "reader/TensorSize.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Support/Window.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;
using dnn::DimsAttr;

/// Checks the filter against the input; both convolutions have the input's channels first in the
/// group, in dimension `channelDim` of the filter.
static LogicalResult checkFilter(NodeContext &ctx, int64_t groups) {
  RankedTensorType input = ctx.getInputType(0), filter = ctx.getInputType(1);
  if (failed(checkSpatialRank(ctx, input)))
    return failure();
  if (filter.getRank() != input.getRank())
    return ctx.emitError() << "expects a filter of rank " << input.getRank() << ", got "
                           << filter.getRank();
  if (ctx.getElementType(1) != ctx.getElementType(0))
    return ctx.emitError() << "expects a filter of the input's type "
                           << getElementTypeName(ctx.getElementType(0)) << ", got "
                           << getElementTypeName(ctx.getElementType(1));
  for (int64_t dim = 0; dim < filter.getRank(); ++dim)
    if (filter.getDimSize(dim) < 1)
      return ctx.emitError() << "expects a filter without empty dimensions, got " << filter;
  if (groups < 1 || groups > filter.getDimSize(0))
    return ctx.emitError() << "expects from 1 to " << filter.getDimSize(0) << " groups, got "
                           << groups;
  return success();
}

/// Sums of half types are kept in f32.
static Type getAccumulator(Type elementType) {
  if (elementType.isF64())
    return elementType;
  return Float32Type::get(elementType.getContext());
}

/// Adds input 2, one value per channel.
static FailureOr<Value> addBias(NodeContext &ctx, Value result) {
  if (!ctx.hasInput(2))
    return result;
  auto type = cast<RankedTensorType>(result.getType());
  RankedTensorType bias = ctx.getInputType(2);
  if (bias.getRank() != 1 || bias.getDimSize(0) != type.getDimSize(1) ||
      bias.getElementType() != type.getElementType())
    return ctx.emitError() << "expects a bias of " << type.getDimSize(1) << " x "
                           << type.getElementType() << ", got " << bias;
  return ctx.createChannelwise(result, ctx.getInput(2),
                               [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                                 return arith::AddFOp::create(b, loc, args[0], args[1]);
                               });
}

template <typename ConvOp>
static LogicalResult emitConv(NodeContext &ctx, const Window &window, ArrayRef<int64_t> shape,
                              int64_t groups, DimsAttr filterDims) {
  OpBuilder &b = ctx.builder;
  Type elementType = ctx.getInputType(0).getElementType();
  if (failed(checkShape(ctx, shape)))
    return failure();
  DimsAttr dims = DimsAttr::getActivation(b.getContext(), window.getRank());
  auto conv = ConvOp::create(b, ctx.loc, ctx.getTensorType(shape, elementType), ctx.getInput(0),
                             ctx.getInput(1), ValueRange{}, ctx.createEmpty(shape, elementType),
                             window.strides, window.pads, window.dilations, groups, dims,
                             filterDims, dims, getAccumulator(elementType),
                             b.getAffineMapArrayAttr({}), /*accumulate=*/false);
  FailureOr<Value> result = addBias(ctx, conv.getResult());
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result);
}

static LogicalResult importConv(NodeContext &ctx) {
  RankedTensorType input = ctx.getInputType(0), filter = ctx.getInputType(1);
  int64_t groups = ctx.getInt("group", 1);
  if (failed(checkFilter(ctx, groups)))
    return failure();
  int64_t rank = input.getRank() - 2;
  if (input.getDimSize(1) != filter.getDimSize(1) * groups || filter.getDimSize(0) % groups)
    return ctx.emitError() << "expects the input's " << input.getDimSize(1)
                           << " channels to fit a filter of " << filter.getDimSize(0) << " x "
                           << filter.getDimSize(1) << " channels in " << groups << " groups";
  FailureOr<Window> window = readWindow(ctx, rank, filter.getShape().drop_front(2));
  if (failed(window))
    return failure();
  FailureOr<SmallVector<int64_t>> spatial =
      resolveWindow(ctx, *window, input.getShape().drop_front(2));
  if (failed(spatial))
    return failure();
  SmallVector<int64_t> shape = {input.getDimSize(0), filter.getDimSize(0)};
  shape.append(*spatial);
  return emitConv<dnn::ConvOp>(ctx, *window, shape, groups,
                               DimsAttr::getFilter(ctx.builder.getContext(), rank));
}

/// The filter of a transposed convolution is [c, k, spatial...].
static DimsAttr getTransposedFilterDims(MLIRContext *context, int64_t rank) {
  SmallVector<int64_t> roles = {DimsAttr::kChannel, DimsAttr::kFilter};
  for (int64_t i = 0; i < rank; ++i)
    roles.push_back(i);
  return DimsAttr::get(context, roles, SmallVector<int64_t>(rank + 2, 1), 0, 0);
}

/// Size of spatial dimension `i` of a transposed convolution; settles its pads.
static FailureOr<int64_t> resolveTransposed(NodeContext &ctx, Window &window, int64_t i,
                                            int64_t input, int64_t outputPadding,
                                            ArrayRef<int64_t> outputShape) {
  int64_t rank = window.getRank(), stride = window.strides[i];
  if (input > kMaxTensorBytes / stride)
    return ctx.emitError() << "expects a result of at most " << kMaxTensorBytes
                           << " elements in spatial dimension " << i << ", got " << input
                           << " elements with stride " << stride;
  int64_t full = stride * (input - 1) + outputPadding + window.getExtent(i);
  bool isSame = StringRef(window.autoPad).starts_with("SAME");
  if (outputShape.empty() && !isSame) {
    if (window.autoPad == "VALID")
      window.pads[i] = window.pads[rank + i] = 0;
    int64_t size = full - window.pads[i] - window.pads[rank + i];
    if (size < 1)
      return ctx.emitError() << "expects a positive result size in spatial dimension " << i
                             << ", got " << size;
    return size;
  }
  int64_t size = outputShape.empty() ? input * stride : outputShape[i];
  if (size < 1)
    return ctx.emitError() << "expects a positive result size in spatial dimension " << i
                           << ", got " << size;
  int64_t total = std::max<int64_t>(full - size, 0);
  if (total > kMaxWindowSize)
    return ctx.emitError() << "expects at most " << kMaxWindowSize
                           << " elements to be cut off in spatial dimension " << i << ", got "
                           << total;
  int64_t small = total / 2, large = total - small;
  bool isUpper = window.autoPad == "SAME_UPPER";
  window.pads[i] = isUpper ? small : large;
  window.pads[rank + i] = isUpper ? large : small;
  return size;
}

static LogicalResult importConvTranspose(NodeContext &ctx) {
  RankedTensorType input = ctx.getInputType(0), filter = ctx.getInputType(1);
  int64_t groups = ctx.getInt("group", 1);
  if (failed(checkFilter(ctx, groups)))
    return failure();
  int64_t rank = input.getRank() - 2;
  if (input.getDimSize(1) != filter.getDimSize(0) || filter.getDimSize(0) % groups)
    return ctx.emitError() << "expects the input's " << input.getDimSize(1)
                           << " channels to equal the filter's " << filter.getDimSize(0)
                           << " and to divide by " << groups << " groups";
  FailureOr<Window> window = readWindow(ctx, rank, filter.getShape().drop_front(2));
  if (failed(window))
    return failure();
  SmallVector<int64_t> outputPadding = ctx.getInts("output_padding", SmallVector<int64_t>(rank, 0));
  SmallVector<int64_t> outputShape = ctx.getInts("output_shape");
  // Some exporters write batch and channels as well.
  if (int64_t(outputShape.size()) == rank + 2)
    outputShape.erase(outputShape.begin(), outputShape.begin() + 2);
  if (int64_t(outputPadding.size()) != rank ||
      (!outputShape.empty() && int64_t(outputShape.size()) != rank))
    return ctx.emitError() << "expects " << rank
                           << " values in output_padding and output_shape, got "
                           << outputPadding.size() << " and " << outputShape.size();
  SmallVector<int64_t> shape = {input.getDimSize(0), filter.getDimSize(1) * groups};
  for (int64_t i = 0; i < rank; ++i) {
    if (outputPadding[i] < 0 ||
        outputPadding[i] >= std::max(window->strides[i], window->dilations[i]))
      return ctx.emitError() << "expects output_padding below stride or dilation, got "
                             << outputPadding[i];
    FailureOr<int64_t> size =
        resolveTransposed(ctx, *window, i, input.getDimSize(i + 2), outputPadding[i], outputShape);
    if (failed(size))
      return failure();
    shape.push_back(*size);
  }
  return emitConv<dnn::ConvTransposeOp>(ctx, *window, shape, groups,
                                        getTransposedFilterDims(ctx.builder.getContext(), rank));
}

void udnn::onnx::registerConvOperators(OperatorRegistry &registry) {
  std::string note = "more than 3 spatial dimensions";
  registry.add({"Conv", {}, 2, 3, 1, kFloatTypes, importConv, 0, note});
  registry.add({"ConvTranspose", {}, 2, 3, 1, kFloatTypes, importConvTranspose, 0, note});
}
