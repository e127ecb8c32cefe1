//===- OrderSlices.cpp - insert slices as soon as they are computed ------------===//
//
// Reorders concatenations so that kernels can write into them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Destination.h"
#include "SliceChain.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

namespace udnn {
#define GEN_PASS_DEF_ORDERSLICESPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;
using tensor::InsertSliceOp;

/// The insertion that fills the destination of `op` and whose result nobody else reads, or null.
static InsertSliceOp getPrevious(InsertSliceOp op) {
  auto previous = op.getDest().getDefiningOp<InsertSliceOp>();
  return previous && previous->hasOneUse() ? previous : nullptr;
}

/// True when the result of `op` is only the destination of another insertion.
static bool isInner(InsertSliceOp op) { return op->hasOneUse() && hasNext(op); }

namespace {

struct OrderSlices : public udnn::impl::OrderSlicesPassBase<OrderSlices> {
  void runOnOperation() override {
    // Destinations stand before everything that may be computed into them.
    Block &block = getOperation().getBody().front();
    for (auto empty : llvm::make_early_inc_range(block.getOps<tensor::EmptyOp>()))
      if (empty.getDynamicSizes().empty())
        empty->moveBefore(&block, block.begin());
    SmallVector<InsertSliceOp> tails;
    for (InsertSliceOp op : getOperation().getOps<InsertSliceOp>())
      if (!isInner(op))
        tails.push_back(op);
    llvm::DenseSet<Operation *> claimed;
    for (InsertSliceOp tail : tails)
      reorder(tail, claimed);
  }

  /// `claimed` holds the empty tensors whose kernels write into a concatenation already.
  void reorder(InsertSliceOp tail, llvm::DenseSet<Operation *> &claimed) {
    SmallVector<InsertSliceOp> chain;
    for (InsertSliceOp op = tail; op; op = getPrevious(op)) {
      if (!isStatic(op))
        return;
      for (InsertSliceOp other : chain)
        if (!areDisjoint(op, other))
          return;
      chain.push_back(op);
    }
    Value base = chain.back().getDest();
    // Somebody else may read a base of known contents: nothing to gain from an earlier write.
    if (chain.size() == 1 && !base.getDefiningOp<tensor::EmptyOp>())
      return;
    std::reverse(chain.begin(), chain.end());

    SmallVector<InsertSliceOp> computed, copied;
    for (InsertSliceOp op : chain) {
      tensor::EmptyOp destination = getDestination(op.getSource());
      bool inPlace = destination && claimed.insert(destination).second;
      (inPlace ? computed : copied).push_back(op);
    }
    llvm::stable_sort(computed, [](InsertSliceOp a, InsertSliceOp b) {
      Operation *x = a.getSource().getDefiningOp(), *y = b.getSource().getDefiningOp();
      return x != y && x->isBeforeInBlock(y);
    });
    rebuild(base, tail, computed, copied);
  }

  /// Threads the insertions through one another in their new order.
  void rebuild(Value base, InsertSliceOp tail, ArrayRef<InsertSliceOp> computed,
               ArrayRef<InsertSliceOp> copied) {
    Value result = tail.getResult();
    InsertSliceOp last = copied.empty() ? computed.back() : copied.back();
    // Readers of the last insertion become readers of the new last one.
    Operation *place = tail->getNextNode();
    if (last != tail)
      result.replaceAllUsesWith(last.getResult());
    Value dest = base;
    auto append = [&](InsertSliceOp op) {
      op.getDestMutable().assign(dest);
      dest = op.getResult();
    };
    for (InsertSliceOp op : computed) {
      Operation *source = op.getSource().getDefiningOp();
      Operation *previous = dest.getDefiningOp();
      op->moveAfter(previous && source->isBeforeInBlock(previous) ? previous : source);
      append(op);
    }
    for (InsertSliceOp op : copied) {
      op->moveBefore(place);
      append(op);
    }
  }
};

} // namespace
