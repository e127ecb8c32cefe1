//===- OuterValues.h - what epilogues read from outside ----------*- C++ -*-===//
//
// Scalar constants are often hoisted out of an epilogue; they are the only values from outside that
// kernels can take in.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_COMMON_OUTERVALUES_H
#define UDNN_LIB_KERNELS_COMMON_OUTERVALUES_H

#include "udnn/Dialect/Dnn.h"

#include <string>

namespace udnn {

/// The constant that `value` is when it is defined outside of `region`; null for other values.
mlir::arith::ConstantOp getOuterConstant(mlir::Value value, mlir::Region &region);

/// Why what `op`, an operation of an epilogue, reads cannot be taken into a kernel; empty when it
/// can.
std::string explainOuterValues(mlir::Operation &op);

} // namespace udnn

#endif // UDNN_LIB_KERNELS_COMMON_OUTERVALUES_H
