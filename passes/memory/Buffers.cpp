//===- Buffers.cpp - where the bytes of a memref are ---------------------------===//
//
// Follows views and measures byte ranges.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "udnn/Dialect/Storage.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

Value udnn::getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

std::optional<udnn::ByteRange> udnn::getByteRange(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return std::nullopt;
  int64_t unit = getElementStorageBytes(type.getElementType());
  // Upstream calls the strides of a contiguous buffer without elements dynamic.
  if (type.getNumElements() == 0)
    return ByteRange{offset * unit, 0};
  if (ShapedType::isDynamicShape(strides))
    return std::nullopt;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    if (stride < 0)
      return std::nullopt;
    last += (size - 1) * stride;
  }
  return ByteRange{offset * unit, (last + 1) * unit};
}
