//===- ArenaSolver.cpp - offsets by greedy placement ---------------------------===//
//
// Places the blocks one after another into the best gap, in several orders, then improves the
// best order by placing earlier what reached the peak.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Solve/Arena.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace udnn;

namespace {

using Order = std::vector<int>;

/// Places blocks in a given order and remembers the best answer.
class Placer {
public:
  explicit Placer(const ArenaProblem &problem);

  /// Places all blocks in this order, in the smallest gap that fits (`bestFit`) or in the lowest.
  /// Returns true when the answer is better than all before.
  bool place(const Order &order, bool bestFit);

  /// The peak of the last answer is reached by this block.
  int getHighest() const;

  bool isOptimal() const { return bestPeak <= bound; }
  int64_t getPeak() const { return peak; }
  const std::vector<int64_t> &getBest() const { return best; }

private:
  int64_t findOffset(int block, bool bestFit, const std::vector<char> &placed);
  int64_t align(int64_t value) const {
    int64_t unit = problem.getAlignment();
    return (value + unit - 1) / unit * unit;
  }

  const ArenaProblem &problem;
  /// For every block, the blocks that live at one time with it.
  std::vector<std::vector<int>> neighbours;
  std::vector<int64_t> offsets, best;
  std::vector<std::pair<int64_t, int64_t>> taken;
  int64_t peak = 0, bestPeak = std::numeric_limits<int64_t>::max(), bound;
};

} // namespace

Placer::Placer(const ArenaProblem &problem) : problem(problem), bound(problem.getLiveBytes()) {
  const std::vector<ArenaBlock> &blocks = problem.getBlocks();
  neighbours.resize(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t j = 0; j < blocks.size(); ++j)
      if (i != j && blocks[i].size > 0 && blocks[j].size > 0 && blocks[i].overlapsInTime(blocks[j]))
        neighbours[i].push_back(j);
}

int64_t Placer::findOffset(int block, bool bestFit, const std::vector<char> &placed) {
  taken.clear();
  for (int other : neighbours[block])
    if (placed[other])
      taken.push_back({offsets[other], offsets[other] + problem.getBlocks()[other].size});
  std::sort(taken.begin(), taken.end());
  int64_t size = problem.getBlocks()[block].size;
  int64_t offset = -1, smallest = std::numeric_limits<int64_t>::max(), end = 0;
  for (const auto &[from, to] : taken) {
    int64_t gap = from - end;
    if (gap >= size && gap < smallest) {
      offset = end;
      smallest = gap;
      if (!bestFit)
        break;
    }
    end = std::max(end, align(to));
  }
  return offset < 0 ? end : offset;
}

bool Placer::place(const Order &order, bool bestFit) {
  std::vector<char> placed(order.size(), 0);
  offsets.assign(order.size(), 0);
  for (int block : order) {
    offsets[block] = findOffset(block, bestFit, placed);
    placed[block] = 1;
  }
  peak = problem.getPeak(offsets);
  if (peak >= bestPeak)
    return false;
  bestPeak = peak;
  best = offsets;
  return true;
}

int Placer::getHighest() const {
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] + problem.getBlocks()[i].size == peak)
      return i;
  return 0;
}

/// Orders to start from: large, long-lived, or early blocks first.
static std::vector<Order> getOrders(const ArenaProblem &problem) {
  const std::vector<ArenaBlock> &blocks = problem.getBlocks();
  auto sorted = [&](auto key) {
    Order order(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return key(blocks[a]) > key(blocks[b]); });
    return order;
  };
  auto length = [](const ArenaBlock &block) { return block.last - block.first + 1; };
  return {
      sorted([](const ArenaBlock &block) { return block.size; }),
      sorted([&](const ArenaBlock &block) { return double(block.size) * length(block); }),
      sorted([&](const ArenaBlock &block) { return std::make_pair(length(block), block.size); }),
      sorted([](const ArenaBlock &block) { return std::make_pair(-block.first, block.size); }),
      sorted([](const ArenaBlock &block) { return std::make_pair(block.last, block.size); }),
  };
}

std::vector<int64_t> udnn::solveArena(const ArenaProblem &problem, int attempts) {
  Placer placer(problem);
  Order best;
  bool bestFit = true;
  for (const Order &order : getOrders(problem))
    for (bool fit : {true, false}) {
      if (placer.place(order, fit)) {
        best = order;
        bestFit = fit;
      }
      if (placer.isOptimal())
        return placer.getBest();
    }

  // A fixed linear congruential generator: the same answer on every machine.
  uint64_t state = 1;
  auto random = [&](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  Order order = best;
  for (int attempt = 0; attempt < attempts && !placer.isOptimal(); ++attempt) {
    placer.place(order, bestFit);
    int highest = placer.getHighest();
    auto position = std::find(order.begin(), order.end(), highest);
    size_t to = random(size_t(position - order.begin()) + 1);
    std::rotate(order.begin() + to, position, position + 1);
    if (placer.place(order, bestFit))
      best = order;
    else if (attempt % 8 == 7)
      order = best;
  }
  return placer.getBest();
}
