//===- GenericTransforms.cpp - pads and layout transforms as loops ----------===//
//
// Replaces tensor.pad, linalg.pack and linalg.unpack by linalg.generic, which tiles and fuses.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GenericBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace udnn::generic;

namespace {
/// Where an element of a result comes from: a position in every dimension of the source, and
/// whether that is inside of it (null: always).
struct Origin {
  SmallVector<Value> position;
  Value isInside;
};
} // namespace

using FindOrigin =
    llvm::function_ref<Origin(OpBuilder &builder, Location loc, ArrayRef<Value> loops)>;

/// A generic that copies each element of `init` from `source`, or takes `padding` outside of it.
static Value buildCopy(RewriterBase &rewriter, Location loc, Value source, Value init,
                       Value padding, FindOrigin findOrigin) {
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<AffineMap> maps = {rewriter.getMultiDimIdentityMap(type.getRank())};
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, type, ValueRange(), init, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange) {
        SmallVector<Value> loops;
        for (int64_t i = 0; i < type.getRank(); ++i)
          loops.push_back(linalg::IndexOp::create(builder, loc, i));
        Origin origin = findOrigin(builder, loc, loops);
        Value element = tensor::ExtractOp::create(builder, loc, source, origin.position);
        if (origin.isInside)
          element = arith::SelectOp::create(builder, loc, origin.isInside, element, padding);
        linalg::YieldOp::create(builder, loc, element);
      });
  return generic.getResult(0);
}

static Value makeIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Clamps a position below `size`, and notes in `origin` whether it was inside.
static void addPosition(Origin &origin, OpBuilder &builder, Location loc, Value position,
                        int64_t size, bool mayBeNegative) {
  // An unsigned comparison takes negative positions for large ones.
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, position,
                                       makeIndex(builder, loc, size));
  if (mayBeNegative)
    position = arith::MaxSIOp::create(builder, loc, position, makeIndex(builder, loc, 0));
  position = arith::MinSIOp::create(builder, loc, position, makeIndex(builder, loc, size - 1));
  origin.position.push_back(position);
  origin.isInside = origin.isInside
                        ? arith::AndIOp::create(builder, loc, origin.isInside, inside).getResult()
                        : inside;
}

namespace {
struct PadToGeneric : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op, PatternRewriter &rewriter) const override {
    Value padding = op.getConstantPaddingValue();
    ArrayRef<int64_t> low = op.getStaticLow();
    RankedTensorType sourceType = op.getSourceType(), type = op.getType();
    if (!padding || llvm::is_contained(low, ShapedType::kDynamic) || !sourceType.hasStaticShape() ||
        !type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expects a constant and static sizes");
    Location loc = op.getLoc();
    if (Operation *constant = padding.getDefiningOp();
        constant && op->isAncestor(constant->getParentOp()))
      padding = rewriter.clone(*constant)->getResult(0);
    Value init = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    if (sourceType.getNumElements() == 0) {
      rewriter.replaceOpWithNewOp<linalg::FillOp>(op, padding, init);
      return success();
    }
    rewriter.replaceOp(op,
                       buildCopy(rewriter, loc, op.getSource(), init, padding,
                                 [&](OpBuilder &builder, Location loc, ArrayRef<Value> loops) {
                                   Origin origin;
                                   for (auto [i, size] : llvm::enumerate(sourceType.getShape())) {
                                     if (size == type.getDimSize(i)) {
                                       origin.position.push_back(loops[i]);
                                       continue;
                                     }
                                     Value shifted = arith::SubIOp::create(
                                         builder, loc, loops[i], makeIndex(builder, loc, low[i]));
                                     addPosition(origin, builder, loc, shifted, size, low[i] > 0);
                                   }
                                   return origin;
                                 }));
    return success();
  }
};

/// For each dimension of the unpacked tensor: its outer dimension in the packed one, and the inner
/// dimension and size of its tile (-1 and 1 where it has none).
struct PackedDims {
  template <typename PackOp>
  PackedDims(PackOp op, int64_t rank) : outer(rank), inner(rank, -1), tile(rank, 1) {
    ArrayRef<int64_t> permutation = op.getOuterDimsPerm();
    for (int64_t i = 0; i < rank; ++i)
      outer[permutation.empty() ? i : permutation[i]] = i;
    for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos())) {
      inner[dim] = rank + i;
      tile[dim] = op.getStaticInnerTiles()[i];
    }
  }
  SmallVector<int64_t> outer, inner, tile;
};

struct PackToGeneric : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op, PatternRewriter &rewriter) const override {
    auto sourceType = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto type = dyn_cast<RankedTensorType>(op.getDest().getType());
    if (!sourceType || !type || !sourceType.hasStaticShape() || !type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expects tensors of static shape");
    Location loc = op.getLoc();
    PackedDims dims(op, sourceType.getRank());
    Value padding = op.getPaddingValue();
    if (!padding)
      padding =
          arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    auto find = [&](OpBuilder &builder, Location loc, ArrayRef<Value> loops) {
      Origin origin;
      for (auto [i, size] : llvm::enumerate(sourceType.getShape())) {
        Value position = loops[dims.outer[i]];
        if (dims.inner[i] >= 0) {
          position =
              arith::MulIOp::create(builder, loc, position, makeIndex(builder, loc, dims.tile[i]));
          position = arith::AddIOp::create(builder, loc, position, loops[dims.inner[i]]);
        }
        if (type.getDimSize(dims.outer[i]) * dims.tile[i] == size)
          origin.position.push_back(position);
        else
          addPosition(origin, builder, loc, position, size, /*mayBeNegative=*/false);
      }
      return origin;
    };
    rewriter.replaceOp(op, buildCopy(rewriter, loc, op.getSource(), op.getDest(), padding, find));
    return success();
  }
};

struct UnPackToGeneric : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op, PatternRewriter &rewriter) const override {
    auto sourceType = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto type = dyn_cast<RankedTensorType>(op.getDest().getType());
    if (!sourceType || !type || !sourceType.hasStaticShape() || !type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expects tensors of static shape");
    PackedDims dims(op, type.getRank());
    auto find = [&](OpBuilder &builder, Location loc, ArrayRef<Value> loops) {
      Origin origin;
      origin.position.resize(sourceType.getRank());
      for (int64_t i = 0; i < type.getRank(); ++i) {
        if (dims.inner[i] < 0) {
          origin.position[dims.outer[i]] = loops[i];
          continue;
        }
        Value tile = makeIndex(builder, loc, dims.tile[i]);
        origin.position[dims.outer[i]] = arith::DivUIOp::create(builder, loc, loops[i], tile);
        origin.position[dims.inner[i]] = arith::RemUIOp::create(builder, loc, loops[i], tile);
      }
      return origin;
    };
    rewriter.replaceOp(
        op, buildCopy(rewriter, op.getLoc(), op.getSource(), op.getDest(), Value(), find));
    return success();
  }
};
} // namespace

void udnn::generic::populateTransformPatterns(RewritePatternSet &patterns) {
  patterns.add<PadToGeneric, PackToGeneric, UnPackToGeneric>(patterns.getContext());
}
