//===- HostTensor.h - tensors in memory and in files -------------*- C++ -*-===//
//
// The tensors that udnn-run is given, makes up, and writes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_UDNN_RUN_HOSTTENSOR_H
#define UDNN_TOOLS_UDNN_RUN_HOSTTENSOR_H

#include "udnn/Artifact/Artifact.h"

#include <cstdlib>
#include <memory>

namespace udnn::run {

using artifact::ElementType;

/// A dense tensor, elements in row-major order, aligned to 64 bytes.
struct HostTensor {
  std::string name;
  ElementType type = ElementType::Float;
  std::vector<int64_t> shape;
  std::unique_ptr<uint8_t, decltype(&free)> data{nullptr, free};
  uint64_t bytes = 0;

  uint64_t getNumElements() const { return bytes / artifact::getElementSize(type); }
  /// "float 1x3x224x224".
  std::string getTypeText() const;
};

/// Gives the tensor memory of unspecified contents for its type and shape.
Status allocate(HostTensor &tensor);

/// Reads a tensor from an .npy file or a serialized onnx.TensorProto (.pb).
Status readTensor(const std::string &path, HostTensor &out_tensor);

/// Reads `<prefix>_0.pb`, `<prefix>_1.pb`, ... of an ONNX test data set.
Status readTestData(const std::string &folder, const std::string &prefix,
                    std::vector<HostTensor> &out_tensors);

/// Writes an .npy file; leaves none behind when it fails.
Status writeNpy(const std::string &path, const HostTensor &tensor);

/// Fills the tensor by the seed: floats in [-1, 1), integers and booleans 0 or 1.
void fillRandom(HostTensor &tensor, uint64_t seed);

/// The element as a double (64-bit integers are rounded).
double getElement(const HostTensor &tensor, uint64_t index);

} // namespace udnn::run

#endif // UDNN_TOOLS_UDNN_RUN_HOSTTENSOR_H
