//===- PlanProblem.h - which choice for which unit ---------------*- C++ -*-===//
//
// The problem of picking one choice per unit so that predicted time and layout transforms are
// least, and its solver.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_PLAN_PLANPROBLEM_H
#define UDNN_PASSES_PLAN_PLANPROBLEM_H

#include "udnn/Dialect/Dnn.h"
#include "udnn/Kernels/KernelFamily.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace udnn {

/// A candidate of a family with its predicted time.
struct Choice {
  const KernelFamily *family;
  Candidate candidate;
  int64_t timeNs;
  llvm::StringRef origin;
};

/// A unit and its choices, fastest first; `picked` is the answer.
struct PlanNode {
  dnn::UnitOp unit;
  llvm::SmallVector<Choice> choices;
  unsigned picked = 0;
  /// The values whose transforms depend on the pick; filled in by `PlanProblem::finalize`.
  llvm::SmallVector<mlir::Value> values;

  const Choice &getPicked() const { return choices[picked]; }
};

/// The units of one function in program order. The time of an answer is the sum of the picked
/// choices' times and of one transform for every value and layout in which some reader needs the
/// value other than it is. Constants are transformed at compile time, at no cost.
class PlanProblem {
public:
  PlanProblem(mlir::func::FuncOp function, dnn::DeviceAttr device)
      : body(&function.getBody().front()), device(device) {}

  llvm::SmallVector<PlanNode, 0> &getNodes() { return nodes; }

  /// Index the nodes after all have been added.
  void finalize();

  /// The part of the predicted time that depends on the pick of node `number`, in nanoseconds: its
  /// choice's, and that of the transforms of its values, as if the first `count` nodes were all.
  int64_t getTimeNs(size_t number, size_t count) const;

  /// True when every node has a valid pick.
  bool verify() const;

private:
  /// Time of the transforms of `value` that readers before `end` (null: all readers) need.
  int64_t getTransformNs(mlir::Value value, mlir::Operation *end,
                         llvm::DenseMap<mlir::Value, dnn::DimsAttr> &known) const;
  dnn::DimsAttr getLayout(mlir::Value value,
                          llvm::DenseMap<mlir::Value, dnn::DimsAttr> &known) const;

  mlir::Block *body;
  dnn::DeviceAttr device;
  llvm::SmallVector<PlanNode, 0> nodes;
  llvm::DenseMap<mlir::Operation *, size_t> nodeOf;
};

/// Picks choices: forward in program order, each the best after those before it, then sweeps that
/// change one pick at a time until none helps. Deterministic.
void solveByDescent(PlanProblem &problem);

} // namespace udnn

#endif // UDNN_PASSES_PLAN_PLANPROBLEM_H
