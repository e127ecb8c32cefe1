//===- SliceChain.cpp - tensors that are put together from slices -------------===//
//
// Finds chains of insertions and writes long ones through a buffer, whose parts bufferization
// need not prove disjoint.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SliceChain.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace udnn;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;
using tensor::ExtractSliceOp;
using tensor::InsertSliceOp;

/// One-Shot Bufferize takes 0.2 s for a chain of so many insertions, and grows by the fourth power.
static constexpr size_t kLongChain = 32;

template <typename SliceOp>
static bool isStaticSlice(SliceOp op) {
  return !llvm::is_contained(op.getStaticOffsets(), ShapedType::kDynamic) &&
         !llvm::is_contained(op.getStaticSizes(), ShapedType::kDynamic) &&
         llvm::all_of(op.getStaticStrides(), [](int64_t stride) { return stride == 1; });
}

bool udnn::isStatic(InsertSliceOp op) { return isStaticSlice(op); }

bool udnn::areDisjoint(InsertSliceOp a, InsertSliceOp b) {
  for (unsigned i = 0; i < a.getStaticOffsets().size(); ++i) {
    int64_t from = a.getStaticOffsets()[i], other = b.getStaticOffsets()[i];
    if (from + a.getStaticSizes()[i] <= other || other + b.getStaticSizes()[i] <= from)
      return true;
  }
  return false;
}

/// The one insertion into the result of `op` whose other readers are static slices, or null.
static InsertSliceOp getNext(InsertSliceOp op) {
  InsertSliceOp next;
  for (OpOperand &use : op->getUses()) {
    auto slice = dyn_cast<ExtractSliceOp>(use.getOwner());
    if (slice && isStaticSlice(slice) && slice.getType().getRank() == op.getType().getRank())
      continue;
    auto insertion = dyn_cast<InsertSliceOp>(use.getOwner());
    if (!insertion || next || insertion.getSource() == op.getResult())
      return nullptr;
    next = insertion;
  }
  return next;
}

bool udnn::hasNext(InsertSliceOp op) { return bool(getNext(op)); }

SliceChain udnn::getSliceChain(InsertSliceOp tail) {
  SliceChain chain = {tail};
  while (auto previous = chain.back().getDest().getDefiningOp<InsertSliceOp>()) {
    if (getNext(previous) != chain.back())
      break;
    chain.push_back(previous);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

bool udnn::isTooLong(const SliceChain &chain) {
  if (chain.size() > kLongChain)
    return true;
  return llvm::any_of(chain, [](InsertSliceOp op) {
    auto inner = op.getSource().getDefiningOp<InsertSliceOp>();
    return inner && isTooLong(getSliceChain(inner));
  });
}

static bool areAllDisjoint(const SliceChain &chain) {
  for (size_t i = 0; i < chain.size(); ++i) {
    if (!isStatic(chain[i]))
      return false;
    for (size_t j = 0; j < i; ++j)
      if (!areDisjoint(chain[i], chain[j]))
        return false;
  }
  return true;
}

/// Replaces the tensor that a chain starts from by a buffer; null for tensors of known contents.
static Value takeBuffer(OpBuilder &builder, Value base) {
  Operation *op = base.getDefiningOp();
  if (!op || !op->hasOneUse())
    return Value();
  builder.setInsertionPoint(op);
  if (auto toTensor = dyn_cast<ToTensorOp>(op))
    return toTensor.getRestrict() && toTensor.getWritable() ? toTensor.getBuffer() : Value();
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  if (!empty || !empty.getDynamicSizes().empty())
    return Value();
  RankedTensorType type = empty.getType();
  return memref::AllocOp::create(builder, op->getLoc(),
                                 MemRefType::get(type.getShape(), type.getElementType()));
}

/// The slice of a buffer that a slice of a tensor becomes.
template <typename SliceOp>
static Value getSlice(OpBuilder &builder, Value buffer, SliceOp op) {
  return memref::SubViewOp::create(builder, op.getLoc(), buffer, op.getMixedOffsets(),
                                   op.getMixedSizes(), op.getMixedStrides());
}

std::optional<SmallVector<MaterializeInDestinationOp>>
udnn::writeThroughBuffer(const SliceChain &chain) {
  InsertSliceOp first = chain.front(), tail = chain.back();
  Value base = first.getDest();
  bool keepsRank = llvm::all_of(chain, [](InsertSliceOp op) {
    return op.getSourceType().getRank() == op.getDestType().getRank();
  });
  if (!keepsRank || !areAllDisjoint(chain))
    return std::nullopt;
  OpBuilder views(base.getContext());
  Value buffer = takeBuffer(views, base);
  if (!buffer)
    return std::nullopt;
  // Every reader sees the bytes that it asks for as soon as they are written: nobody writes them
  // again.
  SmallVector<MaterializeInDestinationOp> writes;
  for (InsertSliceOp op : chain) {
    OpBuilder builder(op);
    writes.push_back(MaterializeInDestinationOp::create(
        builder, op.getLoc(), TypeRange(), op.getSource(), getSlice(views, buffer, op),
        /*restrict=*/builder.getUnitAttr(), /*writable=*/builder.getUnitAttr()));
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto slice = dyn_cast<ExtractSliceOp>(user);
      if (!slice || op == tail)
        continue;
      builder.setInsertionPoint(slice);
      Value part = ToTensorOp::create(builder, slice.getLoc(), slice.getType(),
                                      getSlice(views, buffer, slice), /*restrict=*/true);
      slice.replaceAllUsesWith(part);
      slice.erase();
    }
  }
  OpBuilder builder(tail);
  Value whole =
      ToTensorOp::create(builder, tail.getLoc(), tail.getType(), buffer, /*restrict=*/true);
  tail.replaceAllUsesWith(whole);
  for (InsertSliceOp op : llvm::reverse(chain))
    op.erase();
  base.getDefiningOp()->erase();
  return writes;
}
