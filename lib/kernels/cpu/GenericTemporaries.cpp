//===- GenericTemporaries.cpp - where temporaries lie ----------------------===//
//
// Places the temporaries of a task on the stack or in the worker's scratch memory.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GenericLoops.h"

#include "../common/GenericBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

/// Temporaries up to this size are on the stack, all together up to the second.
static constexpr int64_t kMaxStackBuffer = 16 * 1024, kMaxStackBytes = 64 * 1024;

FailureOr<int64_t> udnn::generic::placeTemporaries(func::FuncOp function, bool hasScratch) {
  SmallVector<memref::AllocOp> allocations;
  function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  Block &entry = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  int64_t stackBytes = 0, scratchBytes = 0;
  for (memref::AllocOp op : allocations) {
    MemRefType type = op.getType();
    FailureOr<int64_t> known = udnn::generic::getTemporaryBytes(type);
    if (failed(known))
      return failure();
    int64_t bytes = *known;
    Location loc = op.getLoc();
    if (bytes <= kMaxStackBuffer && stackBytes + bytes <= kMaxStackBytes) {
      stackBytes += bytes;
      op.replaceAllUsesWith(
          memref::AllocaOp::create(builder, loc, type,
                                   builder.getI64IntegerAttr(udnn::generic::kTemporaryAlignment))
              .getResult());
      op.erase();
      continue;
    }
    if (hasScratch) {
      Value scratch = entry.getArgument(entry.getNumArguments() - 2);
      Value offset = arith::ConstantIndexOp::create(builder, loc, scratchBytes);
      op.replaceAllUsesWith(
          memref::ViewOp::create(builder, loc, type, scratch, offset, ValueRange()).getResult());
      op.erase();
    }
    scratchBytes += bytes;
  }
  return scratchBytes;
}
