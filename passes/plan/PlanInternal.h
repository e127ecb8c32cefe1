//===- PlanInternal.h - parts of the pass dnn-plan ---------------*- C++ -*-===//
//
// Units with their choices, and the plan problem that they make.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_PLAN_PLANINTERNAL_H
#define UDNN_PASSES_PLAN_PLANINTERNAL_H

#include "udnn/Dialect/Dnn.h"
#include "udnn/Kernels/KernelFamily.h"
#include "udnn/Solve/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace udnn {

/// A candidate of a family with its predicted time.
struct Choice {
  const KernelFamily *family;
  Candidate candidate;
  int64_t timeNs;
  llvm::StringRef origin;
};

/// A unit and its choices, fastest first.
struct PlanNode {
  dnn::UnitOp unit;
  llvm::SmallVector<Choice> choices;
};

/// The problem of picking a choice for each of `nodes`, which are all units of the function in
/// program order. Steps are nodes; how concatenations and slices pass layouts on is that of
/// `LayoutRules.h`.
PlanProblem makePlanProblem(mlir::func::FuncOp function, llvm::ArrayRef<PlanNode> nodes,
                            dnn::DeviceAttr device);

} // namespace udnn

#endif // UDNN_PASSES_PLAN_PLANINTERNAL_H
