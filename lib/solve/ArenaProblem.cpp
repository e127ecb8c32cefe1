//===- ArenaProblem.cpp - the arena problem and its checks --------------------===//
//
// Lower bound, and verification of instances and answers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Solve/Arena.h"

#include <algorithm>
#include <limits>

using namespace udnn;

Status ArenaProblem::check() const {
  if (alignment < 1)
    return Status::failure("expects a positive alignment, got " + std::to_string(alignment));
  int64_t total = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const ArenaBlock &block = blocks[i];
    if (block.size < 0 || block.first < 0 || block.last < block.first)
      return Status::failure(
          "expects block " + std::to_string(i) +
          " to have a size of at least 0 bytes and to end after its start, got " +
          std::to_string(block.size) + " bytes in steps " + std::to_string(block.first) + " to " +
          std::to_string(block.last));
    // The solver never places a block higher than all blocks on top of one another.
    int64_t room = std::numeric_limits<int64_t>::max() - total - alignment;
    if (block.size > room)
      return Status::failure("the buffers together exceed 2^63 bytes");
    total += (block.size + alignment - 1) / alignment * alignment;
  }
  return Status::success();
}

int64_t ArenaProblem::getLiveBytes() const {
  // The maximum is reached at the start of some block. Events: +size at first, -size after last.
  std::vector<std::pair<int64_t, int64_t>> events;
  for (const ArenaBlock &block : blocks) {
    events.push_back({block.first, block.size});
    events.push_back({block.last + 1, -block.size});
  }
  // Releases come before acquisitions of the same step because their delta is negative.
  std::sort(events.begin(), events.end());
  int64_t live = 0, most = 0;
  for (const auto &[step, delta] : events)
    most = std::max(most, live += delta);
  return most;
}

int64_t ArenaProblem::getPeak(const std::vector<int64_t> &offsets) const {
  int64_t peak = 0;
  for (size_t i = 0; i < blocks.size(); ++i)
    peak = std::max(peak, offsets[i] + blocks[i].size);
  return peak;
}

Status ArenaProblem::verify(const std::vector<int64_t> &offsets) const {
  if (offsets.size() != blocks.size())
    return Status::failure("expects " + std::to_string(blocks.size()) + " offsets, got " +
                           std::to_string(offsets.size()));
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] % alignment != 0)
      return Status::failure("expects offset " + std::to_string(offsets[i]) + " of block " +
                             std::to_string(i) + " to be a multiple of " +
                             std::to_string(alignment));
    for (size_t j = 0; j < i; ++j)
      if (blocks[i].overlapsInTime(blocks[j]) && offsets[i] < offsets[j] + blocks[j].size &&
          offsets[j] < offsets[i] + blocks[i].size)
        return Status::failure("blocks " + std::to_string(j) + " and " + std::to_string(i) +
                               " overlap in time and space");
  }
  return Status::success();
}
