//===- WriteInPlace.cpp - kernels write where their results belong ---------------===//
//
// Replaces the empty tensors that kernels fill by the outputs and slices into which the result
// would be copied.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Destination.h"
#include "SliceChain.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace udnn {
#define GEN_PASS_DEF_WRITEINPLACEPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

tensor::EmptyOp udnn::getDestination(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      value = insert.getDest();
    else if (auto dispatch = dyn_cast<dnn::DispatchOp>(op))
      value = dispatch.getInits()[cast<OpResult>(value).getResultNumber()];
    else
      return nullptr;
  }
  return nullptr;
}

/// The empty tensor behind `value` when only one operation fills it, and `place`, behind which its
/// replacement would stand, comes before that operation.
static tensor::EmptyOp getReplaceable(Value value, Operation *place) {
  tensor::EmptyOp empty = getDestination(value);
  if (!empty || !empty->hasOneUse())
    return nullptr;
  return !place || place->isBeforeInBlock(*empty->user_begin()) ? empty : nullptr;
}

static void replace(tensor::EmptyOp empty, Value destination) {
  empty.getResult().replaceAllUsesWith(destination);
  empty.erase();
}

namespace {

struct WriteInPlace : public udnn::impl::WriteInPlacePassBase<WriteInPlace> {
  void runOnOperation() override {
    Block &block = getOperation().getBody().front();
    // Outputs first, then slices from the outermost to the innermost: a destination is complete
    // before parts of it are handed out.
    for (auto op : block.getOps<bufferization::MaterializeInDestinationOp>())
      writeToOutput(op);
    SmallVector<tensor::InsertSliceOp> insertions(block.getOps<tensor::InsertSliceOp>());
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (tensor::InsertSliceOp op : llvm::reverse(insertions))
      if (!erased.contains(op) && !writeLongChain(op, erased))
        writeToSlice(op);
  }

  /// Writes a long concatenation through a buffer, as if its parts were outputs.
  bool writeLongChain(tensor::InsertSliceOp tail, llvm::SmallPtrSetImpl<Operation *> &erased) {
    if (hasNext(tail))
      return false;
    SliceChain chain = getSliceChain(tail);
    if (!isTooLong(chain))
      return false;
    auto writes = writeThroughBuffer(chain);
    if (!writes)
      return false;
    erased.insert(chain.begin(), chain.end());
    for (bufferization::MaterializeInDestinationOp op : *writes)
      writeToOutput(op);
    return true;
  }

  void writeToOutput(bufferization::MaterializeInDestinationOp op) {
    Operation *place = op.getDest().getDefiningOp();
    tensor::EmptyOp empty = getReplaceable(op.getSource(), place);
    if (!empty)
      return;
    OpBuilder builder(&getContext());
    if (place)
      builder.setInsertionPointAfter(place);
    else
      builder.setInsertionPointToStart(op->getBlock());
    replace(empty, bufferization::ToTensorOp::create(builder, op.getLoc(), empty.getType(),
                                                     op.getDest(), /*restrict=*/true,
                                                     /*writable=*/true));
    // Only one operation may promise that nobody else refers to the buffer.
    op.setRestrict(false);
  }

  void writeToSlice(tensor::InsertSliceOp op) {
    Operation *place = op.getDest().getDefiningOp();
    tensor::EmptyOp empty = getReplaceable(op.getSource(), place);
    if (!empty || !place)
      return;
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(place);
    replace(empty, tensor::ExtractSliceOp::create(builder, op.getLoc(), op.getSourceType(),
                                                  op.getDest(), op.getMixedOffsets(),
                                                  op.getMixedSizes(), op.getMixedStrides()));
  }
};

} // namespace
