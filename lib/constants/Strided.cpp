//===- Strided.cpp - copies between strided places --------------------------===//
//
// The loops that reshaping, slicing and packing have in common.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include "udnn/Dialect/Storage.h"

#include <cstring>

using namespace mlir;

namespace udnn {

bool isLargerThan(RankedTensorType type, int64_t limitBytes) {
  std::optional<int64_t> bytes = getStorageBytes(type);
  return !bytes || *bytes > limitBytes;
}

ConstantBytes allocate(RankedTensorType type) {
  ConstantBytes bytes{type, {}, nullptr};
  bytes.storage = std::make_shared<std::vector<char>>(type.getNumElements() *
                                                      getElementBytes(type.getElementType()));
  bytes.data = *bytes.storage;
  return bytes;
}

SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

template <int64_t Bytes>
static void copyLine(char *to, int64_t toStride, const char *from, int64_t fromStride,
                     int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride * Bytes, from + i * fromStride * Bytes, Bytes);
}

static void copyLine(char *to, int64_t toStride, const char *from, int64_t fromStride,
                     int64_t count, int64_t elementBytes) {
  if (toStride == 1 && fromStride == 1) {
    std::memcpy(to, from, count * elementBytes);
    return;
  }
  switch (elementBytes) {
  case 1:
    return copyLine<1>(to, toStride, from, fromStride, count);
  case 2:
    return copyLine<2>(to, toStride, from, fromStride, count);
  case 4:
    return copyLine<4>(to, toStride, from, fromStride, count);
  default:
    return copyLine<8>(to, toStride, from, fromStride, count);
  }
}

void copyStrided(char *to, ArrayRef<int64_t> toStrides, const char *from,
                 ArrayRef<int64_t> fromStrides, ArrayRef<int64_t> sizes, int64_t elementBytes) {
  // Unit dimensions go, and neighbours that both sides walk through without a break merge.
  SmallVector<int64_t> a, b, n;
  for (auto [toStride, fromStride, size] : llvm::zip(toStrides, fromStrides, sizes)) {
    if (size == 0)
      return;
    if (size == 1)
      continue;
    if (!n.empty() && a.back() == toStride * size && b.back() == fromStride * size) {
      a.back() = toStride;
      b.back() = fromStride;
      n.back() *= size;
      continue;
    }
    a.push_back(toStride);
    b.push_back(fromStride);
    n.push_back(size);
  }
  if (n.empty()) {
    std::memcpy(to, from, elementBytes);
    return;
  }
  int64_t outer = int64_t(n.size()) - 1;
  SmallVector<int64_t> position(outer, 0);
  int64_t toOffset = 0, fromOffset = 0;
  while (true) {
    copyLine(to + toOffset * elementBytes, a[outer], from + fromOffset * elementBytes, b[outer],
             n[outer], elementBytes);
    int64_t dim = outer - 1;
    for (; dim >= 0; --dim) {
      toOffset += a[dim];
      fromOffset += b[dim];
      if (++position[dim] < n[dim])
        break;
      toOffset -= a[dim] * n[dim];
      fromOffset -= b[dim] * n[dim];
      position[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

void fillElements(char *to, const char *element, int64_t count, int64_t elementBytes) {
  copyStrided(to, {1}, element, {0}, {count}, elementBytes);
}

} // namespace udnn
