//===- Arena.h - placing buffers in one arena ----------------------*- C++ -*-===//
//
// The problem of giving every block of memory an offset so that blocks that live at the same time
// do not overlap, and a solver for it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_SOLVE_ARENA_H
#define UDNN_SOLVE_ARENA_H

#include "udnn/Support/Status.h"

#include <cstdint>
#include <vector>

namespace udnn {

/// `size` bytes that must not be disturbed from step `first` to step `last`, both included.
struct ArenaBlock {
  int64_t size = 0;
  int64_t first = 0;
  int64_t last = 0;

  bool overlapsInTime(const ArenaBlock &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// One instance: blocks, and the alignment in bytes of every offset.
class ArenaProblem {
public:
  ArenaProblem(std::vector<ArenaBlock> blocks, int64_t alignment = 64)
      : blocks(std::move(blocks)), alignment(alignment) {}

  const std::vector<ArenaBlock> &getBlocks() const { return blocks; }
  int64_t getAlignment() const { return alignment; }

  /// Says what is wrong with the instance: negative sizes or times, a sum that exceeds 64 bits.
  Status check() const;

  /// The largest sum of sizes that live at one step: no arena can be smaller.
  int64_t getLiveBytes() const;

  /// The end of the highest block.
  int64_t getPeak(const std::vector<int64_t> &offsets) const;

  /// Says what is wrong with an answer: misaligned or negative offsets, blocks that overlap.
  Status verify(const std::vector<int64_t> &offsets) const;

private:
  std::vector<ArenaBlock> blocks;
  int64_t alignment;
};

/// Offsets of all blocks of a checked problem. Deterministic; stops at the lower bound or after
/// `attempts` orders of placement.
std::vector<int64_t> solveArena(const ArenaProblem &problem, int attempts = 256);

} // namespace udnn

#endif // UDNN_SOLVE_ARENA_H
