//===- Buffers.cpp - where the bytes of a memref are ---------------------------===//
//
// Follows views and measures byte ranges.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

Value udnn::getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

int64_t udnn::getElementSize(Type type) {
  if (type.isIndex())
    return 8;
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : 0;
}

std::optional<int64_t> udnn::getTensorBytes(ShapedType type) {
  int64_t bytes = getElementSize(type.getElementType());
  for (int64_t size : type.getShape())
    if (size == 0)
      return 0;
  for (int64_t size : type.getShape())
    if (size < 0 || llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

std::optional<udnn::ByteRange> udnn::getByteRange(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return std::nullopt;
  int64_t unit = getElementSize(type.getElementType());
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

func::FuncOp udnn::getEntry(ModuleOp module) {
  auto entry = module.lookupSymbol<func::FuncOp>(kEntry);
  if (!entry || !llvm::hasSingleElement(entry.getBody())) {
    module.emitError("expects a function '") << kEntry << "' of one block";
    return nullptr;
  }
  return entry;
}
