//===- ExpandMath.cpp - arithmetic that no target has -----------------------===//
//
// Polynomials where they are accurate to a few units in the last place of f32, and divisions and
// truncations that LLVM lacks.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "FloatBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace udnn::codegen;

/// Functions of f32 with a polynomial of MLIR that is good over the whole range.
static bool hasGoodPolynomial(StringRef name) {
  static const llvm::StringSet<> names = {math::TanhOp::getOperationName(),
                                          math::ErfOp::getOperationName()};
  return names.contains(name);
}

/// True for f64 to f16 and bf16, for which LLVM calls a function that no C library has.
static bool isLongTruncation(Operation *op) {
  if (!isa<arith::TruncFOp>(op))
    return false;
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  return getElementTypeOrSelf(op->getOperand(0).getType()).isF64() && (to.isF16() || to.isBF16());
}

namespace {
/// f64 to f16 through f32, rounded once: the first step rounds to odd, which keeps what the second
/// one needs to know of the bits that are lost.
struct TruncateThroughF32 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!isLongTruncation(op))
      return rewriter.notifyMatchFailure(op, "is supported by LLVM");
    Location loc = op.getLoc();
    Value exact = op.getIn();
    auto like = [&](Type element) -> Type {
      if (auto shaped = dyn_cast<ShapedType>(exact.getType()))
        return shaped.clone(element);
      return element;
    };
    Type f32 = like(rewriter.getF32Type()), i32 = like(rewriter.getI32Type());
    auto constant = [&](int64_t value) -> Value {
      TypedAttr attr = rewriter.getI32IntegerAttr(value);
      if (auto shaped = dyn_cast<ShapedType>(i32))
        attr = DenseElementsAttr::get(shaped, ArrayRef<Attribute>(attr));
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    Value nearest = arith::TruncFOp::create(rewriter, loc, f32, exact);
    Value back = arith::ExtFOp::create(rewriter, loc, exact.getType(), nearest);
    Value bits = arith::BitcastOp::create(rewriter, loc, i32, nearest);
    Value isInexact = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::ONE, back, exact);
    Value last = arith::AndIOp::create(rewriter, loc, bits, constant(1));
    Value isEven =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, last, constant(0));
    Value isAway = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                                         math::AbsFOp::create(rewriter, loc, back),
                                         math::AbsFOp::create(rewriter, loc, exact));
    Value step = arith::SelectOp::create(rewriter, loc, isAway, constant(-1), constant(1));
    Value moves = arith::AndIOp::create(rewriter, loc, isInexact, isEven);
    Value odd = arith::AddIOp::create(rewriter, loc, bits, step);
    odd = arith::SelectOp::create(rewriter, loc, moves, odd, bits);
    odd = arith::BitcastOp::create(rewriter, loc, f32, odd);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

/// A function of f32 by an approximation of udnn.
template <typename FunctionOp, Value (*build)(FloatBuilder &, Value)>
struct Approximate : OpRewritePattern<FunctionOp> {
  using OpRewritePattern<FunctionOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(FunctionOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "only f32 is approximated");
    FloatBuilder builder(op.getLoc(), rewriter, op.getType());
    rewriter.replaceOp(op, build(builder, op.getOperand()));
    return success();
  }
};
} // namespace

using PopulatePatterns = llvm::function_ref<void(RewritePatternSet &)>;

static LogicalResult rewrite(ArrayRef<Operation *> ops, PopulatePatterns populate) {
  if (ops.empty())
    return success();
  RewritePatternSet patterns(ops.front()->getContext());
  populate(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}

LogicalResult udnn::codegen::expandArithmetic(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op) ||
        isLongTruncation(op))
      ops.push_back(op);
  });
  return rewrite(ops, [](RewritePatternSet &patterns) {
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    patterns.add<TruncateThroughF32>(patterns.getContext());
  });
}

LogicalResult udnn::codegen::approximateMath(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa_and_present<math::MathDialect>(op->getDialect()) &&
        getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
        (isa<math::ExpOp, math::LogOp>(op) || hasGoodPolynomial(op->getName().getStringRef())))
      ops.push_back(op);
  });
  return rewrite(ops, [](RewritePatternSet &patterns) {
    patterns.add<Approximate<math::ExpOp, buildExp>, Approximate<math::LogOp, buildLog>>(
        patterns.getContext());
    populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
  });
}

void udnn::codegen::addBFloat16Passes(OpPassManager &passes) {
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  passes.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  passes.addPass(arith::createArithExpandOpsPass(expand));
}
