//===- Compare.h - compare an output with what is expected -------*- C++ -*-===//
//
// |output - expected| <= atol + rtol * |expected|, element by element.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_UDNN_RUN_COMPARE_H
#define UDNN_TOOLS_UDNN_RUN_COMPARE_H

#include "HostTensor.h"

#include <optional>

namespace udnn::run {

/// What the user allows. Left out: 1e-3 relative and 1e-7 absolute for floating-point numbers,
/// nothing for integers and booleans.
struct Tolerance {
  std::optional<double> relative, absolute;
};

/// The element that is farthest outside (or least inside) the tolerance.
struct Comparison {
  uint64_t mismatches = 0;
  uint64_t worstIndex = 0;
  double output = 0, expected = 0;
  /// Largest |output - expected| and largest |expected| over all finite elements.
  double maxDifference = 0, maxExpected = 0;
};

/// Compares two tensors of one type and shape in double precision, integers exactly. NaN equals
/// NaN, infinities equal those of the same sign.
Comparison compare(const HostTensor &output, const HostTensor &expected, Tolerance tolerance);

/// "[0, 3, 17]": the coordinates of an element.
std::string formatIndex(const std::vector<int64_t> &shape, uint64_t index);

} // namespace udnn::run

#endif // UDNN_TOOLS_UDNN_RUN_COMPARE_H
