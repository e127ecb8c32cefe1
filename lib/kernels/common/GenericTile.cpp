//===- GenericTile.cpp - cut a body into tasks -----------------------------===//
//
// Tiles the last operation of a body, fuses what it reads, and keeps one tile per task.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GenericBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace udnn::generic;

/// The one operation that computes all results, or null.
static linalg::LinalgOp getRoot(func::FuncOp function) {
  Operation *root = nullptr;
  for (auto op : function.getOps<bufferization::MaterializeInDestinationOp>()) {
    Operation *producer = op.getSource().getDefiningOp();
    if (!producer || (root && root != producer))
      return nullptr;
    root = producer;
  }
  return dyn_cast_or_null<linalg::LinalgOp>(root);
}

static int64_t getWork(linalg::LinalgOp op) {
  int64_t work = std::max<int64_t>(op.getBlock()->getOperations().size() - 1, 1);
  for (int64_t range : op.getStaticLoopRanges())
    work = std::max<int64_t>(work, 1) * range;
  return work;
}

namespace {
/// Finds the loops of the root that can be cut without computing anything twice.
class SharedLoops {
public:
  explicit SharedLoops(linalg::LinalgOp root) : root(root), cuttable(root.getNumLoops(), true) {
    for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray()))
      cuttable[loop] = type == utils::IteratorType::parallel;
    SmallVector<int64_t> identity = llvm::to_vector(llvm::seq<int64_t>(0, root.getNumLoops()));
    visitOperands(root, identity);
  }

  bool isCuttable(int64_t loop) const { return cuttable[loop]; }
  int64_t getTotalWork() const { return totalWork; }

private:
  /// `rootLoop[i]` is the root's loop that loop i of `op` follows, or -1.
  void visitOperands(linalg::LinalgOp op, ArrayRef<int64_t> rootLoop) {
    totalWork += getWork(op);
    // Upstream tiling cannot fuse operations with nothing to do.
    if (llvm::is_contained(op.getStaticLoopRanges(), 0))
      cuttable.assign(cuttable.size(), false);
    for (OpOperand &operand : op->getOpOperands()) {
      SmallVector<int64_t> dims;
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        dims.push_back(dim ? rootLoop[dim.getPosition()] : -1);
      }
      visitProducer(operand.get(), dims);
    }
    // What a body reads by computed indices is needed whole.
    op.getBlock()->walk([&](tensor::ExtractOp extract) { visitProducer(extract.getTensor(), {}); });
  }

  /// `dims[i]` is the root's loop that dimension i of `value` follows, or -1.
  void visitProducer(Value value, ArrayRef<int64_t> dims) {
    Operation *producer = value.getDefiningOp();
    if (!producer ||
        isa<tensor::EmptyOp, arith::ConstantOp, linalg::FillOp, bufferization::ToTensorOp>(
            producer))
      return;
    auto op = dyn_cast<linalg::LinalgOp>(producer);
    if (!op) {
      for (Value operand : producer->getOperands())
        visitProducer(operand, {});
      if (isa<tensor::PadOp, tensor::ConcatOp>(producer))
        requireLoops({});
      return;
    }
    SmallVector<int64_t> rootLoop(op.getNumLoops(), -1);
    AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(value));
    for (auto [expr, loop] : llvm::zip(map.getResults(), dims))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        rootLoop[dim.getPosition()] = loop;
    requireLoops(dims);
    visitOperands(op, rootLoop);
  }

  /// Forbids to cut loops that a producer does not follow: it would be computed once per tile.
  void requireLoops(ArrayRef<int64_t> followed) {
    for (size_t loop = 0; loop < cuttable.size(); ++loop)
      if (!llvm::is_contained(followed, int64_t(loop)))
        cuttable[loop] = false;
  }

  linalg::LinalgOp root;
  SmallVector<bool> cuttable;
  int64_t totalWork = 0;
};
} // namespace

/// The divisor of `size` closest to `wanted`, from above when that is not far more.
static int64_t getDivisor(int64_t size, int64_t wanted) {
  int64_t below = 1;
  for (int64_t divisor = 1; divisor <= size; ++divisor) {
    if (size % divisor)
      continue;
    if (divisor >= wanted)
      return divisor <= 4 * wanted ? divisor : below;
    below = divisor;
  }
  return below;
}

Tiling udnn::generic::chooseTiling(func::FuncOp function, const TilingLimits &limits) {
  Tiling tiling;
  linalg::LinalgOp root = getRoot(function);
  if (!root || root.hasDynamicShape() || root->getNumResults() == 0)
    return tiling;
  SharedLoops loops(root);
  int64_t wanted = std::min(loops.getTotalWork() / limits.minTaskWork, limits.maxTasks);
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  if (wanted < 2 || llvm::is_contained(ranges, 0))
    return tiling;
  tiling.sizes.assign(ranges.size(), 0);
  // Outer dimensions of the result first, so that a task writes few contiguous ranges.
  for (AffineExpr expr : root.getIndexingMapMatchingResult(root->getResult(0)).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !loops.isCuttable(dim.getPosition()) || wanted < 2)
      continue;
    int64_t range = ranges[dim.getPosition()];
    int64_t pieces = getDivisor(range, wanted);
    if (pieces == 1)
      continue;
    tiling.sizes[dim.getPosition()] = range / pieces;
    tiling.tasks *= pieces;
    wanted = (wanted + pieces - 1) / pieces;
  }
  return tiling;
}

/// Replaces a loop over tiles by the one tile of the task.
static void keepOneTile(scf::ForallOp loop, Value task, RewriterBase &rewriter) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<int64_t> counts;
  for (auto [lower, upper, step] :
       llvm::zip(loop.getStaticLowerBound(), loop.getStaticUpperBound(), loop.getStaticStep()))
    counts.push_back((upper - lower + step - 1) / step);
  SmallVector<Value> arguments;
  if (counts.size() == 1)
    arguments.push_back(task);
  else
    llvm::append_range(
        arguments,
        affine::AffineDelinearizeIndexOp::create(rewriter, loc, task, counts).getResults());
  for (auto [argument, lower, step] :
       llvm::zip(arguments, loop.getStaticLowerBound(), loop.getStaticStep())) {
    AffineExpr index = rewriter.getAffineDimExpr(0) * step + lower;
    argument = affine::AffineApplyOp::create(rewriter, loc, AffineMap::get(1, 0, index), argument);
  }
  llvm::append_range(arguments, loop.getOutputs());
  scf::InParallelOp terminator = loop.getTerminator();
  SmallVector<tensor::ParallelInsertSliceOp> inserts =
      llvm::to_vector(terminator.getOps<tensor::ParallelInsertSliceOp>());
  rewriter.inlineBlockBefore(loop.getBody(), loop, arguments);
  for (tensor::ParallelInsertSliceOp insert : inserts) {
    rewriter.setInsertionPoint(loop);
    Value whole = tensor::InsertSliceOp::create(rewriter, loc, insert.getSource(), insert.getDest(),
                                                insert.getMixedOffsets(), insert.getMixedSizes(),
                                                insert.getMixedStrides());
    for (auto [result, output] : llvm::zip(loop.getResults(), loop.getOutputs()))
      if (output == insert.getDest())
        rewriter.replaceAllUsesWith(result, whole);
  }
  rewriter.eraseOp(terminator);
  rewriter.eraseOp(loop);
}

/// True when `tiling` cuts loops of these sizes into as many tiles as it has tasks. Plans and
/// kernels can be edited.
static bool fits(const Tiling &tiling, ArrayRef<int64_t> ranges) {
  if (tiling.sizes.size() != ranges.size())
    return false;
  int64_t tiles = 1;
  for (auto [size, range] : llvm::zip(tiling.sizes, ranges))
    if (size < 0 || size > range ||
        (size && llvm::MulOverflow(tiles, llvm::divideCeilSigned(range, size), tiles)))
      return false;
  return tiles == tiling.tasks;
}

LogicalResult udnn::generic::tileToTask(func::FuncOp function, const Tiling &tiling) {
  linalg::LinalgOp root = getRoot(function);
  auto tilable = dyn_cast_or_null<TilingInterface>(root.getOperation());
  if (!tilable || !fits(tiling, root.getStaticLoopRanges()))
    return failure();
  IRRewriter rewriter(function.getContext());
  rewriter.setInsertionPoint(root);
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(getAsIndexOpFoldResult(function.getContext(), tiling.sizes))
      .setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, tilable, options);
  if (failed(tiled) || tiled->loops.size() != 1)
    return failure();
  for (OpResult result : root->getResults())
    if (Value replacement = tiled->replacements.lookup(result))
      rewriter.replaceAllUsesWith(result, replacement);
  auto loop = cast<scf::ForallOp>(tiled->loops.front().getOperation());
  keepOneTile(loop, function.getArguments().back(), rewriter);
  // A slice of a tensor without contents needs no more than its own memory.
  RewritePatternSet patterns(function.getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}
