//===- PlanTimes.cpp - the times of a plan's parts ----------------------------===//
//
// Follows layouts from steps to wholes and to their readers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "PlanTimes.h"

#include <algorithm>

using namespace udnn;

PlanTimes::PlanTimes(const PlanProblem &problem, const std::vector<size_t> &picks)
    : problem(problem), picks(picks) {
  const std::vector<PlanTensor> &tensors = problem.getTensors();
  const std::vector<PlanStep> &steps = problem.getSteps();
  writers.assign(tensors.size(), -1);
  resultNumbers.assign(tensors.size(), 0);
  uses.resize(tensors.size());
  wholes.resize(tensors.size());
  layouts.assign(tensors.size(), kPlainLayout);
  epochs.assign(tensors.size(), 0);
  for (size_t step = 0; step < steps.size(); ++step) {
    for (size_t i = 0; i < steps[step].inputs.size(); ++i)
      uses[steps[step].inputs[i]].push_back({step, i});
    for (size_t i = 0; i < steps[step].results.size(); ++i) {
      writers[steps[step].results[i]] = int(step);
      resultNumbers[steps[step].results[i]] = int(i);
    }
  }
  for (size_t whole = 0; whole < tensors.size(); ++whole)
    for (const PlanPart &part : tensors[whole].parts)
      wholes[part.tensor].push_back(int(whole));
}

int PlanTimes::computeLayout(const PlanTensor &tensor) {
  int common = kPlainLayout;
  for (size_t i = 0; i < tensor.parts.size(); ++i) {
    const PlanPart &part = tensor.parts[i];
    size_t layout = getLayout(part.tensor);
    int whole = layout < part.wholeLayouts.size() ? part.wholeLayouts[layout] : kPlainLayout;
    if (i > 0 && whole != common)
      return kPlainLayout;
    common = whole;
  }
  return common;
}

int PlanTimes::getLayout(int tensor) {
  if (epochs[tensor] == epoch)
    return layouts[tensor];
  int layout;
  if (int step = writers[tensor]; step >= 0)
    layout = problem.getSteps()[step].choices[picks[step]].results[resultNumbers[tensor]];
  else
    layout = computeLayout(problem.getTensors()[tensor]);
  epochs[tensor] = epoch;
  return layouts[tensor] = layout;
}

int64_t PlanTimes::getTransformNs(int tensor, size_t end) {
  const std::vector<PlanTensor> &tensors = problem.getTensors();
  if (tensors[tensor].transformNs == 0)
    return 0;
  int own = getLayout(tensor);
  needed.clear();
  auto need = [&](int layout) {
    if (layout != own && std::find(needed.begin(), needed.end(), layout) == needed.end())
      needed.push_back(layout);
  };
  auto isBeforeEnd = [&](int stepsBefore) {
    return stepsBefore >= 0 && size_t(stepsBefore) <= end;
  };
  for (const Use &use : uses[tensor])
    if (use.step < end)
      need(problem.getSteps()[use.step].choices[picks[use.step]].inputs[use.input]);
  for (int whole : wholes[tensor])
    if (isBeforeEnd(tensors[whole].stepsBefore) && getLayout(whole) == kPlainLayout)
      need(kPlainLayout);
  if (isBeforeEnd(tensors[tensor].plainReaderAfter))
    need(kPlainLayout);
  return int64_t(needed.size()) * tensors[tensor].transformNs;
}

std::vector<int> PlanTimes::getTensorsOf(size_t step) const {
  std::vector<bool> isFound(problem.getTensors().size(), false);
  std::vector<int> found;
  auto add = [&](int tensor) {
    if (isFound[tensor])
      return false;
    isFound[tensor] = true;
    found.push_back(tensor);
    return true;
  };
  std::vector<int> decided = problem.getSteps()[step].results;
  for (int input : problem.getSteps()[step].inputs)
    add(input);
  for (int result : decided)
    add(result);
  while (!decided.empty()) {
    int tensor = decided.back();
    decided.pop_back();
    for (int whole : wholes[tensor]) {
      for (const PlanPart &part : problem.getTensors()[whole].parts)
        add(part.tensor);
      if (add(whole))
        decided.push_back(whole);
    }
  }
  return found;
}
