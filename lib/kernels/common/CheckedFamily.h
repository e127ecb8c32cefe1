//===- CheckedFamily.h - parameters of kernel families -------------*- C++ -*-===//
//
// Checks the parameters of plans and kernels, which can be edited by hand, before a family reads
// them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_COMMON_CHECKEDFAMILY_H
#define UDNN_LIB_KERNELS_COMMON_CHECKEDFAMILY_H

#include "udnn/Kernels/KernelFamily.h"

namespace udnn {

/// An integer among the parameters of a family, from `minimum` to `maximum`.
struct ParameterRange {
  llvm::StringRef name;
  int64_t minimum, maximum;
};

/// Largest register tile in one direction.
inline constexpr int64_t kMaxTile = 64;

/// Largest number of rows, tiles and the like in a task, so that sums and products of a few of them
/// do not overflow.
inline constexpr int64_t kMaxTaskSize = int64_t(1) << 31;

/// `family`, whose parameters are these integers and no others. `expand` and `build` refuse those
/// that are missing or out of range, and primitives that `runs` does not hold for; the grid of a
/// kernel that has such is empty.
std::unique_ptr<KernelFamily> withParameters(std::unique_ptr<KernelFamily> family,
                                             std::vector<ParameterRange> ranges,
                                             bool (*runs)(mlir::Operation *));

/// The same for a family of these primitives.
template <typename... Ops>
std::unique_ptr<KernelFamily> withParameters(std::unique_ptr<KernelFamily> family,
                                             std::vector<ParameterRange> ranges) {
  return withParameters(std::move(family), std::move(ranges),
                        [](mlir::Operation *op) { return mlir::isa_and_present<Ops...>(op); });
}

} // namespace udnn

#endif // UDNN_LIB_KERNELS_COMMON_CHECKEDFAMILY_H
