//===- PlanTest.cpp - tests of the plan problem and its solver ------------------===//
//
// Checks, verification, and answers on small instances, compared with all answers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Solve/Plan.h"

#include "gtest/gtest.h"

#include <functional>
#include <random>
#include <set>

using namespace udnn;

namespace {

using Picks = std::vector<size_t>;

/// Tensor 0 is read by step 0, which writes tensor 1, which step 1 reads and writes as tensor 2.
/// Step 0 is fastest when it writes layout 1, step 1 reads either plain or layout 1.
PlanProblem makeChain(int64_t transformNs) {
  std::vector<PlanTensor> tensors(3);
  tensors[0].transformNs = tensors[1].transformNs = tensors[2].transformNs = transformNs;
  tensors[2].plainReaderAfter = 2;
  std::vector<PlanStep> steps = {{{0}, {1}, {{10, {0}, {1}}, {30, {0}, {0}}}},
                                 {{1}, {2}, {{10, {0}, {0}}, {15, {1}, {1}}}}};
  return PlanProblem(tensors, steps);
}

std::string check(std::vector<PlanTensor> tensors, std::vector<PlanStep> steps) {
  return PlanProblem(std::move(tensors), std::move(steps)).check().message();
}

TEST(PlanProblem, CheckRefusesUnsoundInstances) {
  EXPECT_EQ(check({}, {}), "");
  EXPECT_EQ(check(std::vector<PlanTensor>(2), {{{0}, {1}, {{1, {0}, {0}}}}}), "");
  EXPECT_EQ(check({}, {{{}, {}, {}}}), "expects step 0 to have a choice");
  EXPECT_EQ(check({}, {{{0}, {}, {{1, {0}, {}}}}}), "expects tensors of step 0 to exist, got 0");
  EXPECT_EQ(check(std::vector<PlanTensor>(1), {{{0}, {}, {{1, {}, {}}}}}),
            "expects choices of step 0 to have 1 input and 0 result layouts, got 0 and 0");
  EXPECT_EQ(check(std::vector<PlanTensor>(1), {{{0}, {}, {{1, {-1}, {}}}}}),
            "expects layouts of step 0 to be at least 0");
  EXPECT_EQ(check({}, {{{}, {}, {{-1, {}, {}}}}}),
            "expects times of step 0 to be at least 0, got -1");
  PlanStep writes{{}, {0}, {{1, {}, {0}}}}, reads{{0}, {}, {{1, {0}, {}}}};
  EXPECT_EQ(check(std::vector<PlanTensor>(1), {writes, writes}),
            "expects tensor 0 to be made once");
  EXPECT_EQ(check(std::vector<PlanTensor>(1), {reads, writes}),
            "expects tensor 0 to be made before it is read");
  PlanTensor whole{1, {{0, {}}}, /*stepsBefore=*/1, -1};
  EXPECT_EQ(check({PlanTensor(), whole}, {writes}), "");
  EXPECT_EQ(check({PlanTensor(), PlanTensor{1, {{0, {}}}, 0, -1}}, {writes}),
            "expects parts of tensor 1 to be made before it");
  EXPECT_EQ(check({PlanTensor{1, {{1, {}}}, 0, -1}, PlanTensor()}, {}),
            "expects parts of tensor 0 to have smaller numbers, got 1");
  EXPECT_EQ(check({PlanTensor(), whole}, {{{1}, {}, {{1, {0}, {}}}}}),
            "expects tensor 1 to be made before it is read");
  EXPECT_EQ(check({PlanTensor{-5, {}, 0, -1}}, {}),
            "expects the transform time of tensor 0 to be at least 0, got -5");
  EXPECT_EQ(check({PlanTensor{1, {}, 2, -1}}, {writes}),
            "expects tensor 0 to have from 0 to 1 steps before it, got 2");
  EXPECT_EQ(check({PlanTensor{1, {}, -1, -1}}, {}),
            "expects tensor 0 to have from 0 to 0 steps before it, got -1");
  for (int after : {-2, 0, 2})
    EXPECT_EQ(check({PlanTensor{1, {}, 0, after}}, {writes}),
              "expects the plain reader of tensor 0 to have from 1 to 1 steps before it, got " +
                  std::to_string(after));
  EXPECT_EQ(check({PlanTensor{1, {}, 0, 1}}, {writes}), "");
  EXPECT_EQ(check({PlanTensor{INT64_MAX, {}, 0, -1}}, {reads}),
            "the times together exceed 2^63 ns");
}

TEST(PlanProblem, VerifyRefusesPicksThatDoNotExist) {
  PlanProblem problem = makeChain(5);
  EXPECT_TRUE(problem.verify({1, 0}).succeeded());
  EXPECT_EQ(problem.verify({1}).message(), "expects a pick for each of 2 steps, got 1");
  EXPECT_EQ(problem.verify({0, 2}).message(), "expects step 1 to pick one of 2 choices, got 2");
}

TEST(PlanProblem, TimesOfAChain) {
  PlanProblem problem = makeChain(7);
  ASSERT_TRUE(problem.check().succeeded());
  EXPECT_EQ(problem.getTimeNs({0, 0}), 10 + 7 + 10);
  // The result is brought back to the plain layout.
  EXPECT_EQ(problem.getTimeNs({0, 1}), 10 + 15 + 7);
  EXPECT_EQ(problem.getTimeNs({1, 0}), 30 + 10);
  EXPECT_EQ(problem.getTimeNs({1, 1}), 30 + 7 + 15 + 7);
}

/// Two parts that are put together, each written by a step in layout 1 or plain: the whole is in
/// layout 2 when both parts are in layout 1.
TEST(PlanProblem, WholesFollowTheirParts) {
  std::vector<PlanTensor> tensors = {{100, {}, 0, -1},
                                     {100, {}, 0, -1},
                                     {1000, {{0, {0, 2}}, {1, {0, 2}}}, /*stepsBefore=*/2, -1}};
  std::vector<PlanStep> steps = {{{}, {0}, {{1, {}, {1}}, {2, {}, {0}}}},
                                 {{}, {1}, {{1, {}, {1}}, {2, {}, {0}}}},
                                 {{2}, {}, {{1, {2}, {}}, {5, {0}, {}}}}};
  PlanProblem problem(tensors, steps);
  ASSERT_EQ(problem.check().message(), "");
  EXPECT_EQ(problem.getTimeNs({0, 0, 0}), 3);
  EXPECT_EQ(problem.getTimeNs({0, 0, 1}), 7 + 1000);
  // One part is plain, so that the other one has to be made plain.
  EXPECT_EQ(problem.getTimeNs({0, 1, 0}), 4 + 100 + 1000);
  EXPECT_EQ(problem.getTimeNs({1, 1, 1}), 9);
  EXPECT_EQ(solvePlan(problem), (Picks{0, 0, 0}));
}

TEST(PlanSolver, WeighsTransforms) {
  EXPECT_EQ(solvePlan(makeChain(2)), (Picks{0, 0}));
  EXPECT_EQ(solvePlan(PlanProblem({}, {})), Picks());
}

TEST(PlanSolver, TakesTheFirstOfEqualChoices) {
  PlanProblem problem({}, {{{}, {}, {{5, {}, {}}, {3, {}, {}}, {3, {}, {}}}}});
  EXPECT_EQ(solvePlan(problem), Picks{1});
}

/// A random program of steps and wholes that read what was made before.
PlanProblem makeRandom(std::mt19937 &random) {
  auto below = [&](int bound) { return int(random() % bound); };
  const int layouts = 3;
  std::vector<PlanTensor> tensors(1 + below(2));
  std::vector<PlanStep> steps(1 + below(6));
  for (size_t number = 0; number < steps.size(); ++number) {
    PlanStep &step = steps[number];
    for (int i = 0, e = 1 + below(2); i < e; ++i)
      step.inputs.push_back(below(tensors.size()));
    for (int i = 0, e = 1 + (below(4) == 0); i < e; ++i) {
      step.results.push_back(tensors.size());
      tensors.emplace_back();
    }
    for (int i = 0, e = 1 + below(3); i < e; ++i) {
      PlanChoice choice{1 + below(100), {}, {}};
      for (size_t j = 0; j < step.inputs.size(); ++j)
        choice.inputs.push_back(below(layouts));
      for (size_t j = 0; j < step.results.size(); ++j)
        choice.results.push_back(below(layouts));
      step.choices.push_back(choice);
    }
    if (below(3) == 0) {
      PlanTensor whole;
      for (int i = 0, e = 1 + below(3); i < e; ++i) {
        PlanPart part{below(tensors.size()), {}};
        for (int layout = 0, end = below(layouts + 1); layout < end; ++layout)
          part.wholeLayouts.push_back(layout == 0 ? 0 : below(layouts));
        whole.parts.push_back(part);
      }
      whole.stepsBefore = number + 1;
      tensors.push_back(whole);
    }
  }
  for (PlanTensor &tensor : tensors) {
    tensor.transformNs = below(4) == 0 ? 0 : below(60);
    if (below(3) == 0)
      tensor.plainReaderAfter = steps.size();
  }
  return PlanProblem(tensors, steps);
}

/// The time by its definition.
int64_t computeTimeNs(const PlanProblem &problem, const Picks &picks) {
  const std::vector<PlanTensor> &tensors = problem.getTensors();
  const std::vector<PlanStep> &steps = problem.getSteps();
  std::vector<int> layouts(tensors.size(), kPlainLayout);
  std::vector<std::set<int>> needed(tensors.size());
  int64_t total = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const PlanChoice &choice = steps[i].choices[picks[i]];
    total += choice.timeNs;
    for (size_t j = 0; j < choice.results.size(); ++j)
      layouts[steps[i].results[j]] = choice.results[j];
    for (size_t j = 0; j < choice.inputs.size(); ++j)
      needed[steps[i].inputs[j]].insert(choice.inputs[j]);
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::set<int> common;
    for (const PlanPart &part : tensors[i].parts) {
      size_t layout = layouts[part.tensor];
      common.insert(layout < part.wholeLayouts.size() ? part.wholeLayouts[layout] : kPlainLayout);
    }
    if (common.size() == 1)
      layouts[i] = *common.begin();
    if (layouts[i] == kPlainLayout)
      for (const PlanPart &part : tensors[i].parts)
        needed[part.tensor].insert(kPlainLayout);
    if (tensors[i].plainReaderAfter >= 0)
      needed[i].insert(kPlainLayout);
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    total += tensors[i].transformNs * int64_t(needed[i].size() - needed[i].count(layouts[i]));
  return total;
}

/// Calls `visit` with all answers.
void forEachAnswer(const PlanProblem &problem, const std::function<void(const Picks &)> &visit) {
  const std::vector<PlanStep> &steps = problem.getSteps();
  Picks picks(steps.size(), 0);
  for (size_t i = 0; i < steps.size();) {
    if (i == 0)
      visit(picks);
    if (++picks[i] < steps[i].choices.size()) {
      i = 0;
      continue;
    }
    picks[i++] = 0;
  }
}

TEST(PlanSolver, AgainstAllAnswersOfRandomInstances) {
  uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int64_t found = 0, least = 0;
  for (int instance = 0; instance < 300; ++instance) {
    PlanProblem problem = makeRandom(random);
    ASSERT_EQ(problem.check().message(), "");
    Picks picks = solvePlan(problem);
    ASSERT_EQ(problem.verify(picks).message(), "");
    EXPECT_EQ(picks, solvePlan(problem)) << "the solver is not deterministic";
    int64_t time = problem.getTimeNs(picks), best = INT64_MAX;
    forEachAnswer(problem, [&](const Picks &answer) {
      int64_t answerTime = problem.getTimeNs(answer);
      EXPECT_EQ(answerTime, computeTimeNs(problem, answer));
      best = std::min(best, answerTime);
      // No single other pick is better than the solver's.
      size_t differences = 0;
      for (size_t i = 0; i < picks.size(); ++i)
        differences += answer[i] != picks[i];
      EXPECT_TRUE(differences != 1 || answerTime >= time);
    });
    EXPECT_GE(time, best);
    found += time;
    least += best;
  }
  // Descent stops where two picks would have to change together.
  EXPECT_LE(found, least * 105 / 100);
}

} // namespace
