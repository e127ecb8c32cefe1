//===- PlanProblem.cpp - the plan problem and its checks ----------------------===//
//
// Verification of instances and answers, and the time of an answer.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "PlanTimes.h"

#include <algorithm>
#include <limits>
#include <string>

using namespace udnn;

namespace {

/// Checks one instance.
class Checker {
public:
  Checker(const std::vector<PlanTensor> &tensors, const std::vector<PlanStep> &steps)
      : tensors(tensors), steps(steps), writers(tensors.size(), -1), readers(tensors.size(), 0) {}

  /// What is wrong; empty when nothing is.
  std::string check();

private:
  std::string checkStep(size_t number);
  std::string checkTensor(size_t number);
  std::string checkSum();

  bool exists(int tensor) const { return tensor >= 0 && size_t(tensor) < tensors.size(); }

  const std::vector<PlanTensor> &tensors;
  const std::vector<PlanStep> &steps;
  /// Of each tensor: the step that writes it, or -1, and how many read it.
  std::vector<int64_t> writers, readers;
};

} // namespace

static bool areLayouts(const std::vector<int> &layouts) {
  return std::all_of(layouts.begin(), layouts.end(), [](int layout) { return layout >= 0; });
}

std::string Checker::checkStep(size_t number) {
  const PlanStep &step = steps[number];
  std::string name = "step " + std::to_string(number);
  for (const std::vector<int> *list : {&step.inputs, &step.results})
    for (int tensor : *list)
      if (!exists(tensor))
        return "expects tensors of " + name + " to exist, got " + std::to_string(tensor);
  for (int tensor : step.inputs) {
    ++readers[tensor];
    if (!tensors[tensor].parts.empty() && tensors[tensor].stepsBefore > int64_t(number))
      return "expects tensor " + std::to_string(tensor) + " to be made before it is read";
  }
  for (int tensor : step.results) {
    if (writers[tensor] >= 0 || !tensors[tensor].parts.empty())
      return "expects tensor " + std::to_string(tensor) + " to be made once";
    if (readers[tensor])
      return "expects tensor " + std::to_string(tensor) + " to be made before it is read";
    writers[tensor] = number;
  }
  if (step.choices.empty())
    return "expects " + name + " to have a choice";
  for (const PlanChoice &choice : step.choices) {
    if (choice.inputs.size() != step.inputs.size() || choice.results.size() != step.results.size())
      return "expects choices of " + name + " to have " + std::to_string(step.inputs.size()) +
             " input and " + std::to_string(step.results.size()) + " result layouts, got " +
             std::to_string(choice.inputs.size()) + " and " + std::to_string(choice.results.size());
    if (!areLayouts(choice.inputs) || !areLayouts(choice.results))
      return "expects layouts of " + name + " to be at least 0";
    if (choice.timeNs < 0)
      return "expects times of " + name + " to be at least 0, got " + std::to_string(choice.timeNs);
  }
  return "";
}

std::string Checker::checkTensor(size_t number) {
  const PlanTensor &tensor = tensors[number];
  std::string name = "tensor " + std::to_string(number);
  if (tensor.transformNs < 0)
    return "expects the transform time of " + name + " to be at least 0, got " +
           std::to_string(tensor.transformNs);
  if (tensor.stepsBefore < 0 || size_t(tensor.stepsBefore) > steps.size())
    return "expects " + name + " to have from 0 to " + std::to_string(steps.size()) +
           " steps before it, got " + std::to_string(tensor.stepsBefore);
  int64_t made = std::max<int64_t>(writers[number] + 1, tensor.stepsBefore);
  if (tensor.plainReaderAfter != -1 &&
      (tensor.plainReaderAfter < made || size_t(tensor.plainReaderAfter) > steps.size()))
    return "expects the plain reader of " + name + " to have from " + std::to_string(made) +
           " to " + std::to_string(steps.size()) + " steps before it, got " +
           std::to_string(tensor.plainReaderAfter);
  for (const PlanPart &part : tensor.parts) {
    if (!exists(part.tensor) || size_t(part.tensor) >= number)
      return "expects parts of " + name + " to have smaller numbers, got " +
             std::to_string(part.tensor);
    if (!areLayouts(part.wholeLayouts))
      return "expects layouts of " + name + " to be at least 0";
    if (std::max<int64_t>(writers[part.tensor] + 1, tensors[part.tensor].stepsBefore) >
        tensor.stepsBefore)
      return "expects parts of " + name + " to be made before it";
    ++readers[part.tensor];
  }
  return "";
}

/// No answer takes longer than the slowest choices with a transform for every reader.
std::string Checker::checkSum() {
  const int64_t most = std::numeric_limits<int64_t>::max();
  int64_t sum = 0;
  auto add = [&](int64_t count, int64_t timeNs) {
    if (timeNs > 0 && count > (most - sum) / timeNs)
      return false;
    sum += count * timeNs;
    return true;
  };
  bool fits = true;
  for (size_t i = 0; i < tensors.size(); ++i)
    fits &= add(readers[i] + 1, tensors[i].transformNs);
  for (const PlanStep &step : steps) {
    int64_t slowest = 0;
    for (const PlanChoice &choice : step.choices)
      slowest = std::max(slowest, choice.timeNs);
    fits &= add(1, slowest);
  }
  return fits ? "" : "the times together exceed 2^63 ns";
}

std::string Checker::check() {
  for (size_t i = 0; i < steps.size(); ++i)
    if (std::string problem = checkStep(i); !problem.empty())
      return problem;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (std::string problem = checkTensor(i); !problem.empty())
      return problem;
  return checkSum();
}

Status PlanProblem::check() const {
  std::string problem = Checker(tensors, steps).check();
  return problem.empty() ? Status::success() : Status::failure(problem);
}

int64_t PlanProblem::getTimeNs(const std::vector<size_t> &picks) const {
  PlanTimes times(*this, picks);
  int64_t total = 0;
  for (size_t i = 0; i < steps.size(); ++i)
    total += steps[i].choices[picks[i]].timeNs;
  for (size_t i = 0; i < tensors.size(); ++i)
    total += times.getTransformNs(int(i), steps.size());
  return total;
}

Status PlanProblem::verify(const std::vector<size_t> &picks) const {
  if (picks.size() != steps.size())
    return Status::failure("expects a pick for each of " + std::to_string(steps.size()) +
                           " steps, got " + std::to_string(picks.size()));
  for (size_t i = 0; i < steps.size(); ++i)
    if (picks[i] >= steps[i].choices.size())
      return Status::failure("expects step " + std::to_string(i) + " to pick one of " +
                             std::to_string(steps[i].choices.size()) + " choices, got " +
                             std::to_string(picks[i]));
  return Status::success();
}
