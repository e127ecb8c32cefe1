//===- TensorReader.h - tensors from their encodings -------------*- C++ -*-===//
//
// Decodes TensorProto: raw bytes, typed fields, and data in external files.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_READER_TENSORREADER_H
#define UDNN_LIB_ONNX_READER_TENSORREADER_H

#include "ExternalData.h"
#include "onnx-ml.pb.h"
#include "udnn/Onnx/Model.h"

namespace udnn::onnx {

/// Decodes `proto`, whose raw bytes are moved out of it. A tensor of an element type that udnn does
/// not cover is kept without data. Fails, with `error` set, when the data does not fit type and
/// shape.
bool decodeTensor(::onnx::TensorProto &proto, ExternalData &external, Tensor &tensor,
                  std::string &error);

/// Number of bytes of a tensor, or false when a dimension is negative or the product is too large.
bool computeTensorSize(const std::vector<int64_t> &dims, ElementType type, size_t &size);

/// Copies memory where it is not aligned for the element type, and makes bools 0 or 1.
void setTensorData(Tensor &tensor, const char *data, size_t size,
                   std::shared_ptr<const void> owner);

/// Reads a tensor from a `.npy` file.
bool readNumpy(const std::string &path, Tensor &tensor, std::string &error);

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_READER_TENSORREADER_H
