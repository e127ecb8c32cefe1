//===- LinearAccess.h - where elements of operands lie -----------*- C++ -*-===//
//
// Addresses of the extra operands of epilogues as linear functions of the result's coordinates.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_COMMON_LINEARACCESS_H
#define UDNN_LIB_KERNELS_COMMON_LINEARACCESS_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/AffineMap.h"

#include <optional>

namespace udnn {

/// `constant + sum of coefficients[i] * dimension i`: where an element lies in a flat buffer.
struct LinearAccess {
  llvm::SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};

/// The place that `map` addresses in a buffer with these strides; nullopt when it is not linear.
std::optional<LinearAccess> linearize(mlir::AffineMap map, llvm::ArrayRef<int64_t> strides);

/// The strides of a row-major tensor.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// True when `extra` (a number of an extra operand) has the result's shape and the identity map,
/// so that it can be read in the result's layout.
bool isResultShaped(dnn::EpilogueOpInterface op, unsigned extra);

} // namespace udnn

#endif // UDNN_LIB_KERNELS_COMMON_LINEARACCESS_H
