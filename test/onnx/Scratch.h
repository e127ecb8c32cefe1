//===- Scratch.h - a folder for the files of one test ------------*- C++ -*-===//
//
// Creates a folder, writes files into it, and removes it at the end.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_ONNX_SCRATCH_H
#define UDNN_TEST_ONNX_SCRATCH_H

#include "onnx-ml.pb.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "udnn-test-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const { return folder + "/" + name; }

  std::string write(const std::string &name, const std::string &bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string write(const std::string &name, const google::protobuf::MessageLite &message) const {
    return write(name, message.SerializeAsString());
  }

private:
  std::string folder;
};

#endif // UDNN_TEST_ONNX_SCRATCH_H
