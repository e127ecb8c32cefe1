//===- AbsorbTransposes.cpp - cancel and absorb transpositions --------------===//
//
// Moves transpositions down until they meet their inverse, or an operation that can name its
// dimensions in another order.
//
// A permutation p is that of linalg.transpose: dimension i of the result is dimension p[i] of the
// input.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_ABSORBTRANSPOSESPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;
using dnn::DimsAttr;

static linalg::TransposeOp getTranspose(Value value) {
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  return op && op.hasPureTensorSemantics() ? op : linalg::TransposeOp();
}

/// `value` transposed by `permutation`.
static Value createTranspose(OpBuilder &builder, Location loc, Value value,
                             ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  auto result =
      RankedTensorType::get(applyPermutation(type.getShape(), permutation), type.getElementType());
  Value empty = createEmpty(builder, loc, result);
  return linalg::TransposeOp::create(builder, loc, value, empty, permutation)->getResult(0);
}

/// The type before a transposition whose result has type `type`.
static RankedTensorType getSourceType(RankedTensorType type, ArrayRef<int64_t> permutation) {
  return RankedTensorType::get(
      applyPermutation(type.getShape(), invertPermutationVector(permutation)),
      type.getElementType());
}

/// `map` from the dimensions after a transposition, as one from those before it.
static AffineMap mapBefore(AffineMap map, ArrayRef<int64_t> permutation) {
  SmallVector<AffineExpr> dims;
  for (int64_t source : permutation)
    dims.push_back(getAffineDimExpr(source, map.getContext()));
  return map.replaceDimsAndSymbols(dims, {}, permutation.size(), 0);
}

/// The roles of the dimensions before a transposition, given those after it.
static DimsAttr dimsBefore(DimsAttr dims, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse = invertPermutationVector(permutation);
  return DimsAttr::get(dims.getContext(), applyPermutation(dims.getRoles(), inverse),
                       applyPermutation(dims.getBlocks(), inverse), dims.getChannels(),
                       dims.getFilters());
}

static DimsAttr dimsAfter(DimsAttr dims, ArrayRef<int64_t> permutation) {
  return dimsBefore(dims, invertPermutationVector(permutation));
}

static void emitAbsorbed(Operation *op, StringRef how) {
  report(op->getLoc(), "dnn-absorb-transposes", "absorb", how + " " + op->getName().getStringRef());
}

static void emitRemoved(linalg::TransposeOp op, StringRef how) {
  report(op.getLoc(), "dnn-absorb-transposes", "cancel", how);
}

namespace {

//===----------------------------------------------------------------------===//
// Cancelling and moving
//===----------------------------------------------------------------------===//

/// Two transpositions are one, or none.
struct MergeTransposes : public OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op, PatternRewriter &rewriter) const override {
    if (isIdentityPermutation(op.getPermutation())) {
      emitRemoved(op, "changed no order");
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    linalg::TransposeOp first = getTranspose(op.getInput());
    if (!first)
      return rewriter.notifyMatchFailure(op, "does not follow a transposition");
    SmallVector<int64_t> both = applyPermutation(first.getPermutation(), op.getPermutation());
    emitRemoved(op, isIdentityPermutation(both) ? "cancelled with its inverse"
                                                : "merged with the one before");
    if (isIdentityPermutation(both))
      rewriter.replaceOp(op, first.getInput());
    else
      rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), first.getInput(), both));
    return success();
  }
};

/// A transposition that only moves dimensions of size 1 moves no data.
struct TransposeToReshape : public OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op, PatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getInput().getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (source.getDimSize(dim) == 1)
        continue;
      if (dim < last)
        return rewriter.notifyMatchFailure(op, "moves data");
      last = dim;
    }
    emitRemoved(op, "became a view");
    ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(source.getRank()));
    auto flat = RankedTensorType::get({source.getNumElements()}, source.getElementType());
    Value line = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), flat, op.getInput(),
                                                 SmallVector<ReassociationIndices>{all});
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, result, line,
                                                       SmallVector<ReassociationIndices>{all});
    return success();
  }
};

/// An element-wise operation on tensors that were all transposed alike works before the
/// transposition. Smaller operands are read through other maps.
struct SinkThroughElementwise : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op.hasIndexSemantics())
      return rewriter.notifyMatchFailure(op, "is not element-wise");
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    ArrayRef<int64_t> permutation;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto operandType = dyn_cast<RankedTensorType>(operand->get().getType());
      if (!operandType || operandType.getNumElements() != type.getNumElements())
        continue;
      linalg::TransposeOp transpose = getTranspose(operand->get());
      if (!transpose || !op.getMatchingIndexingMap(operand).isIdentity() ||
          (!permutation.empty() && transpose.getPermutation() != permutation))
        return rewriter.notifyMatchFailure(op, "reads tensors in another order");
      permutation = transpose.getPermutation();
    }
    if (permutation.empty())
      return rewriter.notifyMatchFailure(op, "reads no transposition");
    rewriteBefore(rewriter, op, type, permutation);
    return success();
  }

  static void rewriteBefore(PatternRewriter &rewriter, linalg::GenericOp op, RankedTensorType type,
                            ArrayRef<int64_t> permutation) {
    RankedTensorType sourceType = getSourceType(type, permutation);
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto operandType = dyn_cast<RankedTensorType>(operand->get().getType());
      bool isWhole = operandType && operandType.getNumElements() == type.getNumElements();
      AffineMap map = op.getMatchingIndexingMap(operand);
      inputs.push_back(isWhole ? getTranspose(operand->get()).getInput() : operand->get());
      maps.push_back(isWhole ? map : mapBefore(map, permutation));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
    Value empty = createEmpty(rewriter, op.getLoc(), sourceType);
    auto moved = linalg::GenericOp::create(rewriter, op.getLoc(), sourceType, inputs, empty, maps,
                                           op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), moved.getRegion(), moved.getRegion().begin());
    rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), moved.getResult(0), permutation));
  }
};

/// Softmax along the dimension that the transposition moved.
template <typename SoftmaxOp>
struct SinkThroughSoftmax : public OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern<SoftmaxOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op, PatternRewriter &rewriter) const override {
    linalg::TransposeOp transpose = getTranspose(op.getInput());
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "does not read a transposition");
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    Value input = transpose.getInput();
    Value empty = createEmpty(rewriter, op.getLoc(), cast<RankedTensorType>(input.getType()));
    Value moved = SoftmaxOp::create(rewriter, op.getLoc(), input.getType(), input, empty,
                                    permutation[op.getDimension()]);
    rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), moved, permutation));
    return success();
  }
};

/// A concatenation of tensors that were all transposed alike.
struct SinkThroughConcat : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    ArrayRef<int64_t> permutation;
    for (Value input : op.getInputs()) {
      linalg::TransposeOp transpose = getTranspose(input);
      if (!transpose || (!permutation.empty() && transpose.getPermutation() != permutation))
        return rewriter.notifyMatchFailure(op, "reads tensors in another order");
      permutation = transpose.getPermutation();
      inputs.push_back(transpose.getInput());
    }
    Value moved = tensor::ConcatOp::create(rewriter, op.getLoc(), permutation[op.getDim()], inputs);
    rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), moved, permutation));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Absorbing
//===----------------------------------------------------------------------===//

/// True when only the last two dimensions change places.
static bool swapsMatrix(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> expected = llvm::to_vector(llvm::seq<int64_t>(permutation.size()));
  if (expected.size() < 2)
    return false;
  std::swap(expected[expected.size() - 1], expected[expected.size() - 2]);
  return permutation == ArrayRef(expected);
}

/// A matrix product reads transposed matrices as they are.
struct AbsorbInMatmul : public OpRewritePattern<dnn::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(dnn::MatmulOp op, PatternRewriter &rewriter) const override {
    linalg::TransposeOp lhs = getTranspose(op.getLhs()), rhs = getTranspose(op.getRhs());
    bool absorbLhs = lhs && swapsMatrix(lhs.getPermutation());
    bool absorbRhs = rhs && swapsMatrix(rhs.getPermutation());
    if (!absorbLhs && !absorbRhs)
      return rewriter.notifyMatchFailure(op, "reads no transposed matrix");
    rewriter.modifyOpInPlace(op, [&] {
      if (absorbLhs) {
        op.getLhsMutable().assign(lhs.getInput());
        op.setTransposeLhs(!op.getTransposeLhs());
      }
      if (absorbRhs) {
        op.getRhsMutable().assign(rhs.getInput());
        op.setTransposeRhs(!op.getTransposeRhs());
      }
    });
    emitAbsorbed(op, "absorbed in the operands of");
    return success();
  }
};

/// A convolution names the dimensions of its input in the order before the transposition.
template <typename ConvOp>
struct AbsorbInConvInput : public OpRewritePattern<ConvOp> {
  using OpRewritePattern<ConvOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    linalg::TransposeOp transpose = getTranspose(op.getInput());
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "does not read a transposition");
    rewriter.modifyOpInPlace(op, [&] {
      op.setInputDimsAttr(dimsBefore(op.getInputDims(), transpose.getPermutation()));
      op.getInputMutable().assign(transpose.getInput());
    });
    emitAbsorbed(op, "absorbed in the input of");
    return success();
  }
};

/// A convolution that only a transposition reads writes its result in that order.
template <typename ConvOp>
struct AbsorbInConvResult : public OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op, PatternRewriter &rewriter) const override {
    auto conv = op.getInput().getDefiningOp<ConvOp>();
    if (!conv || !conv->hasOneUse() || conv.getAccumulate())
      return rewriter.notifyMatchFailure(op, "is not the only reader of a convolution");
    ArrayRef<int64_t> permutation = op.getPermutation();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<AffineMap> maps;
    for (AffineMap map : conv.getExtraMapValues())
      maps.push_back(mapBefore(map, invertPermutationVector(permutation)));
    rewriter.setInsertionPoint(conv);
    Value empty = createEmpty(rewriter, conv.getLoc(), type);
    rewriter.modifyOpInPlace(conv, [&] {
      conv.setOutputDimsAttr(dimsAfter(conv.getOutputDims(), permutation));
      conv.setExtraMapValues(maps);
      conv.getInitMutable().assign(empty);
      conv.getResult().setType(type);
    });
    emitAbsorbed(conv, "absorbed in the result of");
    rewriter.replaceOp(op, conv.getResult());
    return success();
  }
};

/// Pooling and normalization have the same order of dimensions in input and result: they work
/// before the transposition.
template <typename OpTy>
struct SinkThroughPrimitive : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    linalg::TransposeOp transpose = getTranspose(op.getInput());
    if (!transpose || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "does not read a transposition");
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    RankedTensorType type =
        getSourceType(cast<RankedTensorType>(op->getResult(0).getType()), permutation);
    Value empty = createEmpty(rewriter, op.getLoc(), type);
    Operation *moved = rewriter.clone(*op.getOperation());
    rewriter.modifyOpInPlace(moved, [&] {
      auto typed = cast<OpTy>(moved);
      typed.setDimsAttr(dimsBefore(op.getDims(), permutation));
      typed.getInputMutable().assign(transpose.getInput());
      typed.getInitMutable().assign(empty);
      moved->getResult(0).setType(type);
    });
    rewriter.replaceOp(op,
                       createTranspose(rewriter, op.getLoc(), moved->getResult(0), permutation));
    return success();
  }
};

struct AbsorbTransposesPass : public udnn::impl::AbsorbTransposesPassBase<AbsorbTransposesPass> {
  using AbsorbTransposesPassBase::AbsorbTransposesPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<MergeTransposes, TransposeToReshape, SinkThroughElementwise,
                 SinkThroughSoftmax<dnn::SoftmaxOp>, SinkThroughSoftmax<dnn::LogSoftmaxOp>,
                 SinkThroughConcat, AbsorbInMatmul>(context);
    if (absorbDims)
      patterns.add<AbsorbInConvInput<dnn::ConvOp>, AbsorbInConvInput<dnn::ConvTransposeOp>,
                   AbsorbInConvResult<dnn::ConvOp>, AbsorbInConvResult<dnn::ConvTransposeOp>,
                   SinkThroughPrimitive<dnn::MaxPoolOp>, SinkThroughPrimitive<dnn::AvgPoolOp>,
                   SinkThroughPrimitive<dnn::BatchNormOp>,
                   SinkThroughPrimitive<dnn::InstanceNormOp>, SinkThroughPrimitive<dnn::LRNOp>>(
          context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
