//===- Window.h - windows of convolutions and pooling ------------*- C++ -*-===//
//
// The attributes that convolutions and pooling share, with auto_pad resolved.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_WINDOW_H
#define UDNN_LIB_ONNX_WINDOW_H

#include "NodeContext.h"

namespace udnn::onnx {

struct Window {
  llvm::SmallVector<int64_t> size, strides, dilations;
  /// The padding before every spatial dimension, then after every one.
  llvm::SmallVector<int64_t> pads;
  /// NOTSET, VALID, SAME_UPPER or SAME_LOWER.
  std::string autoPad;

  int64_t getRank() const { return size.size(); }
  /// Extent of the dilated window in dimension `i`.
  int64_t getExtent(int64_t i) const { return (size[i] - 1) * dilations[i] + 1; }
};

/// Reads auto_pad, strides, dilations, pads and kernel_shape; `size` is the window where
/// kernel_shape is left out, and must equal it where both are there (empty: kernel_shape is
/// required).
mlir::FailureOr<Window> readWindow(NodeContext &ctx, int64_t spatialRank,
                                   llvm::ArrayRef<int64_t> size);

/// Resolves auto_pad into pads and returns the result's spatial sizes; windows that stick out at
/// the end are added with `ceilMode`, unless they start in the padding.
mlir::FailureOr<llvm::SmallVector<int64_t>> resolveWindow(NodeContext &ctx, Window &window,
                                                          llvm::ArrayRef<int64_t> input,
                                                          bool ceilMode = false);

/// Checks that the input has a batch, channels, and 1 to 3 spatial dimensions.
mlir::LogicalResult checkSpatialRank(NodeContext &ctx, mlir::RankedTensorType type);

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_WINDOW_H
