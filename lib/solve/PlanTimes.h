//===- PlanTimes.h - the times of a plan's parts -------------------*- C++ -*-===//
//
// Layouts and transform times of single tensors under an answer, of all steps or the first ones.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_SOLVE_PLANTIMES_H
#define UDNN_LIB_SOLVE_PLANTIMES_H

#include "udnn/Solve/Plan.h"

namespace udnn {

/// Answers questions about a checked problem and picks that may change between them.
class PlanTimes {
public:
  PlanTimes(const PlanProblem &problem, const std::vector<size_t> &picks);

  /// Forgets the layouts that followed from earlier picks.
  void forgetLayouts() { ++epoch; }

  /// Time of the transforms of a tensor that its readers before step number `end` need.
  int64_t getTransformNs(int tensor, size_t end);

  /// The tensors whose transforms depend on the pick of a step: what it reads and writes, all that
  /// gets its layout from that, and the other parts of the same wholes.
  std::vector<int> getTensorsOf(size_t step) const;

private:
  /// An input of a step.
  struct Use {
    size_t step, input;
  };

  int getLayout(int tensor);
  int computeLayout(const PlanTensor &tensor);

  const PlanProblem &problem;
  const std::vector<size_t> &picks;
  /// Of each tensor: the step that writes it, or none, and as which of its results.
  std::vector<int> writers, resultNumbers;
  /// Of each tensor: the steps that read it, and the wholes that it is a part of.
  std::vector<std::vector<Use>> uses;
  std::vector<std::vector<int>> wholes;
  /// Layouts that are known of this epoch.
  std::vector<int> layouts;
  std::vector<uint64_t> epochs;
  uint64_t epoch = 1;
  std::vector<int> needed;
};

} // namespace udnn

#endif // UDNN_LIB_SOLVE_PLANTIMES_H
