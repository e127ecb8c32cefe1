//===- Compare.cpp - compare an output with what is expected --------------===//
//
// Element-wise comparison that knows NaN, infinities and 64-bit integers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::run;

/// |output - expected|; exact for 64-bit integers up to the rounding of the difference.
static double getDifference(const HostTensor &output, const HostTensor &expected, uint64_t index) {
  if (output.type == ElementType::Int64 || output.type == ElementType::Uint64) {
    uint64_t bits[2];
    memcpy(&bits[0], output.data.get() + index * 8, 8);
    memcpy(&bits[1], expected.data.get() + index * 8, 8);
    bool less =
        output.type == ElementType::Int64 ? int64_t(bits[0]) < int64_t(bits[1]) : bits[0] < bits[1];
    return double(less ? bits[1] - bits[0] : bits[0] - bits[1]);
  }
  double a = getElement(output, index), b = getElement(expected, index);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : INFINITY;
  return a == b ? 0 : std::fabs(a - b);
}

static bool isFloat(ElementType type) {
  switch (type) {
  case ElementType::Float:
  case ElementType::Double:
  case ElementType::Float16:
  case ElementType::BFloat16:
    return true;
  default:
    return false;
  }
}

Comparison run::compare(const HostTensor &output, const HostTensor &expected, Tolerance tolerance) {
  double relative = tolerance.relative.value_or(isFloat(output.type) ? 1e-3 : 0);
  double absolute = tolerance.absolute.value_or(isFloat(output.type) ? 1e-7 : 0);
  Comparison result;
  double worst = -1;
  for (uint64_t i = 0; i < expected.getNumElements(); ++i) {
    double difference = getDifference(output, expected, i);
    double magnitude = std::fabs(getElement(expected, i));
    // An infinite or missing expectation allows nothing but itself.
    double allowed = std::isfinite(magnitude) ? absolute + relative * magnitude : 0;
    bool mismatch = !(difference <= allowed);
    result.mismatches += mismatch;
    if (std::isfinite(difference))
      result.maxDifference = std::max(result.maxDifference, difference);
    if (std::isfinite(magnitude))
      result.maxExpected = std::max(result.maxExpected, magnitude);
    double ratio = difference == 0 ? 0 : allowed > 0 ? difference / allowed : INFINITY;
    if (ratio <= worst)
      continue;
    worst = ratio;
    result.worstIndex = i;
    result.output = getElement(output, i);
    result.expected = getElement(expected, i);
  }
  return result;
}

std::string run::formatIndex(const std::vector<int64_t> &shape, uint64_t index) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(index % shape[i]) + (text.empty() ? "" : ", ") + text;
    index /= shape[i];
  }
  return "[" + text + "]";
}
