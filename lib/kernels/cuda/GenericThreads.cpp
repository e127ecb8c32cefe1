//===- GenericThreads.cpp - loops to blocks and threads ---------------------===//
//
// Two ways to run tasks: one per thread, or one per block whose threads share each operation.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GenericThreads.h"

#include "KernelFunction.h"

#include "../common/GenericBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace udnn;

//===----------------------------------------------------------------------===//
// Temporaries
//===----------------------------------------------------------------------===//

/// True when nothing is ever written to a temporary: it only gives an operation its loops.
static bool isNeverWritten(memref::AllocOp op) {
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return user && user.isDpsInput(&use);
  });
}

/// The temporaries that need memory.
static SmallVector<memref::AllocOp> getTemporaries(func::FuncOp function) {
  SmallVector<memref::AllocOp> temporaries;
  function.walk([&](memref::AllocOp op) {
    if (!isNeverWritten(op))
      temporaries.push_back(op);
  });
  return temporaries;
}

FailureOr<int64_t> cuda::countTemporaryBytes(func::FuncOp function) {
  int64_t bytes = 0;
  for (memref::AllocOp op : getTemporaries(function)) {
    FailureOr<int64_t> size = generic::getTemporaryBytes(op.getType());
    if (failed(size) || llvm::AddOverflow(bytes, *size, bytes))
      return failure();
  }
  return bytes;
}

/// Gives the temporaries that are left to each thread: small ones become registers, those that are
/// never written vanish with the loads that nobody uses.
static void placePrivately(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  SmallVector<memref::AllocOp> rest;
  function.walk([&](memref::AllocOp op) { rest.push_back(op); });
  for (memref::AllocOp op : rest) {
    op.replaceAllUsesWith(memref::AllocaOp::create(builder, op.getLoc(), op.getType()).getResult());
    op.erase();
  }
}

/// Places temporaries in the part of the scratch memory that belongs to block `block`.
static LogicalResult placeInScratch(func::FuncOp function, Value block) {
  SmallVector<memref::AllocOp> temporaries = getTemporaries(function);
  if (temporaries.empty())
    return success();
  FailureOr<int64_t> blockBytes = cuda::countTemporaryBytes(function);
  if (failed(blockBytes))
    return failure();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(block);
  Location loc = function.getLoc();
  Value scratch = function.getArgument(function.getNumArguments() - 2);
  Value start = arith::MulIOp::create(builder, loc, block,
                                      arith::ConstantIndexOp::create(builder, loc, *blockBytes));
  int64_t offset = 0;
  for (memref::AllocOp op : temporaries) {
    Value at = arith::AddIOp::create(builder, loc, start,
                                     arith::ConstantIndexOp::create(builder, loc, offset));
    offset += *generic::getTemporaryBytes(op.getType());
    op.replaceAllUsesWith(
        memref::ViewOp::create(builder, loc, op.getType(), scratch, at, ValueRange()).getResult());
    op.erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static SmallVector<linalg::LinalgOp> getLinalgOps(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  return ops;
}

/// Makes `op` a generic whose parallel loops are outermost; null where there is nothing to do.
static FailureOr<linalg::GenericOp> normalize(linalg::LinalgOp op, RewriterBase &rewriter) {
  if (!op.hasPureBufferSemantics() || op.hasDynamicShape())
    return failure();
  if (llvm::is_contained(op.getStaticLoopRanges(), 0)) {
    rewriter.eraseOp(op);
    return linalg::GenericOp();
  }
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> generalized = linalg::generalizeNamedOp(rewriter, op);
    if (failed(generalized))
      return failure();
    generic = *generalized;
    rewriter.setInsertionPoint(generic);
  }
  SmallVector<unsigned> order, reductions;
  for (auto [loop, type] : llvm::enumerate(generic.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? order : reductions).push_back(loop);
  llvm::append_range(order, reductions);
  if (llvm::is_sorted(order))
    return generic;
  return linalg::interchangeGenericOp(rewriter, generic, order);
}

/// Replaces `op` by a loop in which thread `thread` computes every `kGenericThreads`-th element.
static LogicalResult divideBetweenThreads(linalg::LinalgOp op, Value thread,
                                          RewriterBase &rewriter) {
  FailureOr<linalg::GenericOp> generic = normalize(op, rewriter);
  if (failed(generic))
    return failure();
  if (!*generic)
    return success();
  Location loc = generic->getLoc();
  SmallVector<int64_t> sizes = generic->getStaticLoopRanges();
  sizes.truncate(generic->getNumParallelLoops());
  int64_t elements = llvm::product_of(sizes);
  Value end = arith::ConstantIndexOp::create(rewriter, loc, elements);
  Value step = arith::ConstantIndexOp::create(rewriter, loc, cuda::kGenericThreads);
  auto loop = scf::ForOp::create(rewriter, loc, thread, end, step);
  rewriter.setInsertionPointAfter(loop);
  gpu::BarrierOp::create(rewriter, loc);
  rewriter.moveOpBefore(*generic, loop.getBody(), loop.getBody()->begin());
  rewriter.setInsertionPoint(*generic);
  SmallVector<Value> indices;
  if (sizes.size() > 1)
    llvm::append_range(indices, affine::AffineDelinearizeIndexOp::create(
                                    rewriter, loc, loop.getInductionVar(), sizes)
                                    .getResults());
  else
    indices.assign(sizes.size(), loop.getInductionVar());
  FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToParallelLoops(rewriter, *generic);
  if (failed(loops))
    return failure();
  rewriter.eraseOp(*generic);
  if (sizes.empty())
    return success();
  auto parallel = cast<scf::ParallelOp>(loops->front());
  rewriter.eraseOp(parallel.getBody()->getTerminator());
  rewriter.inlineBlockBefore(parallel.getBody(), parallel, indices);
  rewriter.eraseOp(parallel);
  return success();
}

static bool accessesMemoryOutsideOfOperations(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        if (isa<linalg::LinalgOp>(op))
          return WalkResult::skip();
        return isa<memref::LoadOp, memref::StoreOp, memref::CopyOp>(op) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult cuda::mapTaskToBlock(func::FuncOp function) {
  // Only operations are followed by a barrier.
  if (accessesMemoryOutsideOfOperations(function))
    return failure();
  IRRewriter rewriter(function.getContext());
  Location loc = function.getLoc();
  rewriter.setInsertionPointToStart(&function.getBody().front());
  Value thread = getThreadId(rewriter, loc);
  Value block = getBlockId(rewriter, loc);
  function.getArguments().back().replaceAllUsesWith(block);
  if (failed(placeInScratch(function, block)))
    return failure();
  placePrivately(function);
  for (linalg::LinalgOp op : getLinalgOps(function))
    if (failed(divideBetweenThreads(op, thread, rewriter)))
      return failure();
  return success();
}

/// The index of the thread among all of the launch.
static Value getTask(OpBuilder &builder, Location loc) {
  Value threads = arith::ConstantIndexOp::create(builder, loc, cuda::kGenericThreads);
  Value first = arith::MulIOp::create(builder, loc, cuda::getBlockId(builder, loc), threads);
  return arith::AddIOp::create(builder, loc, first, cuda::getThreadId(builder, loc));
}

LogicalResult cuda::mapTaskToThread(func::FuncOp function, int64_t tasks) {
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : getLinalgOps(function)) {
    if (!op.hasPureBufferSemantics())
      return failure();
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return failure();
    rewriter.eraseOp(op);
  }
  Location loc = function.getLoc();
  Block &entry = function.getBody().front();
  rewriter.setInsertionPointToStart(&entry);
  Value task = getTask(rewriter, loc);
  function.getArguments().back().replaceAllUsesWith(task);
  Value end = arith::ConstantIndexOp::create(rewriter, loc, tasks);
  Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, task, end);
  auto guard = scf::IfOp::create(rewriter, loc, inside, /*withElseRegion=*/false);
  Block *body = guard.thenBlock();
  body->getOperations().splice(body->begin(), entry.getOperations(),
                               std::next(guard->getIterator()), std::prev(entry.end()));
  placePrivately(function);
  return success();
}

void cuda::moveBody(func::FuncOp function, gpu::GPUFuncOp kernel) {
  Block &from = function.getBody().front(), &to = kernel.getBody().front();
  for (auto [argument, replacement] : llvm::zip(from.getArguments(), to.getArguments()))
    argument.replaceAllUsesWith(replacement);
  from.getTerminator()->erase();
  to.getOperations().splice(to.begin(), from.getOperations());
  function.erase();
}
