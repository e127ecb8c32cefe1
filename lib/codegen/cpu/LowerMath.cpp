//===- LowerMath.cpp - math operations to calls -----------------------------===//
//
// Calls of libm where there is neither a polynomial nor an intrinsic.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCpu.h"

#include "../common/ExpandMath.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

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
  if (failed(approximateMath(module)))
    return failure();
  SmallVector<Operation *> calls;
  module.walk([&](Operation *op) {
    if (isa_and_present<math::MathDialect>(op->getDialect()) && !hasIntrinsic(op) &&
        !isa<math::IPowIOp>(op))
      calls.push_back(op);
  });
  if (calls.empty())
    return success();
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  return applyOpPatternsGreedily(calls, std::move(patterns), config);
}
