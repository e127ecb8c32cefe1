//===- PlanArena.cpp - offsets in one arena --------------------------------------===//
//
// Finds when every buffer lives, merges what a kernel can do in place, and solves the arena
// problem.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Dialect/Storage.h"
#include "udnn/Passes/Entry.h"
#include "udnn/Passes/Memory.h"
#include "udnn/Solve/Arena.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace udnn {
#define GEN_PASS_DEF_PLANARENAPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

namespace {

/// An allocation, the steps in which it is used, and the block of memory that it is part of.
struct Allocation {
  ArenaBlock life;
  int64_t block = -1;
};

struct PlanArena : public udnn::impl::PlanArenaPassBase<PlanArena> {
  void runOnOperation() override {
    allocations.clear();
    blocks.clear();
    function = getEntry(getOperation());
    if (!function || failed(findLifetimes()))
      return signalPassFailure();
    mergeInPlace();
    ArenaProblem problem(std::move(blocks));
    if (Status status = problem.check(); status.failed()) {
      function.emitError("cannot plan the arena: ") << status.message();
      return signalPassFailure();
    }
    std::vector<int64_t> offsets = solveArena(problem);
    if (Status status = problem.verify(offsets); status.failed()) {
      function.emitError("the planned arena is not sound: ") << status.message();
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (auto &[op, allocation] : allocations)
      op->setAttr(kOffsetAttr, builder.getI64IntegerAttr(offsets[allocation.block]));
    function->setAttr(kArenaAttr, builder.getI64IntegerAttr(problem.getPeak(offsets)));
    function->setAttr(kLiveAttr, builder.getI64IntegerAttr(problem.getLiveBytes()));
  }

  LogicalResult findLifetimes();
  void mergeInPlace();
  bool canMerge(dnn::DispatchOp dispatch, int64_t step, Value input, Value output);

  /// The allocation behind a buffer, or null when it is an argument or a constant.
  Operation *getAllocation(Value buffer) {
    return isa<MemRefType>(buffer.getType()) ? getRoot(buffer).getDefiningOp<memref::AllocOp>()
                                             : nullptr;
  }

  func::FuncOp function;
  llvm::MapVector<Operation *, Allocation> allocations;
  std::vector<ArenaBlock> blocks;
};

} // namespace

LogicalResult PlanArena::findLifetimes() {
  for (auto [step, dispatch] : llvm::enumerate(function.getOps<dnn::DispatchOp>()))
    for (Value operand : dispatch->getOperands()) {
      Operation *op = getAllocation(operand);
      if (!op)
        continue;
      auto [entry, isNew] = allocations.insert({op, Allocation()});
      ArenaBlock &life = entry->second.life;
      if (isNew)
        life.first = step;
      life.last = step;
    }
  for (auto &[op, allocation] : allocations) {
    std::optional<int64_t> bytes = getStorageBytes(cast<memref::AllocOp>(op).getType());
    if (!bytes)
      return op->emitError("expects a buffer of static size below 2^63 bytes");
    allocation.life.size = *bytes;
  }
  return success();
}

/// True when `output` may take the bytes of `input`, which dies in this step.
bool PlanArena::canMerge(dnn::DispatchOp dispatch, int64_t step, Value input, Value output) {
  Operation *from = getAllocation(input), *to = getAllocation(output);
  if (!from || !to || from == to)
    return false;
  const ArenaBlock &dying = allocations[from].life, &born = allocations[to].life;
  if (dying.last != step || born.first != step || dying.size != born.size)
    return false;
  // Both views must touch the same bytes in the same order.
  auto inputType = cast<MemRefType>(input.getType()),
       outputType = cast<MemRefType>(output.getType());
  SmallVector<int64_t> inputStrides, outputStrides;
  int64_t inputOffset, outputOffset;
  if (failed(inputType.getStridesAndOffset(inputStrides, inputOffset)) ||
      failed(outputType.getStridesAndOffset(outputStrides, outputOffset)) ||
      getElementStorageBytes(inputType.getElementType()) !=
          getElementStorageBytes(outputType.getElementType()) ||
      inputType.getShape() != outputType.getShape() || inputStrides != outputStrides ||
      inputOffset != outputOffset)
    return false;
  // No other operand may be in these bytes: the kernel might read it later.
  return llvm::count_if(dispatch->getOperands(), [&](Value operand) {
           Operation *op = getAllocation(operand);
           return op == from || op == to;
         }) == 2;
}

void PlanArena::mergeInPlace() {
  SymbolTable symbols(getOperation());
  for (auto [step, dispatch] : llvm::enumerate(function.getOps<dnn::DispatchOp>())) {
    auto kernel = symbols.lookup<dnn::KernelOp>(dispatch.getKernel());
    SmallVector<Operation *> used;
    for (auto [i, input] : llvm::enumerate(kernel.getInPlace())) {
      Value output = dispatch.getInits()[i];
      if (input < 0 || !canMerge(dispatch, step, dispatch.getInputs()[input], output))
        continue;
      Operation *from = getAllocation(dispatch.getInputs()[input]);
      // Two outputs of one launch must not take the same input.
      if (llvm::is_contained(used, from))
        continue;
      used.push_back(from);
      Allocation &source = allocations[from];
      if (source.block < 0) {
        source.block = blocks.size();
        blocks.push_back(source.life);
      }
      Allocation &target = allocations[getAllocation(output)];
      target.block = source.block;
      blocks[source.block].last = target.life.last;
    }
  }
  for (auto &[op, allocation] : allocations)
    if (allocation.block < 0) {
      allocation.block = blocks.size();
      blocks.push_back(allocation.life);
    }
}
