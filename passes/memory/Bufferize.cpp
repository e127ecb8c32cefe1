//===- Bufferize.cpp - tensors become buffers ---------------------------------------===//
//
// Runs One-Shot Bufferize on the entry and leaves the kernels, which describe problems on
// tensors, as they are.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Dialect/Dnn.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace udnn {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

namespace {

struct Bufferize : public udnn::impl::BufferizePassBase<Bufferize> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
    options.opFilter.denyOperation([](Operation *op) {
      return isa<dnn::KernelOp>(op) || op->getParentOfType<dnn::KernelOp>();
    });
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(getOperation(), options, state)))
      signalPassFailure();
  }
};

} // namespace
