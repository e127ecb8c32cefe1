//===- WindowChecks.h - checks of sliding windows and layouts ---------------===//
//
// Verifier helpers that convolution, pooling and normalization share.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_WINDOWCHECKS_H
#define UDNN_DIALECT_WINDOWCHECKS_H

#include "udnn/Dialect/Dnn.h"
#include "udnn/Support/Window.h"

namespace udnn::dnn {

/// Checks that `dims` fits the physical shape of `type`, whose role messages call `name`.
inline mlir::LogicalResult verifyDims(mlir::Operation *op, llvm::StringRef name, DimsAttr dims,
                                      mlir::RankedTensorType type) {
  if (dims.getRank() != type.getRank())
    return op->emitOpError("expects dimension numbers of rank ")
           << type.getRank() << " for '" << name << "', got " << dims.getRank();
  for (auto [i, block] : llvm::enumerate(dims.getBlocks()))
    if (block != 1 && type.getDimSize(i) != block)
      return op->emitOpError("expects dimension ")
             << i << " of '" << name << "' to have its block's size " << block << ", got "
             << type.getDimSize(i);
  for (auto [role, size] : {std::pair(DimsAttr::kChannel, dims.getChannels()),
                            std::pair(DimsAttr::kFilter, dims.getFilters())}) {
    int64_t block = dims.getBlock(role);
    if (size && (size + block - 1) / block != type.getDimSize(dims.find(role)))
      return op->emitOpError("expects ")
             << (size + block - 1) / block << " blocks for the " << size << " channels of '" << name
             << "', got " << type.getDimSize(dims.find(role));
  }
  return mlir::success();
}

/// Checks strides, pads (before, then after) and dilations of a window over `rank` dimensions.
inline mlir::LogicalResult verifyWindow(mlir::Operation *op, int64_t rank,
                                        llvm::ArrayRef<int64_t> strides,
                                        llvm::ArrayRef<int64_t> pads,
                                        llvm::ArrayRef<int64_t> dilations) {
  if (int64_t(strides.size()) != rank || int64_t(dilations.size()) != rank ||
      int64_t(pads.size()) != 2 * rank)
    return op->emitOpError("expects ")
           << rank << " strides, " << rank << " dilations and " << 2 * rank << " pads, got "
           << strides.size() << ", " << dilations.size() << " and " << pads.size();
  auto check = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> values, int64_t minimum) {
    for (int64_t value : values)
      if (value < minimum || value > kMaxWindowSize)
        return mlir::LogicalResult(op->emitOpError("expects ")
                                   << name << " from " << minimum << " to " << kMaxWindowSize
                                   << ", got " << value);
    return mlir::success();
  };
  return mlir::success(mlir::succeeded(check("strides", strides, 1)) &&
                       mlir::succeeded(check("dilations", dilations, 1)) &&
                       mlir::succeeded(check("pads", pads, 0)));
}

/// Checks that a window of `size` elements has the `result` positions of the result in spatial
/// dimension `i` of `input` elements. With `mayStickOut` it has to start within the padded input
/// only, as windows of pooling do that are cut off at the end. Strides, pads and dilations are
/// those that `verifyWindow` accepts.
template <typename WindowOp>
mlir::LogicalResult verifyWindowCount(WindowOp op, int64_t i, int64_t input, int64_t size,
                                      int64_t result, bool mayStickOut) {
  if (size < 1 || size > kMaxWindowSize)
    return op.emitOpError("expects a window from 1 to ")
           << kMaxWindowSize << " elements in spatial dimension " << i << ", got " << size;
  int64_t rank = op.getStrides().size();
  int64_t padded = input + op.getPads()[i] + op.getPads()[rank + i];
  int64_t count =
      countWindows(padded, mayStickOut ? 1 : size, op.getDilations()[i], op.getStrides()[i]);
  if (count == 0)
    return op.emitOpError("expects a window of at most ")
           << padded << " elements, the padded size of spatial dimension " << i << ", got "
           << (size - 1) * op.getDilations()[i] + 1;
  if (result < 1 || result > count)
    return op.emitOpError("expects spatial dimension ")
           << i << " of the result to have at most " << count << " elements, got " << result;
  return mlir::success();
}

} // namespace udnn::dnn

#endif // UDNN_DIALECT_WINDOWCHECKS_H
