//===- TensorEncodingTest.cpp - every way to store a tensor ------------------===//
//
// Raw and typed fields of every element type, and what is refused.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "udnn/Onnx/Model.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace udnn::onnx;
using ::onnx::TensorProto;

namespace {

template <typename T>
std::vector<T> getElements(const Tensor &tensor) {
  std::vector<T> elements(tensor.size / sizeof(T));
  std::memcpy(elements.data(), tensor.data, tensor.size);
  return elements;
}

TensorProto makeProto(TensorProto::DataType type, std::initializer_list<int64_t> dims) {
  TensorProto proto;
  proto.set_name("t");
  proto.set_data_type(type);
  for (int64_t dim : dims)
    proto.add_dims(dim);
  return proto;
}

class TensorEncoding : public testing::Test {
protected:
  Tensor read(const TensorProto &proto) {
    Tensor tensor;
    EXPECT_TRUE(readTensor(scratch.write("t.pb", proto), tensor, error)) << error;
    return tensor;
  }

  std::string readError(const TensorProto &proto) {
    Tensor tensor;
    EXPECT_FALSE(readTensor(scratch.write("t.pb", proto), tensor, error));
    EXPECT_NE(error.find("t.pb: "), std::string::npos) << error;
    return error;
  }

  template <typename T>
  void expectRaw(TensorProto::DataType type, std::vector<T> values) {
    TensorProto proto = makeProto(type, {int64_t(values.size())});
    proto.set_raw_data(values.data(), values.size() * sizeof(T));
    Tensor tensor = read(proto);
    EXPECT_EQ(int(tensor.type), int(type));
    EXPECT_EQ(getElements<T>(tensor), values);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % sizeof(T), 0u);
  }

  /// Values in the field for small integers.
  template <typename T>
  void expectInt32Field(TensorProto::DataType type, std::vector<T> values) {
    TensorProto proto = makeProto(type, {int64_t(values.size())});
    for (T value : values)
      proto.add_int32_data(value);
    EXPECT_EQ(getElements<T>(read(proto)), values);
  }

  Scratch scratch;
  std::string error;
};

TEST_F(TensorEncoding, RawData) {
  expectRaw<float>(TensorProto::FLOAT, {1.5f, -2, 3});
  expectRaw<double>(TensorProto::DOUBLE, {1.5, -2});
  expectRaw<uint16_t>(TensorProto::FLOAT16, {0x3c00, 0xc000});
  expectRaw<uint16_t>(TensorProto::BFLOAT16, {0x3f80});
  expectRaw<int8_t>(TensorProto::INT8, {-128, 127});
  expectRaw<uint8_t>(TensorProto::UINT8, {0, 255});
  expectRaw<int16_t>(TensorProto::INT16, {-32768, 32767});
  expectRaw<uint16_t>(TensorProto::UINT16, {65535});
  expectRaw<int32_t>(TensorProto::INT32, {-5, 7});
  expectRaw<uint32_t>(TensorProto::UINT32, {4000000000u});
  expectRaw<int64_t>(TensorProto::INT64, {-(int64_t(1) << 40)});
  expectRaw<uint64_t>(TensorProto::UINT64, {~uint64_t(0)});
}

TEST_F(TensorEncoding, SmallIntegersInInt32Field) {
  expectInt32Field<int8_t>(TensorProto::INT8, {-128, 127});
  expectInt32Field<uint8_t>(TensorProto::UINT8, {0, 255});
  expectInt32Field<int16_t>(TensorProto::INT16, {-32768, 32767});
  expectInt32Field<uint16_t>(TensorProto::UINT16, {0, 65535});
  expectInt32Field<int32_t>(TensorProto::INT32, {-5, 2000000000});
  expectInt32Field<uint16_t>(TensorProto::FLOAT16, {0x3c00});
  expectInt32Field<uint16_t>(TensorProto::BFLOAT16, {0x3f80});
}

TEST_F(TensorEncoding, WideTypesInTheirFields) {
  TensorProto proto = makeProto(TensorProto::FLOAT, {2});
  proto.add_float_data(1.5f);
  proto.add_float_data(-2);
  EXPECT_EQ(getElements<float>(read(proto)), (std::vector<float>{1.5f, -2}));
  proto = makeProto(TensorProto::DOUBLE, {1});
  proto.add_double_data(1e300);
  EXPECT_EQ(getElements<double>(read(proto)), std::vector<double>{1e300});
  proto = makeProto(TensorProto::INT64, {1});
  proto.add_int64_data(int64_t(1) << 40);
  EXPECT_EQ(getElements<int64_t>(read(proto)), std::vector<int64_t>{int64_t(1) << 40});
  proto = makeProto(TensorProto::UINT64, {1});
  proto.add_uint64_data(~uint64_t(0));
  EXPECT_EQ(getElements<uint64_t>(read(proto)), std::vector<uint64_t>{~uint64_t(0)});
  proto = makeProto(TensorProto::UINT32, {1});
  proto.add_uint64_data(4000000000u);
  EXPECT_EQ(getElements<uint32_t>(read(proto)), std::vector<uint32_t>{4000000000u});
}

TEST_F(TensorEncoding, BoolIsZeroOrOne) {
  TensorProto proto = makeProto(TensorProto::BOOL, {3});
  proto.set_raw_data(std::string("\0\1\2", 3));
  EXPECT_EQ(getElements<uint8_t>(read(proto)), (std::vector<uint8_t>{0, 1, 1}));
  proto = makeProto(TensorProto::BOOL, {2});
  proto.add_int32_data(1);
  proto.add_int32_data(0);
  EXPECT_EQ(getElements<uint8_t>(read(proto)), (std::vector<uint8_t>{1, 0}));
}

TEST_F(TensorEncoding, ScalarsAndEmptyTensors) {
  TensorProto proto = makeProto(TensorProto::FLOAT, {});
  proto.add_float_data(4);
  EXPECT_EQ(read(proto).size, 4u);
  EXPECT_EQ(read(makeProto(TensorProto::FLOAT, {3, 0})).size, 0u);
  EXPECT_EQ(read(makeProto(TensorProto::FLOAT, {3, 0})).getNumElements(), 0);
}

TEST_F(TensorEncoding, RefusesTypesByName) {
  EXPECT_NE(readError(makeProto(TensorProto::STRING, {1})).find("'string' is not supported"),
            std::string::npos);
  EXPECT_NE(readError(makeProto(TensorProto::FLOAT8E4M3FN, {1})).find("'float8e4m3fn'"),
            std::string::npos);
  TensorProto proto = makeProto(TensorProto::FLOAT, {1});
  proto.set_data_type(99);
  EXPECT_NE(readError(proto).find("'number 99'"), std::string::npos);
  EXPECT_NE(readError(TensorProto()).find("'undefined'"), std::string::npos);
}

TEST_F(TensorEncoding, RefusesWrongCounts) {
  TensorProto proto = makeProto(TensorProto::FLOAT, {2});
  proto.add_float_data(1);
  EXPECT_NE(readError(proto).find("expects 2 elements of type float, got 1"), std::string::npos);
  proto.set_raw_data("12345");
  EXPECT_NE(readError(proto).find("expects 8 bytes of raw data, got 5"), std::string::npos);
}

TEST_F(TensorEncoding, RefusesValuesOutOfRange) {
  TensorProto proto = makeProto(TensorProto::INT8, {1});
  proto.add_int32_data(128);
  EXPECT_NE(readError(proto).find("expects elements of type int8, got 128"), std::string::npos);
}

TEST_F(TensorEncoding, RefusesDimensionsThatCannotBe) {
  EXPECT_NE(readError(makeProto(TensorProto::FLOAT, {-1})).find("got [-1]"), std::string::npos);
  int64_t huge = int64_t(1) << 62;
  EXPECT_NE(readError(makeProto(TensorProto::FLOAT, {huge, huge})).find("expects dimensions"),
            std::string::npos);
  EXPECT_NE(readError(makeProto(TensorProto::FLOAT, {huge, 0, huge})).find("expects dimensions"),
            std::string::npos);
}

TEST_F(TensorEncoding, TestDataSet) {
  for (int i = 0; i < 3; ++i) {
    TensorProto proto = makeProto(TensorProto::FLOAT, {1});
    proto.add_float_data(i);
    scratch.write("data/input_" + std::to_string(i) + ".pb", proto);
  }
  std::vector<Tensor> tensors;
  ASSERT_TRUE(readTestData(scratch.path("data"), "input", tensors, error)) << error;
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(getElements<float>(tensors[2]), std::vector<float>{2});
  EXPECT_FALSE(readTestData(scratch.path("none"), "input", tensors, error));
  EXPECT_NE(error.find("none: expects a folder with input_0.pb"), std::string::npos) << error;
}

} // namespace
