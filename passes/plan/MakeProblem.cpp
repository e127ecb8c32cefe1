//===- MakeProblem.cpp - a function as a plan problem -----------------------===//
//
// Numbers tensors and layouts, and looks up what passes layouts on and who reads what.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "PlanInternal.h"

#include "udnn/Cost/CostModel.h"
#include "udnn/Dialect/Storage.h"
#include "udnn/Passes/LayoutRules.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;
using udnn::dnn::DimsAttr;

namespace udnn {
namespace {

class ProblemMaker {
public:
  explicit ProblemMaker(dnn::DeviceAttr device) : device(device) { layouts.insert(DimsAttr()); }

  void addUnit(const PlanNode &node);
  /// Adds an operation that makes a whole from parts.
  void addWhole(Operation &op);
  /// Adds an operation that needs its operands plain.
  void addPlainReader(Operation &op);

  PlanProblem take() { return PlanProblem(std::move(tensors), std::move(steps)); }

private:
  int getTensor(Value value);
  /// The number of a layout that `tensor` may be in.
  int addLayout(int tensor, DimsAttr layout);
  std::vector<int> getNumbers(ValueRange values);

  dnn::DeviceAttr device;
  std::vector<PlanTensor> tensors;
  std::vector<PlanStep> steps;
  llvm::DenseMap<Value, int> numberOf;
  /// Layouts by their numbers, and which of them each tensor may be in.
  llvm::SetVector<DimsAttr> layouts;
  SmallVector<llvm::SetVector<int>, 0> layoutsOf;
};

} // namespace

int ProblemMaker::getTensor(Value value) {
  auto [entry, isNew] = numberOf.insert({value, int(tensors.size())});
  if (!isNew)
    return entry->second;
  PlanTensor &tensor = tensors.emplace_back();
  layoutsOf.emplace_back().insert(kPlainLayout);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && !matchPattern(value, m_Constant()))
    tensor.transformNs =
        predictCopyNs(getStorageBytes(type).value_or(std::numeric_limits<int64_t>::max()), device);
  return entry->second;
}

std::vector<int> ProblemMaker::getNumbers(ValueRange values) {
  std::vector<int> numbers;
  for (Value value : values)
    numbers.push_back(getTensor(value));
  return numbers;
}

int ProblemMaker::addLayout(int tensor, DimsAttr layout) {
  layouts.insert(layout);
  int number = llvm::find(layouts, layout) - layouts.begin();
  layoutsOf[tensor].insert(number);
  return number;
}

void ProblemMaker::addUnit(const PlanNode &node) {
  dnn::UnitOp unit = node.unit;
  PlanStep step{getNumbers(unit.getInputs()), getNumbers(unit.getResults()), {}};
  auto addLayouts = [&](ArrayRef<int> numbers, ArrayRef<DimsAttr> chosen) {
    std::vector<int> result;
    for (auto [number, layout] : llvm::zip(numbers, chosen))
      result.push_back(addLayout(number, layout));
    return result;
  };
  for (const Choice &choice : node.choices)
    step.choices.push_back({choice.timeNs, addLayouts(step.inputs, choice.candidate.inputLayouts),
                            addLayouts(step.results, choice.candidate.resultLayouts)});
  steps.push_back(std::move(step));
}

void ProblemMaker::addWhole(Operation &op) {
  std::vector<PlanPart> parts;
  for (OpOperand &operand : op.getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    parts.push_back({getTensor(operand.get()), {}});
  }
  int whole = getTensor(op.getResult(0));
  for (auto [i, part] : llvm::enumerate(parts))
    for (int layout : layoutsOf[part.tensor]) {
      part.wholeLayouts.resize(std::max<size_t>(part.wholeLayouts.size(), layout + 1));
      part.wholeLayouts[layout] = addLayout(whole, getWholeLayout(&op, i, layouts[layout]));
    }
  tensors[whole].parts = std::move(parts);
  tensors[whole].stepsBefore = steps.size();
}

void ProblemMaker::addPlainReader(Operation &op) {
  for (int number : getNumbers(op.getOperands()))
    if (tensors[number].plainReaderAfter < 0)
      tensors[number].plainReaderAfter = steps.size();
}

PlanProblem makePlanProblem(func::FuncOp function, ArrayRef<PlanNode> nodes,
                            dnn::DeviceAttr device) {
  ProblemMaker maker(device);
  for (Operation &op : function.getBody().front()) {
    if (isa<dnn::UnitOp>(op)) {
      maker.addUnit(nodes.front());
      nodes = nodes.drop_front();
    } else if (passesLayoutOn(&op)) {
      maker.addWhole(op);
    } else {
      maker.addPlainReader(op);
    }
  }
  return maker.take();
}

} // namespace udnn
