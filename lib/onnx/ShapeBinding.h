//===- ShapeBinding.h - static shapes of a model's inputs --------*- C++ -*-===//
//
// Binds the symbolic dimensions of the inputs by what the user gives.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_SHAPEBINDING_H
#define UDNN_LIB_ONNX_SHAPEBINDING_H

#include "udnn/Onnx/Import.h"
#include "udnn/Onnx/Model.h"

namespace udnn::onnx {

/// An input of the model that is an argument of @main.
struct BoundInput {
  const ValueInfo *info = nullptr;
  llvm::SmallVector<int64_t> shape;
  /// The value given by --freeze or by the example data, if any.
  const Tensor *value = nullptr;
  /// The value was given by --freeze, so it is a constant in any case.
  bool frozen = false;
};

/// The inputs with their shapes and values. Inputs that are initializers as well are constants and
/// left out.
struct BoundInputs {
  std::vector<BoundInput> inputs;
  /// Holds the values.
  std::vector<std::unique_ptr<Tensor>> values;
};

/// Binds every dimension of every input. Fails, with `error` set, when a dimension stays unbound,
/// when two sources disagree, or when a file cannot be read.
mlir::LogicalResult bindInputs(const Model &model, const OnnxImportOptions &options,
                               BoundInputs &bound, std::string &error);

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_SHAPEBINDING_H
