//===- PlanSolver.cpp - picks by descent --------------------------------------===//
//
// A forward pass, then sweeps that change one pick at a time.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "PlanTimes.h"

#include <algorithm>

using namespace udnn;

/// Sweeps over all steps; they end early when nothing changed.
static constexpr int kMaxSweeps = 8;

namespace {

class Descent {
public:
  explicit Descent(const PlanProblem &problem);
  std::vector<size_t> solve();

private:
  /// The part of the time that depends on the pick of a step, as if the steps before `end` were
  /// all.
  int64_t getTimeNs(size_t step, size_t end);
  /// Tries every pick of a step that is worth it and keeps the best; true when it changed.
  bool improve(size_t step, size_t end);

  const std::vector<PlanStep> &steps;
  std::vector<size_t> picks;
  PlanTimes times;
  /// Of each step: the tensors whose transforms depend on its pick, and the picks worth trying.
  std::vector<std::vector<int>> tensors;
  std::vector<std::vector<size_t>> candidates;
};

} // namespace

/// The picks worth trying: of equal layouts the fastest, or the first of equally fast ones.
static std::vector<size_t> getCandidates(const PlanStep &step) {
  std::vector<size_t> order(step.choices.size()), candidates;
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return step.choices[a].timeNs < step.choices[b].timeNs;
  });
  for (size_t pick : order) {
    const PlanChoice &choice = step.choices[pick];
    if (std::none_of(candidates.begin(), candidates.end(), [&](size_t other) {
          return step.choices[other].inputs == choice.inputs &&
                 step.choices[other].results == choice.results;
        }))
      candidates.push_back(pick);
  }
  return candidates;
}

Descent::Descent(const PlanProblem &problem)
    : steps(problem.getSteps()), picks(steps.size(), 0), times(problem, picks) {
  for (size_t i = 0; i < steps.size(); ++i) {
    candidates.push_back(getCandidates(steps[i]));
    tensors.push_back(candidates[i].size() > 1 ? times.getTensorsOf(i) : std::vector<int>());
    picks[i] = candidates[i].front();
  }
}

int64_t Descent::getTimeNs(size_t step, size_t end) {
  times.forgetLayouts();
  int64_t total = steps[step].choices[picks[step]].timeNs;
  for (int tensor : tensors[step])
    total += times.getTransformNs(tensor, end);
  return total;
}

bool Descent::improve(size_t step, size_t end) {
  size_t before = picks[step], best = before;
  int64_t bestTime = getTimeNs(step, end);
  for (size_t pick : candidates[step]) {
    if (pick == before)
      continue;
    picks[step] = pick;
    int64_t time = getTimeNs(step, end);
    if (time < bestTime) {
      bestTime = time;
      best = pick;
    }
  }
  picks[step] = best;
  return best != before;
}

std::vector<size_t> Descent::solve() {
  size_t count = steps.size();
  for (size_t i = 0; i < count; ++i)
    if (candidates[i].size() > 1)
      improve(i, i + 1);
  bool changed = true;
  for (int sweep = 0; sweep < kMaxSweeps && changed; ++sweep) {
    changed = false;
    for (size_t i = 0; i < count; ++i)
      if (candidates[i].size() > 1)
        changed |= improve(i, count);
  }
  return picks;
}

std::vector<size_t> udnn::solvePlan(const PlanProblem &problem) { return Descent(problem).solve(); }
