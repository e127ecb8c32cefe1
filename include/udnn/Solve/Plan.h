//===- Plan.h - choosing how steps run and tensors lie -------------*- C++ -*-===//
//
// The problem of picking one choice per step of a program so that the steps and the changes of
// layout between them take the least time, and a solver for it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_SOLVE_PLAN_H
#define UDNN_SOLVE_PLAN_H

#include "udnn/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace udnn {

/// Layouts are numbers from 0 on, which is the plain one.
inline constexpr int kPlainLayout = 0;

/// One way to run a step: its time, and the layouts in which it reads its inputs and writes its
/// results.
struct PlanChoice {
  int64_t timeNs = 0;
  std::vector<int> inputs, results;
};

/// A step of the program: the tensors that it reads and writes, and the ways to run it, of which
/// there is at least one. Steps are numbered in program order.
struct PlanStep {
  std::vector<int> inputs, results;
  std::vector<PlanChoice> choices;
};

/// A tensor that is a part of another one, or of which the other one is a part.
struct PlanPart {
  int tensor = 0;
  /// The layout of the whole that goes with each layout of the part; plain where none does, and
  /// beyond the end.
  std::vector<int> wholeLayouts;
};

/// A tensor. It is in the layout in which the choice of its step writes it. One that is made from
/// parts is in the layout that goes with the layouts of all parts, and plain where they differ. Any
/// other one, such as the program's inputs, is plain.
struct PlanTensor {
  /// Time that a copy of it in another layout takes; 0 for constants, which are copied beforehand.
  int64_t transformNs = 0;
  /// What it is made from, and the number of steps before the operation that does so. Parts have
  /// smaller numbers than the whole.
  std::vector<PlanPart> parts;
  int stepsBefore = 0;
  /// Number of steps before the first of its readers that are neither steps nor make a whole from
  /// parts, and need it plain; -1 when there is none.
  int plainReaderAfter = -1;
};

/// One instance. The time of an answer is the sum of the picked choices' times and of one transform
/// for every tensor and layout other than its own in which some reader needs it. Steps need the
/// layouts of their choices; an operation that makes a plain tensor from parts needs the parts
/// plain.
class PlanProblem {
public:
  /// Takes any instance: `check` comes before all else.
  PlanProblem(std::vector<PlanTensor> tensors, std::vector<PlanStep> steps)
      : tensors(std::move(tensors)), steps(std::move(steps)) {}

  const std::vector<PlanTensor> &getTensors() const { return tensors; }
  const std::vector<PlanStep> &getSteps() const { return steps; }

  /// Says what is wrong with the instance: numbers of tensors or layouts that do not exist, steps
  /// without choices or with choices for other numbers of tensors, tensors that are made twice or
  /// later than they are read, negative times, a sum that exceeds 63 bits.
  Status check() const;

  /// The time of a verified answer, the number of a choice per step.
  int64_t getTimeNs(const std::vector<size_t> &picks) const;

  /// Says what is wrong with an answer: too few or too many picks, choices that do not exist.
  Status verify(const std::vector<size_t> &picks) const;

private:
  std::vector<PlanTensor> tensors;
  std::vector<PlanStep> steps;
};

/// Picks for a checked problem: forward in program order, each the best after those before it, then
/// sweeps that change one pick at a time until none helps or there were many. Of equally good picks
/// the first is taken. Deterministic.
std::vector<size_t> solvePlan(const PlanProblem &problem);

} // namespace udnn

#endif // UDNN_SOLVE_PLAN_H
