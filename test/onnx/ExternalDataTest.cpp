//===- ExternalDataTest.cpp - tensor data beside the model -------------------===//
//
// External data is mapped, checked for its size, and kept inside the model's folder.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "udnn/Onnx/Model.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace udnn::onnx;
using ::onnx::TensorProto;

namespace {

class ExternalData : public testing::Test {
protected:
  /// A model with one initializer of two floats in an external file.
  std::string writeModel(const std::string &location, const std::string &offset = "",
                         const std::string &length = "") {
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    TensorProto *tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(TensorProto::FLOAT);
    tensor->add_dims(2);
    tensor->set_data_location(TensorProto::EXTERNAL);
    auto add = [&](const char *key, const std::string &value) {
      auto *entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    if (!offset.empty())
      add("offset", offset);
    if (!length.empty())
      add("length", length);
    return scratch.write("model/m.onnx", model);
  }

  void expectValues(const std::string &path) {
    auto model = readModel(path, error);
    ASSERT_TRUE(model) << error;
    float values[2];
    ASSERT_EQ(model->graph.initializers[0].size, sizeof(values));
    std::memcpy(values, model->graph.initializers[0].data, sizeof(values));
    EXPECT_EQ(values[0], 1.5f);
    EXPECT_EQ(values[1], -2.0f);
  }

  void expectError(const std::string &path, const std::string &part) {
    EXPECT_FALSE(readModel(path, error));
    EXPECT_NE(error.find("m.onnx: tensor 'w': "), std::string::npos) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  std::string getValues() const {
    float values[2] = {1.5f, -2.0f};
    return std::string(reinterpret_cast<const char *>(values), sizeof(values));
  }

  Scratch scratch;
  std::string error;
};

TEST_F(ExternalData, IsReadAtAnyOffset) {
  scratch.write("model/w.bin", "abc" + getValues() + "xyz" + getValues());
  expectValues(writeModel("w.bin", "3", "8"));
  expectValues(writeModel("w.bin", "14"));
  expectValues(writeModel("./w.bin", "14"));
}

TEST_F(ExternalData, MayLieInAFolderBelow) {
  scratch.write("model/data/w.bin", getValues());
  expectValues(writeModel("data/w.bin"));
  expectValues(writeModel("data/../data/w.bin"));
}

TEST_F(ExternalData, MissingOrShortIsAnError) {
  expectError(writeModel("w.bin"), "external data 'w.bin' cannot be opened: No such file");
  scratch.write("model/w.bin", "1234567");
  expectError(writeModel("w.bin"),
              "expects 8 bytes at offset 0 of external data 'w.bin', which has 7");
  expectError(writeModel("w.bin", "8"), "at offset 8");
  expectError(writeModel("w.bin", "", "4"), "expects 8 bytes of external data, got length 4");
  expectError(writeModel("w.bin", "-1"), "expects a number in the external data's 'offset'");
  expectError(writeModel("w.bin", "99999999999999999999"), "expects a number");
  std::filesystem::create_directory(scratch.path("model/folder"));
  expectError(writeModel("folder"), "not a regular file");
  ASSERT_EQ(mkfifo(scratch.path("model/pipe").c_str(), 0600), 0);
  expectError(writeModel("pipe"), "not a regular file");
}

TEST_F(ExternalData, OutsideTheFolderIsRefused) {
  scratch.write("w.bin", getValues());
  expectError(writeModel("../w.bin"), "external data '../w.bin' is refused");
  expectError(writeModel("data/../../w.bin"), "is refused");
  expectError(writeModel(scratch.path("w.bin")), "is refused");
  expectError(writeModel(""), "is refused");
  expectError(writeModel("."), "is refused");
  expectError(writeModel(std::string("w\0.bin", 6)), "is refused");
}

TEST_F(ExternalData, LinksOutOfTheFolderAreRefused) {
  scratch.write("w.bin", getValues());
  std::string path = writeModel("link.bin");
  std::filesystem::create_symlink(scratch.path("w.bin"), scratch.path("model/link.bin"));
  expectError(path, "external data 'link.bin' is refused: it leaves the model's folder");
  std::filesystem::create_directory_symlink(scratch.path("."), scratch.path("model/up"));
  expectError(writeModel("up/w.bin"), "it leaves the model's folder");
}

TEST_F(ExternalData, LinksInsideTheFolderAreFollowed) {
  scratch.write("model/w.bin", getValues());
  std::filesystem::create_symlink("w.bin", scratch.path("model/link.bin"));
  expectValues(writeModel("link.bin"));
}

} // namespace
