//===- Bytes.cpp - constants as bytes ---------------------------------------===//
//
// Reads the bytes of constant attributes and makes attributes that own bytes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Constants/Evaluate.h"

#include "Operations.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace udnn {

/// Constants of up to so many bytes are dense attributes, which upstream folds understand.
static constexpr int64_t kDenseBytes = 1024;

int64_t getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return type.getIntOrFloatBitWidth() / 8;
  if (type.isInteger(1))
    return 1;
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()))
    return integer.getWidth() / 8;
  return 0;
}

/// `count` copies of the bytes of one element.
static std::shared_ptr<std::vector<char>> repeat(ArrayRef<char> element, int64_t count) {
  auto storage = std::make_shared<std::vector<char>>(element.size() * count);
  if (storage->empty())
    return storage;
  char *data = storage->data();
  size_t size = storage->size(), filled = std::min(element.size(), size);
  std::memcpy(data, element.data(), filled);
  while (filled < size) {
    size_t step = std::min(filled, size - filled);
    std::memcpy(data + filled, data, step);
    filled += step;
  }
  return storage;
}

static FailureOr<ConstantBytes> getDenseBytes(DenseElementsAttr attr, RankedTensorType type) {
  ConstantBytes bytes{type, {}, nullptr};
  int64_t elementBytes = getElementBytes(type.getElementType());
  if (type.getElementType().isInteger(1)) {
    if (attr.isSplat()) {
      char value = attr.getSplatValue<bool>();
      bytes.storage = repeat(ArrayRef<char>(value), type.getNumElements());
    } else {
      bytes.storage = std::make_shared<std::vector<char>>();
      bytes.storage->reserve(type.getNumElements());
      for (bool value : attr.getValues<bool>())
        bytes.storage->push_back(value);
    }
    bytes.data = *bytes.storage;
    return bytes;
  }
  ArrayRef<char> raw = attr.getRawData();
  if (attr.isSplat() && type.getNumElements() != 1) {
    bytes.storage = repeat(raw.take_front(elementBytes), type.getNumElements());
    raw = *bytes.storage;
  }
  if (int64_t(raw.size()) != type.getNumElements() * elementBytes)
    return failure();
  bytes.data = raw;
  return bytes;
}

FailureOr<ConstantBytes> getConstantBytes(ElementsAttr attr) {
  auto type = dyn_cast_or_null<RankedTensorType>(attr ? attr.getShapedType() : ShapedType());
  if (!type || !type.hasStaticShape() || !getElementBytes(type.getElementType()))
    return failure();
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    if (dense.isSplat() && isLargerThan(type, kMaxConstantBytes))
      return failure();
    return getDenseBytes(dense, type);
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return failure();
  ArrayRef<char> data = blob->getData();
  if (int64_t(data.size()) != type.getNumElements() * getElementBytes(type.getElementType()))
    return failure();
  return ConstantBytes{type, data, nullptr};
}

/// True when all elements have the same bytes. Leaves at the first difference.
static bool isSplat(ArrayRef<char> data, int64_t elementBytes) {
  return int64_t(data.size()) > elementBytes &&
         std::memcmp(data.data(), data.data() + elementBytes, data.size() - elementBytes) == 0;
}

ElementsAttr makeConstant(RankedTensorType type, std::vector<char> data) {
  int64_t elementBytes = getElementBytes(type.getElementType());
  assert(int64_t(data.size()) == type.getNumElements() * elementBytes && "bytes must fit the type");
  bool splat = isSplat(data, elementBytes);
  if (splat || int64_t(data.size()) <= kDenseBytes) {
    ArrayRef<char> raw = data;
    if (splat)
      raw = raw.take_front(elementBytes);
    if (!type.getElementType().isInteger(1))
      return DenseElementsAttr::getFromRawBuffer(type, raw);
    SmallVector<bool> values(raw.begin(), raw.end());
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  auto owner = std::make_unique<std::vector<char>>(std::move(data));
  ArrayRef<char> view = *owner;
  auto blob = UnmanagedAsmResourceBlob::allocateWithAlign(
      view, alignof(std::max_align_t),
      [owner = std::move(owner)](void *, size_t, size_t) mutable { owner.reset(); });
  return DenseResourceElementsAttr::get(type, "udnn", std::move(blob));
}

} // namespace udnn
