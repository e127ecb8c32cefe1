//===- Roofline.cpp - modelled times ----------------------------------------===//
//
// Predicts times from a device's peak rates.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Cost/CostModel.h"
#include "udnn/Kernels/KernelFamily.h"

using namespace mlir;

namespace udnn {

Prediction predict(const Candidate &candidate, Type elementType, dnn::DeviceAttr device) {
  int64_t gflops =
      elementType.isF16() || elementType.isBF16() ? device.getGflopsF16() : device.getGflopsF32();
  // 1 GFLOP/s is one operation per nanosecond, 1 GB/s one byte.
  double compute = double(candidate.flops) / (double(gflops) * candidate.efficiencyPercent / 100);
  double memory = double(candidate.bytes) / double(device.getGbytesPerS());
  return {int64_t(std::max(compute, memory)) + candidate.launches * device.getLaunchNs(),
          "modelled"};
}

int64_t predictCopyNs(int64_t bytes, dnn::DeviceAttr device) {
  // Of the largest sizes the time, with what is added to it, still fits.
  constexpr uint64_t kLongestNs = uint64_t(1) << 61;
  uint64_t moveNs = std::min(2 * uint64_t(bytes) / device.getGbytesPerS(), kLongestNs);
  return int64_t(moveNs) + device.getLaunchNs();
}

} // namespace udnn
