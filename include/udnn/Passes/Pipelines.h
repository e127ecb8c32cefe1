//===- Pipelines.h - one pipeline per stage -----------------------*- C++ -*-===//
//
// The pipelines that take a module from one stage's contract to the next one's
// (docs/architecture.md). Each ends with the verify pass of its stage.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_PIPELINES_H
#define UDNN_PASSES_PIPELINES_H

#include "udnn/Passes/Plan.h"

#include "mlir/Pass/PassManager.h"

namespace udnn {

/// The imported graph to units.
void buildSimplifyPipeline(mlir::OpPassManager &pm);

/// Units to planned units.
void buildPlanPipeline(mlir::OpPassManager &pm, const PlanPassOptions &options);

/// Planned units to dispatches on tensors. The transforms that the plans need are planned in turn,
/// within the limits that the module was planned under; no family is forced on them.
void buildSelectPipeline(mlir::OpPassManager &pm);

/// Dispatches on tensors to launches on buffers in one arena.
void buildMemoryPipeline(mlir::OpPassManager &pm);

/// Launches to compiled kernels.
void buildCodegenPipeline(mlir::OpPassManager &pm);

/// Registers every stage's pipeline as `dnn-<stage>-pipeline`.
void registerPipelines();

} // namespace udnn

#endif // UDNN_PASSES_PIPELINES_H
