//===- SliceChain.h - tensors that are put together from slices -----*- C++ -*-===//
//
// Chains of insertions that fill one tensor part by part, and their form on a buffer.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_MEMORY_SLICECHAIN_H
#define UDNN_PASSES_MEMORY_SLICECHAIN_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace udnn {

/// True when offsets and sizes are known and all strides are 1.
bool isStatic(mlir::tensor::InsertSliceOp op);

/// True when two static insertions into one tensor write different elements.
bool areDisjoint(mlir::tensor::InsertSliceOp a, mlir::tensor::InsertSliceOp b);

/// True when the result of `op` is the destination of one insertion, and read by nothing else but
/// static slices.
bool hasNext(mlir::tensor::InsertSliceOp op);

/// Insertions from the first to the last one, each into the result of the one before; nobody but
/// static `tensor.extract_slice`s reads the results in between.
using SliceChain = llvm::SmallVector<mlir::tensor::InsertSliceOp>;

/// The longest chain that ends in `tail`.
SliceChain getSliceChain(mlir::tensor::InsertSliceOp tail);

/// True when the chain, or one that makes a part of it, is too long for One-Shot Bufferize, which
/// compares all reads with all writes of a tensor for every insertion.
bool isTooLong(const SliceChain &chain);

/// Writes the parts of a chain of disjoint insertions into a buffer: that of the chain's base, or
/// a new one where the base is an empty tensor. Returns the operations that write the parts, in
/// order; the insertions are erased. None when the chain starts from a tensor of another kind or
/// its insertions overlap.
std::optional<llvm::SmallVector<mlir::bufferization::MaterializeInDestinationOp>>
writeThroughBuffer(const SliceChain &chain);

} // namespace udnn

#endif // UDNN_PASSES_MEMORY_SLICECHAIN_H
