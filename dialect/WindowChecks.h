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
  for (int64_t value : strides)
    if (value < 1)
      return op->emitOpError("expects positive strides, got ") << value;
  for (int64_t value : dilations)
    if (value < 1)
      return op->emitOpError("expects positive dilations, got ") << value;
  return mlir::success();
}

} // namespace udnn::dnn

#endif // UDNN_DIALECT_WINDOWCHECKS_H
