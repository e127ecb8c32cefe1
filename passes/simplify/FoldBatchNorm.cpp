//===- FoldBatchNorm.cpp - fold batch normalization -------------------------===//
//
// Scales filters and replaces biases, or leaves an element-wise operation.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "udnn/Constants/Evaluate.h"

#include <cmath>

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;
using dnn::DimsAttr;

namespace {

/// `y = scale[c] * x + shift[c]`.
struct ScaleAndShift {
  std::vector<double> scale, shift;
};

} // namespace

/// What a batch normalization with constant parameters computes; nothing when a parameter is not
/// constant or a scale is no finite number.
static std::optional<ScaleAndShift> getScaleAndShift(dnn::BatchNormOp op) {
  auto gamma = getConstantFloats(op.getScale()), beta = getConstantFloats(op.getBias());
  auto mean = getConstantFloats(op.getMean()), variance = getConstantFloats(op.getVariance());
  if (!gamma || !beta || !mean || !variance)
    return std::nullopt;
  double epsilon = op.getEpsilon().convertToDouble();
  ScaleAndShift result;
  for (size_t c = 0; c < gamma->size(); ++c) {
    double scale = (*gamma)[c] / std::sqrt((*variance)[c] + epsilon);
    if (!std::isfinite(scale))
      return std::nullopt;
    result.scale.push_back(scale);
    result.shift.push_back((*beta)[c] - (*mean)[c] * scale);
  }
  return result;
}

/// The constants that the epilogue adds per output channel; zeros when there is no epilogue,
/// nothing when it does anything else.
static std::optional<std::vector<double>> getBias(dnn::EpilogueOpInterface op, DimsAttr outDims,
                                                  int64_t channels) {
  Region &region = op.getEpilogueRegion();
  if (region.empty())
    return std::vector<double>(channels, 0.0);
  Block &block = region.front();
  OperandRange extras = op.getExtrasOperandRange();
  if (extras.size() != 1 || block.getOperations().size() != 2)
    return std::nullopt;
  auto add = dyn_cast<arith::AddFOp>(block.front());
  auto yield = cast<dnn::YieldOp>(block.back());
  if (!add || yield.getOperand(0) != add.getResult())
    return std::nullopt;
  Value acc = block.getArgument(0), bias = block.getArgument(1);
  if (!(add.getLhs() == acc && add.getRhs() == bias) &&
      !(add.getLhs() == bias && add.getRhs() == acc))
    return std::nullopt;
  AffineMap map = op.getExtraMapValues().front();
  auto dim =
      map.getNumResults() == 1 ? dyn_cast<AffineDimExpr>(map.getResult(0)) : AffineDimExpr(nullptr);
  if (!dim || int64_t(dim.getPosition()) != outDims.find(DimsAttr::kChannel))
    return std::nullopt;
  return getConstantFloats(extras.front());
}

/// The filter with every output channel scaled, or null when it is no constant of floats. In a
/// transposed convolution the output channel is k within the group that c belongs to.
template <typename ConvOp>
static Value scaleFilter(OpBuilder &builder, ConvOp conv, ArrayRef<double> scale) {
  std::optional<std::vector<double>> values = getConstantFloats(conv.getFilter());
  if (!values)
    return Value();
  auto type = cast<RankedTensorType>(conv.getFilter().getType());
  DimsAttr dims = conv.getFilterDims();
  int64_t kDim = dims.find(DimsAttr::kFilter), cDim = dims.find(DimsAttr::kChannel);
  int64_t filtersPerGroup = type.getDimSize(kDim);
  int64_t channelsPerGroup = type.getDimSize(cDim) / conv.getGroups();
  bool transposed = isa<dnn::ConvTransposeOp>(conv.getOperation());
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t i = type.getRank() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * type.getDimSize(i + 1);
  for (auto [i, value] : llvm::enumerate(*values)) {
    int64_t k = int64_t(i) / strides[kDim] % type.getDimSize(kDim);
    if (transposed)
      k += int64_t(i) / strides[cDim] % type.getDimSize(cDim) / channelsPerGroup * filtersPerGroup;
    value *= scale[k];
  }
  return createFloats(builder, conv.getFilter().getLoc(), type, *values);
}

/// Replaces the epilogue by one that adds `bias` per output channel.
template <typename ConvOp>
static void setBias(OpBuilder &builder, ConvOp conv, ArrayRef<double> bias) {
  Type accumulator = conv.getAccumulator();
  auto resultType = cast<RankedTensorType>(conv.getResult().getType());
  Location loc = conv.getLoc();
  auto vectorType = RankedTensorType::get({int64_t(bias.size())}, accumulator);
  Value constant = createFloats(builder, loc, vectorType, bias);
  int64_t channelDim = conv.getOutputDims().find(DimsAttr::kChannel);
  AffineMap map = AffineMap::get(resultType.getRank(), 0, builder.getAffineDimExpr(channelDim));
  conv.getExtrasMutable().assign(constant);
  conv.setExtraMapValues(map);
  Region &region = conv.getEpilogue();
  region.dropAllReferences();
  region.getBlocks().clear();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region, region.end(), {accumulator, accumulator}, {loc, loc});
  Value sum = arith::AddFOp::create(builder, loc, block->getArgument(0), block->getArgument(1));
  dnn::YieldOp::create(builder, loc, convertScalar(builder, loc, sum, resultType.getElementType()));
}

template <typename ConvOp>
static LogicalResult foldIntoConv(OpBuilder &builder, dnn::BatchNormOp norm,
                                  const ScaleAndShift &factors) {
  auto conv = norm.getInput().getDefiningOp<ConvOp>();
  if (!conv || !conv->hasOneUse() || conv.getAccumulate() || !conv.getOutputDims().isPlain() ||
      !conv.getFilterDims().isPlain() || !isa<FloatType>(conv.getAccumulator()) ||
      conv.getOutputDims().find(DimsAttr::kChannel) != norm.getDims().find(DimsAttr::kChannel))
    return failure();
  std::optional<std::vector<double>> bias =
      getBias(cast<dnn::EpilogueOpInterface>(conv.getOperation()), conv.getOutputDims(),
              factors.scale.size());
  if (!bias || bias->size() != factors.scale.size())
    return failure();
  builder.setInsertionPoint(conv);
  Value filter = scaleFilter(builder, conv, factors.scale);
  if (!filter)
    return failure();
  conv.getFilterMutable().assign(filter);
  for (auto [b, scale, shift] : llvm::zip(*bias, factors.scale, factors.shift))
    b = b * scale + shift;
  setBias(builder, conv, *bias);
  norm.getResult().replaceAllUsesWith(conv.getResult());
  report(norm.getLoc(), "dnn-fold-batch-norm", "fold",
         "folded into the filter of " + conv->getName().getStringRef());
  norm->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Element-wise form
//===----------------------------------------------------------------------===//

/// Sums and products of 16-bit types are computed in f32.
static Type getComputeType(Type elementType) {
  return elementType.isF64() ? elementType : Float32Type::get(elementType.getContext());
}

static Value lowerConstant(OpBuilder &builder, dnn::BatchNormOp norm,
                           const ScaleAndShift &factors) {
  auto type = cast<RankedTensorType>(norm.getResult().getType());
  Type compute = getComputeType(type.getElementType());
  Location loc = norm.getLoc();
  AffineMap channel = AffineMap::get(
      type.getRank(), 0, builder.getAffineDimExpr(norm.getDims().find(DimsAttr::kChannel)));
  auto vectorType = RankedTensorType::get({int64_t(factors.scale.size())}, compute);
  SmallVector<Value> inputs{norm.getInput(), createFloats(builder, loc, vectorType, factors.scale),
                            createFloats(builder, loc, vectorType, factors.shift)};
  return createElementwise(builder, loc, type, inputs,
                           {builder.getMultiDimIdentityMap(type.getRank()), channel, channel},
                           [&](OpBuilder &b, Location l, ValueRange in) {
                             Value x = convertScalar(b, l, in[0], compute);
                             Value product = arith::MulFOp::create(b, l, x, in[1]);
                             Value sum = arith::AddFOp::create(b, l, product, in[2]);
                             return convertScalar(b, l, sum, type.getElementType());
                           });
}

static Value lowerVariable(OpBuilder &builder, dnn::BatchNormOp norm) {
  auto type = cast<RankedTensorType>(norm.getResult().getType());
  Type compute = getComputeType(type.getElementType());
  AffineMap channel = AffineMap::get(
      type.getRank(), 0, builder.getAffineDimExpr(norm.getDims().find(DimsAttr::kChannel)));
  SmallVector<AffineMap> maps(5, channel);
  maps[0] = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs{norm.getInput(), norm.getScale(), norm.getBias(), norm.getMean(),
                            norm.getVariance()};
  double epsilon = norm.getEpsilon().convertToDouble();
  return createElementwise(
      builder, norm.getLoc(), type, inputs, maps, [&](OpBuilder &b, Location l, ValueRange in) {
        SmallVector<Value> v;
        for (Value scalar : in.take_front(5))
          v.push_back(convertScalar(b, l, scalar, compute));
        Value eps = arith::ConstantOp::create(b, l, b.getFloatAttr(compute, epsilon));
        Value sum = arith::AddFOp::create(b, l, v[4], eps);
        Value deviation = math::SqrtOp::create(b, l, sum);
        Value scale = arith::DivFOp::create(b, l, v[1], deviation);
        Value centred = arith::SubFOp::create(b, l, v[0], v[3]);
        Value product = arith::MulFOp::create(b, l, centred, scale);
        Value shifted = arith::AddFOp::create(b, l, product, v[2]);
        return convertScalar(b, l, shifted, type.getElementType());
      });
}

namespace {

struct FoldBatchNormPass : public udnn::impl::FoldBatchNormPassBase<FoldBatchNormPass> {
  using FoldBatchNormPassBase::FoldBatchNormPassBase;

  void runOnOperation() override {
    SmallVector<dnn::BatchNormOp> norms;
    getOperation().walk([&](dnn::BatchNormOp op) { norms.push_back(op); });
    OpBuilder builder(&getContext());
    for (dnn::BatchNormOp norm : norms) {
      if (!norm.getDims().isPlain() ||
          !isa<FloatType>(cast<RankedTensorType>(norm.getResult().getType()).getElementType()))
        continue;
      std::optional<ScaleAndShift> factors = getScaleAndShift(norm);
      if (factors && (succeeded(foldIntoConv<dnn::ConvOp>(builder, norm, *factors)) ||
                      succeeded(foldIntoConv<dnn::ConvTransposeOp>(builder, norm, *factors))))
        continue;
      builder.setInsertionPoint(norm);
      norm.getResult().replaceAllUsesWith(factors ? lowerConstant(builder, norm, *factors)
                                                  : lowerVariable(builder, norm));
      report(norm.getLoc(), "dnn-fold-batch-norm", "lower",
             factors ? "element-wise scale and shift" : "element-wise with variable statistics");
      norm->erase();
    }
  }
};

} // namespace
