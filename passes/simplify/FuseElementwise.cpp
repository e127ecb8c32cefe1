//===- FuseElementwise.cpp - fuse chains of element-wise operations ---------===//
//
// Upstream element-wise fusion under a rule that keeps bodies small and work unrepeated.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;

namespace {

/// Brings structured element-wise operations with names to their general form. Fills stay: they
/// are inits. Transpositions stay: they have kernels of their own.
struct GeneralizeElementwise : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp>(op))
      return rewriter.notifyMatchFailure(op, "is general already, or stays");
    if (op.getNumParallelLoops() != op.getNumLoops())
      return rewriter.notifyMatchFailure(op, "is not element-wise");
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

} // namespace

/// Operations that cost more than a few instructions.
static bool isExpensive(Operation &op) {
  return isa_and_nonnull<math::MathDialect>(op.getDialect()) ||
         isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
             arith::RemUIOp, tensor::ExtractOp>(op);
}

/// Whether the producer of `operand` may be computed inside its reader.
static bool shouldFuse(OpOperand *operand, int64_t maxOps, int64_t maxInputs) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || consumer.getNumParallelLoops() != consumer.getNumLoops())
    return false;
  // What adds to its init would do so once per element of the reader.
  if (llvm::any_of(producer.getDpsInitsMutable(),
                   [&](OpOperand &init) { return producer.payloadUsesValueFromOperand(&init); }))
    return false;
  Block &body = *producer.getBody();
  int64_t numOps = body.getOperations().size() + consumer.getBody()->getOperations().size();
  int64_t numInputs = producer.getNumDpsInputs() + consumer.getNumDpsInputs() - 1;
  if (numOps > maxOps || numInputs > maxInputs)
    return false;
  // A producer without inputs that does nothing but yield a constant is worth any number of copies.
  bool isCheap = llvm::none_of(body, isExpensive) && body.getOperations().size() <= 4;
  bool hasOneReader =
      llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; });
  if (!hasOneReader && !(isCheap && producer.getNumDpsInputs() == 0))
    return false;
  // Through a broadcast every element would be computed several times.
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return isCheap || map.isPermutation();
}

/// Whether an element-wise reader may work before the expanding reshape that `operand` comes from:
/// what computes the reshape's source is then next to its reader, as a matrix product and its bias.
static bool shouldWorkBeforeReshape(OpOperand *operand) {
  auto reshape = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  auto reader = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!reshape || !reader || !isElementwise(reader) || reader.hasIndexSemantics() ||
      !reshape->hasOneUse() || !reader.getMatchingIndexingMap(operand).isIdentity())
    return false;
  Operation *source = reshape.getSrc().getDefiningOp();
  return isa_and_nonnull<dnn::EpilogueOpInterface, linalg::GenericOp>(source) &&
         source->hasOneUse();
}

namespace {

struct FuseElementwisePass : public udnn::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet general(context);
    linalg::populateElementwiseToLinalgConversionPatterns(general);
    general.add<GeneralizeElementwise>(context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(general))))
      return signalPassFailure();

    RewritePatternSet fusion(context);
    auto control = [ops = maxOps.getValue(), inputs = maxInputs.getValue()](OpOperand *operand) {
      if (!shouldFuse(operand, ops, inputs))
        return false;
      report(operand->get().getLoc(), "dnn-fuse-elementwise", "fuse", "fused into its reader");
      return true;
    };
    linalg::populateElementwiseOpsFusionPatterns(fusion, control);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(fusion, shouldWorkBeforeReshape);
    linalg::populateEraseUnnecessaryInputsPatterns(fusion);
    linalg::GenericOp::getCanonicalizationPatterns(fusion, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(fusion))))
      return signalPassFailure();
  }
};

} // namespace
