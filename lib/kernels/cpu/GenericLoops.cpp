//===- GenericLoops.cpp - loops that LLVM vectorizes -----------------------===//
//
// Chooses the innermost loop of linalg operations on buffers, joins loops over contiguous memory,
// and lets sums be reordered.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GenericLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace udnn::generic;

/// Stands for a step that is no constant.
static constexpr int64_t kIrregular = 1 << 20;

/// How an operand's address changes from one iteration of a loop to the next, in elements.
static int64_t getStride(linalg::LinalgOp op, OpOperand &operand, int64_t loop) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset, result = 0;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return 0;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [expr, stride] : llvm::zip(map.getResults(), strides)) {
    SmallVector<int64_t> flat;
    if (expr.isPureAffine() &&
        succeeded(getFlattenedAffineExpr(expr, map.getNumDims(), 0, &flat)) &&
        flat.size() == map.getNumDims() + 1)
      result += stride * flat[loop];
    else if (expr.isFunctionOfDim(loop))
      result += kIrregular;
  }
  return result;
}

/// What a loop would cost as the innermost one: strided accesses cannot be vectorized.
static int64_t getInnermostCost(linalg::LinalgOp op, int64_t loop, int64_t range) {
  int64_t cost = range < 8 ? 12 : 0;
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t stride = getStride(op, operand, loop);
    bool isOutput = op.isDpsInit(&operand);
    cost += stride == 0 ? 0 : stride == 1 ? 1 : isOutput ? 12 : 8;
  }
  return cost;
}

/// Moves the cheapest loop to the innermost place.
static FailureOr<linalg::GenericOp> orderLoops(linalg::GenericOp op, RewriterBase &rewriter) {
  int64_t loops = op.getNumLoops();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t best = loops - 1;
  for (int64_t loop = loops - 1; loop >= 0; --loop)
    if (getInnermostCost(op, loop, ranges[loop]) < getInnermostCost(op, best, ranges[best]))
      best = loop;
  if (best == loops - 1)
    return op;
  SmallVector<unsigned> order;
  for (int64_t loop = 0; loop < loops; ++loop)
    if (loop != best)
      order.push_back(loop);
  order.push_back(best);
  rewriter.setInsertionPoint(op);
  return linalg::interchangeGenericOp(rewriter, op, order);
}

/// True when loops `first` and `first + 1` run over memory as one loop would.
static bool canJoin(linalg::GenericOp op, int64_t first, ArrayRef<int64_t> ranges) {
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  if (types[first] != types[first + 1])
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation())
      return false;
    ReassociationIndices pair = {first, first + 1};
    if (!linalg::isDimSequencePreserved(map, pair))
      return false;
    if (getStride(op, operand, first) != getStride(op, operand, first + 1) * ranges[first + 1])
      return false;
  }
  return true;
}

/// Joins neighbouring loops wherever all operands allow it.
static FailureOr<linalg::GenericOp> joinLoops(linalg::GenericOp op, RewriterBase &rewriter) {
  if (op.hasIndexSemantics())
    return op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<ReassociationIndices> groups;
  for (int64_t loop = 0, e = op.getNumLoops(); loop < e; ++loop) {
    if (loop > 0 && canJoin(op, loop - 1, ranges))
      groups.back().push_back(loop);
    else
      groups.push_back({loop});
  }
  if (groups.size() == op.getNumLoops())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> joined = linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(joined))
    return op;
  rewriter.eraseOp(op);
  return cast<linalg::GenericOp>(joined->collapsedOp.getOperation());
}

/// Allows the order of sums and products over reduction loops to change, so that they vectorize.
static void relaxReductions(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  for (BlockArgument argument : op.getRegionOutputArgs()) {
    for (Operation *user : argument.getUsers()) {
      auto fast = dyn_cast<arith::ArithFastMathInterface>(user);
      if (!fast || !isa<arith::AddFOp, arith::MulFOp>(user))
        continue;
      auto allow = [](Operation *target, arith::FastMathFlags flags) {
        target->setAttr("fastmath", arith::FastMathFlagsAttr::get(target->getContext(), flags));
      };
      allow(user, arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
      for (Value operand : user->getOperands())
        if (auto product = operand.getDefiningOp<arith::MulFOp>())
          allow(product, arith::FastMathFlags::contract);
    }
  }
}

LogicalResult udnn::generic::prepareLoops(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) {
    if (op.hasPureBufferSemantics() && !op.hasDynamicShape())
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops) {
    if (llvm::is_contained(op.getStaticLoopRanges(), 0)) {
      rewriter.eraseOp(op);
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> generalized = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized))
        return failure();
      generic = *generalized;
    }
    if (generic.getNumLoops() == 0)
      continue;
    relaxReductions(generic);
    FailureOr<linalg::GenericOp> ordered = orderLoops(generic, rewriter);
    if (failed(ordered) || failed(joinLoops(*ordered, rewriter)))
      return failure();
  }
  return success();
}
