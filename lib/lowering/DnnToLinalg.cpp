//===- DnnToLinalg.cpp - primitives as linalg operations --------------------===//
//
// The pass that replaces dnn primitives by linalg operations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Lowering/DnnToLinalg.h"

#include "Patterns.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Passes/Lowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace udnn {

void populateDnnToLinalgPatterns(RewritePatternSet &patterns) {
  populateConvToLinalgPatterns(patterns);
  populatePoolToLinalgPatterns(patterns);
  populateNormToLinalgPatterns(patterns);
  populateResizeToLinalgPatterns(patterns);
}

#define GEN_PASS_DEF_CONVERTDNNTOLINALGPASS
#include "udnn/Passes/Lowering.h.inc"

namespace {
struct ConvertDnnToLinalg : impl::ConvertDnnToLinalgPassBase<ConvertDnnToLinalg> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateDnnToLinalgPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
    getOperation()->walk([&](Operation *op) {
      if (!isa<dnn::BatchOpInterface>(op))
        return;
      InFlightDiagnostic diagnostic = op->emitOpError("is not supported as linalg operations for");
      for (Type type : op->getOperandTypes())
        diagnostic << " " << type;
      signalPassFailure();
    });
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace

} // namespace udnn
