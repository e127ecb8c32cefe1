//===- PlanProblem.cpp - which choice for which unit ------------------------===//
//
// Evaluates and solves the choice of kernel families and layouts.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "PlanProblem.h"

#include "udnn/Cost/CostModel.h"
#include "udnn/Passes/LayoutRules.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using udnn::dnn::DimsAttr;

namespace udnn {

/// Sweeps over all nodes; each ends early when nothing changed.
static constexpr int kMaxSweeps = 8;

void PlanProblem::finalize() {
  for (auto [i, node] : llvm::enumerate(nodes))
    nodeOf[node.unit] = i;
}

DimsAttr PlanProblem::getLayout(Value value, llvm::DenseMap<Value, DimsAttr> &known) const {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  DimsAttr layout;
  Operation *op = value.getDefiningOp();
  if (auto unit = dyn_cast_or_null<dnn::UnitOp>(op)) {
    auto found = nodeOf.find(unit);
    if (found != nodeOf.end())
      layout = nodes[found->second]
                   .getPicked()
                   .candidate.resultLayouts[cast<OpResult>(value).getResultNumber()];
  } else if (passesLayoutOn(op)) {
    SmallVector<DimsAttr> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getLayout(operand, known));
    layout = deriveLayout(op, operands);
  }
  known[value] = layout;
  return layout;
}

int64_t PlanProblem::getTimeNs(size_t count) const {
  llvm::DenseMap<Value, DimsAttr> known;
  llvm::DenseSet<std::pair<Value, Attribute>> transforms;
  int64_t total = 0;
  auto need = [&](Value value, DimsAttr layout) {
    if (getLayout(value, known) == layout || matchPattern(value, m_Constant()))
      return;
    if (!transforms.insert({value, layout}).second)
      return;
    auto type = cast<RankedTensorType>(value.getType());
    int64_t bits = type.getElementTypeBitWidth();
    total += predictCopyNs(type.getNumElements() * bits / 8, device);
  };
  size_t seen = 0;
  for (Operation &op : *body) {
    if (auto unit = dyn_cast<dnn::UnitOp>(op)) {
      if (seen++ == count)
        break;
      const Choice &choice = nodes[nodeOf.lookup(unit)].getPicked();
      total += choice.timeNs;
      for (auto [value, layout] : llvm::zip(unit.getInputs(), choice.candidate.inputLayouts))
        if (isa<RankedTensorType>(value.getType()))
          need(value, layout);
      continue;
    }
    // What passes layouts on needs its operands in the derived layout's form, everything else
    // plain.
    DimsAttr layout;
    if (passesLayoutOn(&op))
      layout = getLayout(op.getResult(0), known);
    for (Value value : op.getOperands())
      if (isa<RankedTensorType>(value.getType()) && !layout)
        need(value, {});
  }
  return total;
}

bool PlanProblem::verify() const {
  return llvm::all_of(nodes, [](const PlanNode &node) {
    if (node.picked >= node.choices.size())
      return false;
    const Candidate &candidate = node.getPicked().candidate;
    dnn::UnitOp unit = node.unit;
    return candidate.inputLayouts.size() == unit.getInputs().size() &&
           candidate.resultLayouts.size() == unit.getNumResults();
  });
}

/// The picks worth trying: of equal layouts the fastest only (choices are sorted by time).
static SmallVector<unsigned> getDistinctPicks(const PlanNode &node) {
  SmallVector<unsigned> picks;
  for (unsigned i = 0; i < node.choices.size(); ++i)
    if (llvm::none_of(picks, [&](unsigned other) {
          const Candidate &a = node.choices[i].candidate, &b = node.choices[other].candidate;
          return a.inputLayouts == b.inputLayouts && a.resultLayouts == b.resultLayouts;
        }))
      picks.push_back(i);
  return picks;
}

/// Tries every distinct pick of one node and keeps the best; true when it changed.
static bool improve(PlanProblem &problem, PlanNode &node, ArrayRef<unsigned> picks, size_t count) {
  unsigned before = node.picked, best = before;
  int64_t bestTime = problem.getTimeNs(count);
  for (unsigned pick : picks) {
    if (pick == before)
      continue;
    node.picked = pick;
    int64_t time = problem.getTimeNs(count);
    if (time < bestTime) {
      bestTime = time;
      best = pick;
    }
  }
  node.picked = best;
  return best != before;
}

void solveByDescent(PlanProblem &problem) {
  SmallVector<SmallVector<unsigned>> picks;
  for (PlanNode &node : problem.getNodes())
    picks.push_back(getDistinctPicks(node));
  for (auto [i, node] : llvm::enumerate(problem.getNodes()))
    if (picks[i].size() > 1)
      improve(problem, node, picks[i], i + 1);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool changed = false;
    for (auto [i, node] : llvm::enumerate(problem.getNodes()))
      if (picks[i].size() > 1)
        changed |= improve(problem, node, picks[i], problem.getNodes().size());
    if (!changed)
      return;
  }
}

} // namespace udnn
