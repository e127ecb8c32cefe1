//===- Pipelines.cpp - one pipeline per stage ---------------------------------===//
//
// Which passes make up a stage, and in which order.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Pipelines.h"

#include "udnn/Passes/Select.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void udnn::buildPlanPipeline(OpPassManager &pm, const PlanPassOptions &options) {
  pm.addPass(createPlanPass(options));
  pm.addPass(createVerifyPlannedPass());
}

void udnn::buildSelectPipeline(OpPassManager &pm) {
  pm.addPass(createSelectPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createDispatchRestPass());
}

void udnn::buildMemoryPipeline(OpPassManager &pm) { pm.addPass(createCanonicalizerPass()); }

void udnn::registerPipelines() {
  PassPipelineRegistration<>("dnn-plan-pipeline", "Units to planned units, with default limits",
                             [](OpPassManager &pm) { buildPlanPipeline(pm, {}); });
  PassPipelineRegistration<>("dnn-select-pipeline", "Planned units to dispatches on tensors",
                             buildSelectPipeline);
  PassPipelineRegistration<>("dnn-memory-pipeline",
                             "Dispatches on tensors to launches on buffers in one arena",
                             buildMemoryPipeline);
}
