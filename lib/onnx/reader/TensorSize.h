//===- TensorSize.h - how large a tensor may be -------------------*- C++ -*-===//
//
// The one limit of a model's tensors: initializers, inputs, and what nodes make of them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_READER_TENSORSIZE_H
#define UDNN_LIB_ONNX_READER_TENSORSIZE_H

#include <algorithm>
#include <cstdint>
#include <optional>

namespace udnn::onnx {

/// 1 TiB. Keeps whatever is computed from sizes far from overflow.
inline constexpr int64_t kMaxTensorBytes = int64_t(1) << 40;

/// Bytes of a tensor with these dimensions; nothing when one is negative, or when the product of
/// those that are not 0 is above `kMaxTensorBytes` (strides are such products, too).
template <typename Dims>
std::optional<int64_t> computeTensorBytes(const Dims &dims, int64_t elementBytes) {
  int64_t bytes = std::max<int64_t>(elementBytes, 1);
  bool isEmpty = false;
  for (int64_t dim : dims) {
    int64_t factor = std::max<int64_t>(dim, 1);
    if (dim < 0 || factor > kMaxTensorBytes / bytes)
      return std::nullopt;
    isEmpty |= dim == 0;
    bytes *= factor;
  }
  return isEmpty ? 0 : bytes;
}

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_READER_TENSORSIZE_H
