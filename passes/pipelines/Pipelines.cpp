//===- Pipelines.cpp - one pipeline per stage ---------------------------------===//
//
// Which passes make up a stage, and in which order.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Pipelines.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void udnn::buildMemoryPipeline(OpPassManager &pm) { pm.addPass(createCanonicalizerPass()); }

void udnn::registerPipelines() {
  PassPipelineRegistration<>("dnn-memory-pipeline",
                             "Dispatches on tensors to launches on buffers in one arena",
                             buildMemoryPipeline);
}
