//===- ConvToLinalg.cpp - convolutions and matrix products ------------------===//
//
// Sums of products in the accumulator type, then the epilogue as an element-wise operation.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::dnn;

//===----------------------------------------------------------------------===//
// Accumulator and epilogue
//===----------------------------------------------------------------------===//

/// Whether the accumulator is what the operation stores.
static bool storesAccumulator(EpilogueOpInterface op) {
  return op.getEpilogueRegion().empty() &&
         cast<RankedTensorType>(op->getResult(0).getType()).getElementType() ==
             op.getAccumulatorType();
}

/// The tensor that sums start from: zeros, or the init with `accumulate`.
static Value makeAccumulator(OpBuilder &builder, EpilogueOpInterface op, Value init) {
  if (op.getAccumulate())
    return init;
  Location loc = op->getLoc();
  Value zero = makeScalar(builder, loc, op.getAccumulatorType(), 0);
  if (storesAccumulator(op))
    return linalg::FillOp::create(builder, loc, zero, init).getResult(0);
  return makeFilled(builder, loc, cast<RankedTensorType>(init.getType()).getShape(), zero);
}

/// Applies the epilogue, or the conversion to the result's type, element by element.
static Value applyEpilogue(OpBuilder &builder, EpilogueOpInterface op, Value sums, Value init) {
  if (storesAccumulator(op))
    return sums;
  LoopNest nest(builder, op->getLoc());
  SmallVector<AffineExpr> loops =
      nest.addParallel(cast<RankedTensorType>(init.getType()).getShape());
  nest.read(sums, loops);
  OperandRange extras = op.getExtrasOperandRange();
  for (auto [extra, map] : llvm::zip(extras, op.getExtraMapValues()))
    nest.read(extra, map.getResults());
  return nest.build(init, loops, [&](NestBody body) -> SmallVector<Value> {
    Region &region = op.getEpilogueRegion();
    if (region.empty())
      return {body.elements[0].value};
    IRMapping mapping;
    for (auto [argument, element] : llvm::zip(region.getArguments(), body.elements))
      mapping.map(argument, element.value);
    for (Operation &nested : region.front().without_terminator())
      body.builder.clone(nested, mapping);
    return {mapping.lookupOrDefault(region.front().getTerminator()->getOperand(0))};
  });
}

/// `accumulator + lhs * rhs`, where the first element counts as zero outside its tensor.
static Value multiplyAdd(const NestBody &body, Type type, bool isUnsigned) {
  OpBuilder &b = body.builder;
  Location loc = body.loc;
  Value lhs = convertScalar(b, loc, body.elements[0].value, type, isUnsigned);
  Value rhs = convertScalar(b, loc, body.elements[1].value, type, isUnsigned);
  if (Value inside = body.elements[0].inside)
    lhs = arith::SelectOp::create(b, loc, inside, lhs, makeScalar(b, loc, type, 0));
  if (isa<FloatType>(type)) {
    Value product = arith::MulFOp::create(b, loc, lhs, rhs);
    return arith::AddFOp::create(b, loc, body.accumulators[0], product);
  }
  Value product = arith::MulIOp::create(b, loc, lhs, rhs);
  return arith::AddIOp::create(b, loc, body.accumulators[0], product);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// The loops of a convolution: the result's physical dimensions, then channels and window.
template <typename ConvOp>
struct ConvLoops {
  ConvLoops(LoopNest &nest, ConvOp op)
      : op(op),
        loops(nest.addParallel(cast<RankedTensorType>(op.getResult().getType()).getShape())) {
    auto filter = cast<RankedTensorType>(op.getFilter().getType());
    DimsAttr dims = op.getFilterDims();
    filterChannels = dims.getLogicalSize(DimsAttr::kChannel, filter.getShape());
    filters = dims.getLogicalSize(DimsAttr::kFilter, filter.getShape());
    channel = nest.addReduction(isTransposed ? filterChannels / op.getGroups() : filterChannels);
    for (int64_t i = 0, e = dims.getSpatialRank(); i < e; ++i)
      window.push_back(nest.addReduction(dims.getLogicalSize(i, filter.getShape())));
  }

  AffineExpr getResult(int64_t role) { return getLogicalExpr(op.getOutputDims(), role, loops); }

  /// The input's channel: that of the group to which the result's channel belongs.
  AffineExpr getInputChannel() {
    int64_t groups = op.getGroups();
    if (groups == 1)
      return channel;
    int64_t perGroup = isTransposed ? filterChannels / groups : filterChannels;
    AffineExpr group =
        getResult(DimsAttr::kChannel).floorDiv(isTransposed ? filters : filters / groups);
    return perGroup == 1 ? group : group * perGroup + channel;
  }

  AffineExpr getFilter(int64_t role) {
    if (role >= 0)
      return window[role];
    if (role == DimsAttr::kChannel)
      return isTransposed ? getInputChannel() : channel;
    AffineExpr k = getResult(DimsAttr::kChannel);
    return isTransposed && op.getGroups() > 1 ? k % filters : k;
  }

  AffineExpr getInput(int64_t role) {
    if (role == DimsAttr::kBatch)
      return getResult(role);
    if (role == DimsAttr::kChannel)
      return getInputChannel();
    AffineExpr tap = window[role] * op.getDilations()[role];
    int64_t pad = op.getPads()[role];
    return isTransposed ? getResult(role) + pad - tap
                        : getResult(role) * op.getStrides()[role] + tap - pad;
  }

  static constexpr bool isTransposed = std::is_same_v<ConvOp, ConvTransposeOp>;
  ConvOp op;
  SmallVector<AffineExpr> loops, window;
  AffineExpr channel;
  int64_t filterChannels, filters;
};

template <typename ConvOp>
struct ConvLowering : OpRewritePattern<ConvOp> {
  using OpRewritePattern<ConvOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    LoopNest nest(rewriter, op.getLoc());
    ConvLoops<ConvOp> loops(nest, op);
    SmallVector<Axis> inputAxes =
        getAxes(op.getInputDims(), cast<RankedTensorType>(op.getInput().getType()),
                [&](int64_t role) { return loops.getInput(role); });
    if (loops.isTransposed)
      for (Axis &axis : inputAxes)
        if (int64_t role = op.getInputDims().getRoles()[axis.position]; role >= 0)
          axis.divisor = op.getStrides()[role];
    nest.read(op.getInput(), inputAxes);
    nest.read(op.getFilter(),
              getAxes(op.getFilterDims(), cast<RankedTensorType>(op.getFilter().getType()),
                      [&](int64_t role) { return loops.getFilter(role); }));
    Value start = makeAccumulator(rewriter, op, op.getInit());
    Value sums = nest.build(start, loops.loops, [&](NestBody body) -> SmallVector<Value> {
      return {multiplyAdd(body, op.getAccumulator(), /*isUnsigned=*/false)};
    });
    rewriter.replaceOp(op, applyEpilogue(rewriter, op, sums, op.getInit()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Matrix product
//===----------------------------------------------------------------------===//

struct MatmulLowering : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    LoopNest nest(rewriter, op.getLoc());
    auto lhs = cast<RankedTensorType>(op.getLhs().getType());
    SmallVector<AffineExpr> loops =
        nest.addParallel(cast<RankedTensorType>(op.getResult().getType()).getShape());
    AffineExpr m = loops[loops.size() - 2], n = loops.back();
    AffineExpr k =
        nest.addReduction(lhs.getDimSize(lhs.getRank() - (op.getTransposeLhs() ? 2 : 1)));
    auto read = [&](Value operand, bool isTransposed, AffineExpr row, AffineExpr column) {
      SmallVector<AffineExpr> indices;
      if (cast<RankedTensorType>(operand.getType()).getRank() > 2)
        indices.assign(loops.begin(), loops.end() - 2);
      indices.push_back(isTransposed ? column : row);
      indices.push_back(isTransposed ? row : column);
      nest.read(operand, indices);
    };
    read(op.getLhs(), op.getTransposeLhs(), m, k);
    read(op.getRhs(), op.getTransposeRhs(), k, n);
    Value start = makeAccumulator(rewriter, op, op.getInit());
    Value sums = nest.build(start, loops, [&](NestBody body) -> SmallVector<Value> {
      return {multiplyAdd(body, op.getAccumulator(), op.getIsUnsigned())};
    });
    rewriter.replaceOp(op, applyEpilogue(rewriter, op, sums, op.getInit()));
    return success();
  }
};
} // namespace

void udnn::populateConvToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvLowering<ConvOp>, ConvLowering<ConvTransposeOp>, MatmulLowering>(
      patterns.getContext());
}
