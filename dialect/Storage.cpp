//===- Storage.cpp - bytes of elements and tensors ---------------------------===//
//
// Whole bytes per element, products with a check.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Dialect/Storage.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

int64_t udnn::getElementStorageBytes(Type type) {
  if (type.isIndex())
    return 8;
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : 0;
}

std::optional<int64_t> udnn::getStorageBytes(ShapedType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  // Products of other dimensions may exceed 63 bits where there is nothing to store.
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  int64_t bytes = getElementStorageBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}
