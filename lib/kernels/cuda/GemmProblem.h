//===- GemmProblem.h - primitives as matrix products -------------*- C++ -*-===//
//
// A convolution or matrix product as `d[z, m, n] = sum over k of a[z, m, k] * b[z, k, n]`, and
// where the elements of a, b and d lie.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CUDA_GEMMPROBLEM_H
#define UDNN_LIB_KERNELS_CUDA_GEMMPROBLEM_H

#include "../common/KernelBuilder.h"

#include "udnn/Dialect/Dnn.h"

#include <memory>
#include <string>

namespace udnn::cuda {

/// One half of an element's place in a or b: of its row (m or n) or of its k. The element lies at
/// the sum of both offsets and of `(start[i] + tap[i]) * stride` over the spatial dimensions i,
/// and counts as zero unless both are inside and each sum is in the tensor.
struct GemmPlace {
  Index offset = 0;
  /// Null: always inside.
  mlir::Value inside;
  /// Per spatial dimension: where the window begins, or the distance of a position in it.
  llvm::SmallVector<Index> spatial;
};

/// a, b and d of a primitive. Sizes are those of one product of the batch.
class GemmProblem {
public:
  virtual ~GemmProblem();

  /// The problem of a `dnn.conv` or `dnn.matmul`; null with a reason for one that is not covered.
  static std::unique_ptr<GemmProblem> create(mlir::Operation *primitive, std::string *reason);

  int64_t batch = 1, m = 1, n = 1, k = 1;
  /// True where neighbours along k lie side by side, so that threads should run along it.
  bool aAlongK = false, bAlongK = false;

  /// The places of row `row` of a and of b, of position `position` of k, and the element they give
  /// (of the buffer's type).
  virtual GemmPlace getRowOfA(KernelBuilder &e, Index z, Index row) const = 0;
  virtual GemmPlace getRowOfB(KernelBuilder &e, Index z, Index row) const = 0;
  virtual GemmPlace getKOfA(KernelBuilder &e, Index position) const = 0;
  virtual GemmPlace getKOfB(KernelBuilder &e, Index position) const = 0;
  mlir::Value loadA(KernelBuilder &e, const GemmPlace &row, const GemmPlace &k) const;
  virtual mlir::Value loadB(KernelBuilder &e, const GemmPlace &row, const GemmPlace &k) const;

  /// Coordinates of an element of d in the result's physical dimensions.
  virtual llvm::SmallVector<Index> getCoordinates(KernelBuilder &e, Index z, Index row,
                                                  Index column) const = 0;

  /// The buffers of a and b, set before elements are loaded.
  Buffer a, b;
};

} // namespace udnn::cuda

#endif // UDNN_LIB_KERNELS_CUDA_GEMMPROBLEM_H
