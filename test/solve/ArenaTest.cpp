//===- ArenaTest.cpp - tests of the arena problem and its solver ----------------===//
//
// Checks, verification, and answers on random and model-like instances.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Solve/Arena.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace udnn;

namespace {

/// Solves and verifies; returns the peak.
int64_t solveAndVerify(const ArenaProblem &problem) {
  EXPECT_TRUE(problem.check().succeeded()) << problem.check().message();
  std::vector<int64_t> offsets = solveArena(problem);
  Status status = problem.verify(offsets);
  EXPECT_TRUE(status.succeeded()) << status.message();
  EXPECT_EQ(offsets, solveArena(problem)) << "the solver is not deterministic";
  int64_t peak = problem.getPeak(offsets);
  EXPECT_GE(peak, problem.getLiveBytes());
  return peak;
}

TEST(ArenaProblem, CheckRefusesUnsoundInstances) {
  EXPECT_TRUE(ArenaProblem({{-1, 0, 0}}).check().failed());
  EXPECT_TRUE(ArenaProblem({{64, 2, 1}}).check().failed());
  EXPECT_TRUE(ArenaProblem({{64, 0, 0}}, 0).check().failed());
  EXPECT_TRUE(ArenaProblem({{INT64_MAX - 100, 0, 0}, {1024, 0, 0}}).check().failed());
  EXPECT_TRUE(ArenaProblem({}).check().succeeded());
}

TEST(ArenaProblem, VerifyFindsOverlaps) {
  ArenaProblem problem({{128, 0, 2}, {64, 2, 3}, {64, 3, 4}});
  EXPECT_TRUE(problem.verify({0, 128, 0}).succeeded());
  // Blocks 0 and 1 share step 2.
  EXPECT_TRUE(problem.verify({0, 64, 0}).failed());
  // Blocks 0 and 2 share no step.
  EXPECT_TRUE(problem.verify({0, 128, 64}).succeeded());
  // Misaligned, negative, and too few.
  EXPECT_TRUE(problem.verify({0, 132, 0}).failed());
  EXPECT_TRUE(problem.verify({-64, 128, 0}).failed());
  EXPECT_TRUE(problem.verify({0, 128}).failed());
}

TEST(ArenaProblem, LiveBytesIsTheLargestStep) {
  EXPECT_EQ(ArenaProblem({}).getLiveBytes(), 0);
  EXPECT_EQ(ArenaProblem({{100, 0, 1}, {50, 1, 2}, {120, 2, 2}}).getLiveBytes(), 170);
}

TEST(ArenaSolver, EmptyBlocksNeedNothing) {
  EXPECT_EQ(solveAndVerify(ArenaProblem({{0, 0, 5}, {64, 1, 2}, {0, 1, 1}})), 64);
}

TEST(ArenaSolver, RandomInstances) {
  uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int instance = 0; instance < 50; ++instance) {
    std::vector<ArenaBlock> blocks(1 + random() % 60);
    for (ArenaBlock &block : blocks) {
      block.size = random() % 5000;
      block.first = random() % 40;
      block.last = block.first + random() % 10;
    }
    ArenaProblem problem(blocks);
    solveAndVerify(problem);
  }
}

/// The smallest peak over all orders of first-fit placement. Some order gives an optimum.
int64_t solveByBruteForce(const ArenaProblem &problem) {
  const std::vector<ArenaBlock> &blocks = problem.getBlocks();
  std::vector<int> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  do {
    std::vector<int64_t> offsets(blocks.size(), -1);
    for (int block : order) {
      int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t other = 0; other < blocks.size(); ++other)
          if (offsets[other] >= 0 && blocks[other].overlapsInTime(blocks[block]) &&
              offset < offsets[other] + blocks[other].size &&
              offsets[other] < offset + blocks[block].size) {
            offset = offsets[other] + blocks[other].size;
            moved = true;
          }
      }
      offsets[block] = offset;
    }
    best = std::min(best, problem.getPeak(offsets));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(ArenaSolver, CloseToTheOptimumOnSmallInstances) {
  uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int instance = 0; instance < 20; ++instance) {
    std::vector<ArenaBlock> blocks(7);
    for (ArenaBlock &block : blocks) {
      block.size = 64 * (1 + random() % 20);
      block.first = random() % 6;
      block.last = block.first + random() % 4;
    }
    ArenaProblem problem(blocks);
    EXPECT_LE(solveAndVerify(problem), solveByBruteForce(problem) * 105 / 100);
  }
}

/// A chain of residual blocks as in ResNet: 1x1, 3x3, 1x1 with a shortcut, four stages.
ArenaProblem makeResidualNetwork() {
  std::vector<ArenaBlock> blocks;
  int64_t step = 0;
  int64_t wide = 56 * 56 * 256 * 4;
  for (int stage = 0; stage < 4; ++stage, wide /= 2)
    for (int block = 0; block < 4; ++block) {
      // The trunk lives until the addition at the end of the block.
      blocks.push_back({wide, step, step + 4});
      blocks.push_back({wide / 4, step + 1, step + 2});
      blocks.push_back({wide / 4, step + 2, step + 3});
      blocks.push_back({wide, step + 3, step + 4});
      step += 4;
    }
  return ArenaProblem(blocks);
}

/// Inception: four branches of different sizes that meet in a concatenation.
ArenaProblem makeBranches() {
  std::vector<ArenaBlock> blocks;
  int64_t step = 0;
  for (int module = 0; module < 9; ++module) {
    int64_t pixels = module < 2 ? 28 * 28 : module < 7 ? 14 * 14 : 7 * 7;
    blocks.push_back({pixels * 4 * (256 + 64 * module), step, step + 7});
    blocks.push_back({pixels * 4 * 96, step + 1, step + 2});
    blocks.push_back({pixels * 4 * 16, step + 3, step + 4});
    blocks.push_back({pixels * 4 * (192 + 32 * module), step + 5, step + 6});
    step += 7;
  }
  return ArenaProblem(blocks);
}

TEST(ArenaSolver, WithinTenPercentOnModels) {
  for (const ArenaProblem &problem : {makeResidualNetwork(), makeBranches()})
    EXPECT_LE(solveAndVerify(problem), problem.getLiveBytes() * 110 / 100);
}

} // namespace
