//===- Pipelines.cpp - one pipeline per stage ---------------------------------===//
//
// Which passes make up a stage, and in which order.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Pipelines.h"

#include "udnn/Passes/Codegen.h"
#include "udnn/Passes/Memory.h"
#include "udnn/Passes/Select.h"
#include "udnn/Passes/Simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void udnn::buildSimplifyPipeline(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createCanonicalizerPass());
  function.addPass(createFoldConstantsPass());
  function.addPass(createFoldPadPass());
  // Plans describe layouts relative to the order batch, channel, spatial, so that transpositions
  // are cancelled here but not hidden in dimension numbers.
  AbsorbTransposesPassOptions transposes;
  transposes.absorbDims = false;
  function.addPass(createAbsorbTransposesPass(transposes));
  // Biases first: batch normalization folds into a convolution with nothing but a bias.
  function.addPass(createFuseElementwisePass());
  function.addPass(createFuseEpiloguePass());
  function.addPass(createFoldBatchNormPass());
  function.addPass(createFuseElementwisePass());
  function.addPass(createFuseEpiloguePass());
  function.addPass(createFoldConstantsPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(createFormUnitsPass());
  pm.addPass(createVerifySimplifiedPass());
}

void udnn::buildPlanPipeline(OpPassManager &pm, const PlanPassOptions &options) {
  pm.addPass(createPlanPass(options));
  pm.addPass(createVerifyPlannedPass());
}

void udnn::buildSelectPipeline(OpPassManager &pm) {
  pm.addPass(createSelectPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Packs filters; what is left of the packing runs at run time.
  pm.addNestedPass<func::FuncOp>(createFoldConstantsPass());
  pm.addNestedPass<func::FuncOp>(createWrapTransformsPass());
  PlanPassOptions transforms;
  transforms.keepLayouts = true;
  buildPlanPipeline(pm, transforms);
  pm.addPass(createSelectPass());
  pm.addPass(createVerifySelectedPass());
}

void udnn::buildMemoryPipeline(OpPassManager &pm) {
  pm.addPass(createVerifySelectedPass());
  pm.addNestedPass<func::FuncOp>(createWriteToOutputsPass());
  pm.addNestedPass<func::FuncOp>(createOrderSlicesPass());
  pm.addNestedPass<func::FuncOp>(createWriteInPlacePass());
  pm.addPass(createBufferizePass());
  pm.addPass(createLowerCopiesPass());
  pm.addPass(createSpecializeKernelsPass());
  pm.addPass(createPlanArenaPass());
  pm.addPass(createLowerToLaunchesPass());
  pm.addPass(createVerifyLaunchesPass());
}

void udnn::buildCodegenPipeline(OpPassManager &pm) {
  pm.addPass(createCodegenPass());
  pm.addPass(createVerifyLaunchesPass());
}

void udnn::registerPipelines() {
  PassPipelineRegistration<>("dnn-simplify-pipeline", "The imported graph to units",
                             buildSimplifyPipeline);
  PassPipelineRegistration<>("dnn-plan-pipeline", "Units to planned units, with default limits",
                             [](OpPassManager &pm) { buildPlanPipeline(pm, {}); });
  PassPipelineRegistration<>("dnn-select-pipeline", "Planned units to dispatches on tensors",
                             buildSelectPipeline);
  PassPipelineRegistration<>("dnn-memory-pipeline",
                             "Dispatches on tensors to launches on buffers in one arena",
                             buildMemoryPipeline);
  PassPipelineRegistration<>("dnn-codegen-pipeline", "Launches to compiled kernels",
                             buildCodegenPipeline);
}
