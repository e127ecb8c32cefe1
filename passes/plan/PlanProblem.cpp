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
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using udnn::dnn::DimsAttr;

namespace udnn {

/// Sweeps over all nodes; each ends early when nothing changed.
static constexpr int kMaxSweeps = 8;

/// Fills in what the pick of `node` decides: what it reads, its results, and all that gets its
/// layout from them together with what stands beside them there.
static void collectValues(PlanNode &node) {
  llvm::SetVector<Value> values(node.unit.getInputs().begin(), node.unit.getInputs().end());
  SmallVector<Value> decided(node.unit.getResults());
  values.insert_range(decided);
  while (!decided.empty())
    for (Operation *user : decided.pop_back_val().getUsers())
      if (passesLayoutOn(user)) {
        values.insert_range(user->getOperands());
        if (values.insert(user->getResult(0)))
          decided.push_back(user->getResult(0));
      }
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()) && !matchPattern(value, m_Constant()))
      node.values.push_back(value);
}

void PlanProblem::finalize() {
  for (auto [i, node] : llvm::enumerate(nodes)) {
    nodeOf[node.unit] = i;
    collectValues(node);
  }
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

int64_t PlanProblem::getTransformNs(Value value, Operation *end,
                                    llvm::DenseMap<Value, DimsAttr> &known) const {
  SmallVector<DimsAttr> needed;
  auto need = [&](DimsAttr layout) {
    if (layout != getLayout(value, known) && !llvm::is_contained(needed, layout))
      needed.push_back(layout);
  };
  for (OpOperand &use : value.getUses()) {
    Operation *reader = use.getOwner();
    if (reader->getBlock() != body || (end && !reader->isBeforeInBlock(end)))
      continue;
    if (auto unit = dyn_cast<dnn::UnitOp>(reader)) {
      // Where a unit writes is made in the planned layout.
      if (use.getOperandNumber() < unit.getInputs().size())
        need(nodes[nodeOf.lookup(unit)].getPicked().candidate.inputLayouts[use.getOperandNumber()]);
    } else if (!passesLayoutOn(reader) || !getLayout(reader->getResult(0), known)) {
      need({});
    }
  }
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return needed.empty() ? 0 : needed.size() * predictCopyNs(bytes, device);
}

int64_t PlanProblem::getTimeNs(size_t number, size_t count) const {
  Operation *end = nullptr;
  if (count < nodes.size()) {
    dnn::UnitOp next = nodes[count].unit;
    end = next;
  }
  llvm::DenseMap<Value, DimsAttr> known;
  int64_t total = nodes[number].getPicked().timeNs;
  for (Value value : nodes[number].values)
    total += getTransformNs(value, end, known);
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
static bool improve(PlanProblem &problem, size_t number, ArrayRef<unsigned> picks, size_t count) {
  PlanNode &node = problem.getNodes()[number];
  unsigned before = node.picked, best = before;
  int64_t bestTime = problem.getTimeNs(number, count);
  for (unsigned pick : picks) {
    if (pick == before)
      continue;
    node.picked = pick;
    int64_t time = problem.getTimeNs(number, count);
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
  size_t count = picks.size();
  for (size_t i = 0; i < count; ++i)
    if (picks[i].size() > 1)
      improve(problem, i, picks[i], i + 1);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool changed = false;
    for (size_t i = 0; i < count; ++i)
      if (picks[i].size() > 1)
        changed |= improve(problem, i, picks[i], count);
    if (!changed)
      return;
  }
}

} // namespace udnn
