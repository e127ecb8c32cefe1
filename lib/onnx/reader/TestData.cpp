//===- TestData.cpp - ONNX test data sets ----------------------------------===//
//
// Folders with input_0.pb, input_1.pb, ..., output_0.pb, ...
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Onnx/Model.h"

#include <filesystem>

using namespace udnn::onnx;

bool udnn::onnx::readTestData(const std::string &folder, const std::string &prefix,
                              std::vector<Tensor> &tensors, std::string &error) {
  std::error_code code;
  if (!std::filesystem::is_directory(folder, code)) {
    error = folder + ": expects a folder with " + prefix + "_0.pb, " + prefix + "_1.pb, ...";
    return false;
  }
  for (int i = 0;; ++i) {
    std::string path = folder + "/" + prefix + "_" + std::to_string(i) + ".pb";
    if (!std::filesystem::exists(path, code))
      return true;
    if (!readTensor(path, tensors.emplace_back(), error))
      return false;
  }
}
