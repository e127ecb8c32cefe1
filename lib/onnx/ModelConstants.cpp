//===- ModelConstants.cpp - attributes that hold a model's tensors ----------===//
//
// Small tensors become dense attributes; large ones stay where they are and are referred to.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

/// Tensors up to this size are stored in the attribute itself, where passes can fold them.
static constexpr size_t kDenseLimitBytes = 256;

static bool isSplat(const Tensor &tensor, size_t elementSize) {
  if (tensor.size < 2 * elementSize)
    return tensor.size == elementSize;
  return std::memcmp(tensor.data, tensor.data + elementSize, tensor.size - elementSize) == 0;
}

ElementsAttr udnn::onnx::getTensorAttr(const Tensor &tensor, MLIRContext *context) {
  Type elementType = getMLIRType(tensor.type, context);
  if (!elementType || !tensor.owner)
    return nullptr;
  auto type = RankedTensorType::get(tensor.dims, elementType);
  size_t elementSize = getElementSize(tensor.type);
  ArrayRef<char> data(tensor.data, tensor.size);
  if (elementType.isInteger(1)) {
    SmallVector<bool> bits(data.begin(), data.end());
    return DenseElementsAttr::get(type, bits);
  }
  if (isSplat(tensor, elementSize))
    return DenseElementsAttr::getFromRawBuffer(type, data.take_front(elementSize));
  if (tensor.size <= kDenseLimitBytes)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  AsmResourceBlob blob(
      data, elementSize, [owner = tensor.owner](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, tensor.name.empty() ? "constant" : tensor.name,
                                        std::move(blob));
}
