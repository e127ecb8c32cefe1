//===- Transforms.cpp - layout transforms -----------------------------------===//
//
// Places packs, unpacks and transposes, or views where no element moves.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SelectInternal.h"

#include "udnn/Passes/LayoutRules.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using udnn::dnn::DimsAttr;

namespace udnn {

static Value createEmpty(RewriterBase &rewriter, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
}

/// Dimension of the plain tensor (n or k, c, spatial) that has this role.
static int64_t getPlainDim(int64_t role) {
  return role >= 0 ? role + 2 : role == DimsAttr::kChannel ? 1 : 0;
}

namespace {
/// A layout in the terms of linalg.pack.
struct PackDescription {
  SmallVector<int64_t> outerPerm, innerDims, innerTiles;
  bool isIdentityPerm = true;
};
} // namespace

static PackDescription describe(DimsAttr layout) {
  PackDescription description;
  for (auto [role, block] : llvm::zip(layout.getRoles(), layout.getBlocks())) {
    int64_t dim = getPlainDim(role);
    if (block == 1) {
      description.isIdentityPerm &= int64_t(description.outerPerm.size()) == dim;
      description.outerPerm.push_back(dim);
      continue;
    }
    description.innerDims.push_back(dim);
    description.innerTiles.push_back(block);
  }
  return description;
}

/// True when plain and blocked order agree: one block of channels, all spatial sizes 1, no tail.
static bool isViewOfPlain(DimsAttr layout, RankedTensorType plainType,
                          const PackDescription &description) {
  if (description.innerTiles.size() != 1 || !description.isIdentityPerm ||
      description.innerDims.front() != 1 || layout.getChannels())
    return false;
  return llvm::all_of(plainType.getShape().drop_front(2), [](int64_t size) { return size == 1; });
}

/// Reshapes between the plain and the blocked form of a tensor whose elements are in one order.
static Value reshapeThroughMatrix(RewriterBase &rewriter, Location loc, Value value,
                                  RankedTensorType type) {
  auto source = cast<RankedTensorType>(value.getType());
  auto getReassociation = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups = {{0}, {}};
    for (int64_t i = 1; i < rank; ++i)
      groups[1].push_back(i);
    return groups;
  };
  Value matrix =
      tensor::CollapseShapeOp::create(rewriter, loc, value, getReassociation(source.getRank()));
  return tensor::ExpandShapeOp::create(rewriter, loc, type, matrix,
                                       getReassociation(type.getRank()));
}

Value packTo(RewriterBase &rewriter, Location loc, Value plain, DimsAttr layout) {
  auto plainType = cast<RankedTensorType>(plain.getType());
  RankedTensorType type = getPhysicalType(plainType, layout);
  PackDescription description = describe(layout);
  if (isViewOfPlain(layout, plainType, description))
    return reshapeThroughMatrix(rewriter, loc, plain, type);
  Value init = createEmpty(rewriter, loc, type);
  if (description.innerTiles.empty())
    return linalg::TransposeOp::create(rewriter, loc, plain, init, description.outerPerm)
        ->getResult(0);
  SmallVector<OpFoldResult> tiles;
  for (int64_t tile : description.innerTiles)
    tiles.push_back(rewriter.getIndexAttr(tile));
  std::optional<Value> padding;
  if (layout.getChannels() || layout.getFilters())
    padding =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(plainType.getElementType()));
  return linalg::PackOp::create(rewriter, loc, plain, init, description.innerDims, tiles, padding,
                                description.isIdentityPerm ? ArrayRef<int64_t>()
                                                           : description.outerPerm)
      ->getResult(0);
}

Value unpackFrom(RewriterBase &rewriter, Location loc, Value packed, DimsAttr layout,
                 RankedTensorType plainType) {
  PackDescription description = describe(layout);
  if (isViewOfPlain(layout, plainType, description))
    return reshapeThroughMatrix(rewriter, loc, packed, plainType);
  Value init = createEmpty(rewriter, loc, plainType);
  if (description.innerTiles.empty()) {
    SmallVector<int64_t> inverse = invertPermutationVector(description.outerPerm);
    return linalg::TransposeOp::create(rewriter, loc, packed, init, inverse)->getResult(0);
  }
  SmallVector<OpFoldResult> tiles;
  for (int64_t tile : description.innerTiles)
    tiles.push_back(rewriter.getIndexAttr(tile));
  return linalg::UnPackOp::create(rewriter, loc, packed, init, description.innerDims, tiles,
                                  description.isIdentityPerm ? ArrayRef<int64_t>()
                                                             : description.outerPerm)
      ->getResult(0);
}

} // namespace udnn
