//===- LayoutRules.cpp - layouts of what is not a unit ----------------------===//
//
// How concatenations and slices pass layouts on.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/LayoutRules.h"

using namespace mlir;
using udnn::dnn::DimsAttr;

namespace udnn {

bool passesLayoutOn(Operation *op) {
  return isa_and_nonnull<tensor::ConcatOp, tensor::ExtractSliceOp>(op);
}

/// `layout` with another logical channel count.
static DimsAttr withChannels(DimsAttr layout, int64_t channels) {
  int64_t block = layout.getBlock(DimsAttr::kChannel);
  return DimsAttr::get(layout.getContext(), layout.getRoles(), layout.getBlocks(),
                       channels % block ? channels : 0, layout.getFilters());
}

static bool isBlockedByChannel(DimsAttr layout) {
  return layout && layout.getBlock(DimsAttr::kChannel) > 1 &&
         layout.findBlock(DimsAttr::kChannel) == layout.getRank() - 1;
}

/// A block must not hold channels of two parts.
static DimsAttr getConcatLayout(tensor::ConcatOp op, unsigned part, DimsAttr layout) {
  if (!isBlockedByChannel(layout))
    return {};
  int64_t channelDim = layout.find(DimsAttr::kChannel);
  int64_t channels = cast<RankedTensorType>(op.getInputs()[part].getType()).getDimSize(channelDim);
  bool isLast = part + 1 == op.getInputs().size();
  if (int64_t(op.getDim()) == channelDim && !isLast &&
      channels % layout.getBlock(DimsAttr::kChannel))
    return {};
  return withChannels(layout, op.getResultType().getDimSize(channelDim));
}

static DimsAttr getSliceLayout(tensor::ExtractSliceOp op, DimsAttr layout) {
  if (!isBlockedByChannel(layout) || !op.hasUnitStride() ||
      op.getSourceType().getRank() != op.getType().getRank() ||
      llvm::any_of(op.getStaticOffsets(), ShapedType::isDynamic))
    return {};
  int64_t channelDim = layout.find(DimsAttr::kChannel);
  int64_t block = layout.getBlock(DimsAttr::kChannel);
  int64_t offset = op.getStaticOffsets()[channelDim], size = op.getStaticSizes()[channelDim];
  bool reachesEnd = offset + size == op.getSourceType().getDimSize(channelDim);
  if (offset % block || (size % block && !reachesEnd))
    return {};
  return withChannels(layout, size);
}

DimsAttr getWholeLayout(Operation *op, unsigned part, DimsAttr layout) {
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return getConcatLayout(concat, part, layout);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return getSliceLayout(slice, layout);
  return {};
}

DimsAttr deriveLayout(Operation *op, ArrayRef<DimsAttr> layouts) {
  DimsAttr common = getWholeLayout(op, 0, layouts.front());
  for (auto [part, layout] : llvm::enumerate(layouts))
    if (getWholeLayout(op, part, layout) != common)
      return {};
  return common;
}

RankedTensorType getPhysicalType(RankedTensorType type, DimsAttr layout) {
  if (!layout)
    return type;
  // The plain type is in the order n (or k), c, spatial; a layout without blocks permutes it.
  SmallVector<int64_t> shape;
  for (auto [role, block] : llvm::zip(layout.getRoles(), layout.getBlocks())) {
    int64_t plainDim = role >= 0 ? role + 2 : role == DimsAttr::kChannel ? 1 : 0;
    int64_t size = type.getDimSize(plainDim);
    int64_t divisor = layout.getBlock(role);
    shape.push_back(block != 1 ? block : (size + divisor - 1) / divisor);
  }
  return RankedTensorType::get(shape, type.getElementType());
}

Attribute encodeLayout(MLIRContext *context, DimsAttr layout) {
  return layout ? Attribute(layout) : UnitAttr::get(context);
}

DimsAttr decodeLayout(Attribute attr) { return dyn_cast<DimsAttr>(attr); }

} // namespace udnn
