//===- ExternalData.h - tensor data in files beside a model ------*- C++ -*-===//
//
// Maps the files that a model's tensors refer to, inside the model's folder only.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_READER_EXTERNALDATA_H
#define UDNN_LIB_ONNX_READER_EXTERNALDATA_H

#include "udnn/Support/MappedFile.h"

#include <map>

namespace udnn::onnx {

class ExternalData {
public:
  /// `modelPath` is the file whose folder the data must stay in.
  explicit ExternalData(const std::string &modelPath) : modelPath(modelPath) {}

  /// The mapped file at `location`, a path relative to the model's folder. Absolute paths and paths
  /// that leave the folder, also by a symbolic link, are refused.
  std::shared_ptr<const MappedFile> open(const std::string &location, std::string &error);

private:
  std::string modelPath;
  std::map<std::string, std::shared_ptr<const MappedFile>> files;
};

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_READER_EXTERNALDATA_H
