//===- CostModel.h - how long does it take -----------------------*- C++ -*-===//
//
// The one place that is asked for the time of a candidate or a layout transform.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_COST_COSTMODEL_H
#define UDNN_COST_COSTMODEL_H

#include "udnn/Dialect/Dnn.h"

namespace udnn {

struct Candidate;

/// A predicted time and where it came from: "measured", "interpolated" or "modelled".
struct Prediction {
  int64_t timeNs;
  llvm::StringRef origin;
};

/// Time of a candidate by the roofline: the larger of the time to compute at the candidate's share
/// of the peak rate of `elementType` and the time to move its bytes, and a fixed cost per launch.
Prediction predict(const Candidate &candidate, mlir::Type elementType, dnn::DeviceAttr device);

/// Time to read and write `bytes` bytes once each in one launch, in nanoseconds.
int64_t predictCopyNs(int64_t bytes, dnn::DeviceAttr device);

} // namespace udnn

#endif // UDNN_COST_COSTMODEL_H
