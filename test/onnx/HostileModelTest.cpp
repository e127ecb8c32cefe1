//===- HostileModelTest.cpp - damaged and hostile model files ----------------===//
//
// Whatever the bytes, reading ends in a model or in an error that names the file.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "udnn/Onnx/Model.h"

#include <gtest/gtest.h>

using namespace udnn::onnx;

namespace {

/// A small model with all kinds of parts.
::onnx::ModelProto makeModel() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  auto *graph = model.mutable_graph();
  graph->set_name("g");
  auto *node = graph->add_node();
  node->set_op_type("Conv");
  node->add_input("x");
  node->add_input("w");
  node->add_output("y");
  auto *attribute = node->add_attribute();
  attribute->set_name("pads");
  attribute->set_type(::onnx::AttributeProto::INTS);
  for (int i = 0; i < 4; ++i)
    attribute->add_ints(1);
  auto *initializer = graph->add_initializer();
  initializer->set_name("w");
  initializer->set_data_type(::onnx::TensorProto::FLOAT);
  initializer->add_dims(2);
  initializer->set_raw_data("12345678");
  auto *type = graph->add_input()->mutable_type()->mutable_tensor_type();
  graph->mutable_input(0)->set_name("x");
  type->set_elem_type(::onnx::TensorProto::FLOAT);
  type->mutable_shape()->add_dim()->set_dim_param("N");
  type->mutable_shape()->add_dim()->set_dim_value(3);
  type->mutable_shape()->add_dim()->set_dim_value(-1);
  type->mutable_shape()->add_dim()->set_dim_param("?");
  type->mutable_shape()->add_dim()->set_dim_value(0);
  type->mutable_shape()->add_dim();
  graph->add_output()->set_name("y");
  return model;
}

class HostileModel : public testing::Test {
protected:
  /// Reads `bytes`; an error must name the file.
  bool read(const std::string &bytes) {
    bool isModel = readModel(scratch.write("m.onnx", bytes), error) != nullptr;
    EXPECT_TRUE(isModel || error.find("m.onnx: ") != std::string::npos) << error;
    return isModel;
  }

  Scratch scratch;
  std::string error;
};

TEST_F(HostileModel, ReadsWhatIsSaid) {
  auto model = readModel(scratch.write("m.onnx", makeModel()), error);
  ASSERT_TRUE(model) << error;
  EXPECT_EQ(model->opsets.at(""), 17);
  ASSERT_EQ(model->graph.nodes.size(), 1u);
  EXPECT_EQ(model->graph.nodes[0].attributes[0].ints, std::vector<int64_t>(4, 1));
  const std::vector<Dimension> &dims = model->graph.inputs[0].dims;
  ASSERT_EQ(dims.size(), 6u);
  EXPECT_EQ(dims[0].name, "N");
  EXPECT_EQ(dims[1].value, 3);
  // A size of -1 and the name "?" stand for a dimension that is not known.
  EXPECT_EQ(dims[2].value, -1);
  EXPECT_EQ(dims[2].name, "");
  EXPECT_EQ(dims[3].name, "");
  // 0 is a size where it is said, not where nothing is.
  EXPECT_EQ(dims[4].value, 0);
  EXPECT_EQ(dims[5].value, -1);
}

TEST_F(HostileModel, SurvivesEveryTruncation) {
  std::string bytes = makeModel().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); ++length)
    read(bytes.substr(0, length));
  EXPECT_TRUE(read(bytes));
}

TEST_F(HostileModel, SurvivesEveryBitFlip) {
  std::string bytes = makeModel().SerializeAsString();
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] ^= 1 << bit;
      read(damaged);
    }
}

TEST_F(HostileModel, RefusesWhatIsNoModel) {
  EXPECT_FALSE(read(""));
  EXPECT_NE(error.find("expects an ONNX model"), std::string::npos) << error;
  EXPECT_FALSE(read("This is some text, and no model at all."));
  EXPECT_NE(error.find("the file is damaged"), std::string::npos) << error;
  EXPECT_FALSE(readModel(scratch.path("none.onnx"), error));
  EXPECT_NE(error.find("none.onnx': No such file"), std::string::npos) << error;
  EXPECT_FALSE(readModel(scratch.path("."), error));
  EXPECT_NE(error.find("not a regular file"), std::string::npos) << error;
}

TEST_F(HostileModel, RefusesTwoVersionsOfOneDomain) {
  ::onnx::ModelProto model = makeModel();
  auto *opset = model.add_opset_import();
  opset->set_domain("ai.onnx");
  opset->set_version(13);
  EXPECT_FALSE(read(model.SerializeAsString()));
  EXPECT_NE(error.find("expects one operator set for the domain ''"), std::string::npos) << error;
}

TEST_F(HostileModel, RefusesDeepNesting) {
  ::onnx::ModelProto model = makeModel();
  ::onnx::GraphProto *graph = model.mutable_graph();
  for (int depth = 0; depth < 30; ++depth) {
    auto *attribute = graph->add_node()->add_attribute();
    attribute->set_type(::onnx::AttributeProto::GRAPH);
    graph = attribute->mutable_g();
  }
  EXPECT_TRUE(read(model.SerializeAsString())) << error;
  for (int depth = 0; depth < 200; ++depth) {
    auto *attribute = graph->add_node()->add_attribute();
    attribute->set_type(::onnx::AttributeProto::GRAPH);
    graph = attribute->mutable_g();
  }
  EXPECT_FALSE(read(model.SerializeAsString()));
}

} // namespace
