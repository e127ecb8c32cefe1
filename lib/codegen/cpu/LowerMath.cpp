//===- LowerMath.cpp - math operations to arithmetic and calls -------------===//
//
// Polynomials where they are accurate to a few units in the last place of f32, libm elsewhere.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCpu.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

/// Functions of f32 with a polynomial that is good over the whole range.
static bool hasGoodPolynomial(StringRef name) {
  static const llvm::StringSet<> names = {
      math::ExpOp::getOperationName(), math::LogOp::getOperationName(),
      math::TanhOp::getOperationName(), math::ErfOp::getOperationName()};
  return names.contains(name);
}

/// Operations that LLVM has intrinsics for, exact or as good as libm. It lacks the others or
/// computes them with cancellation (expm1, log1p).
static bool hasIntrinsic(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CosOp, math::CtPopOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::ExpOp, math::Exp2Op,
             math::FloorOp, math::FmaOp, math::FPowIOp, math::IsFiniteOp, math::IsInfOp,
             math::IsNaNOp, math::IsNormalOp, math::LogOp, math::Log10Op, math::Log2Op,
             math::PowFOp, math::RoundOp, math::RoundEvenOp, math::RsqrtOp, math::SinOp,
             math::SqrtOp, math::TruncOp>(op);
}

LogicalResult udnn::codegen::lowerMath(ModuleOp module) {
  SmallVector<Operation *> polynomials, calls, powers;
  module.walk([&](Operation *op) {
    if (!isa_and_present<math::MathDialect>(op->getDialect()))
      return;
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    if (element.isF32() && hasGoodPolynomial(op->getName().getStringRef()))
      polynomials.push_back(op);
    else if (isa<math::IPowIOp>(op))
      powers.push_back(op);
    else if (!hasIntrinsic(op))
      calls.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  MLIRContext *context = module.getContext();
  auto rewrite = [&](ArrayRef<Operation *> ops,
                     llvm::function_ref<void(RewritePatternSet &)> populate) -> LogicalResult {
    if (ops.empty())
      return success();
    RewritePatternSet patterns(context);
    populate(patterns);
    return applyOpPatternsGreedily(ops, std::move(patterns), config);
  };
  if (failed(rewrite(polynomials, [](RewritePatternSet &patterns) {
        populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
      })))
    return failure();
  return rewrite(
      calls, [](RewritePatternSet &patterns) { populateMathToLibmConversionPatterns(patterns); });
}
