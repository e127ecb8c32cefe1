//===- NumpyTest.cpp - tensors from .npy files -------------------------------===//
//
// NumPy's format, right and damaged.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "udnn/Onnx/Model.h"

#include <gtest/gtest.h>

using namespace udnn::onnx;

namespace {

std::string makeNumpy(std::string header, const std::string &data) {
  header.resize((10 + header.size() + 63) / 64 * 64 - 10, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size() & 255);
  bytes += char(header.size() >> 8);
  return bytes + header + data;
}

class Numpy : public testing::Test {
protected:
  void expectError(const std::string &bytes, const std::string &part) {
    Tensor tensor;
    EXPECT_FALSE(readTensor(scratch.write("x.npy", bytes), tensor, error));
    EXPECT_NE(error.find("x.npy: "), std::string::npos) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  Scratch scratch;
  std::string error;
};

TEST_F(Numpy, ReadsAnArray) {
  std::string bytes = makeNumpy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }",
                                std::string("\1\0\2\0", 4));
  Tensor tensor;
  ASSERT_TRUE(readTensor(scratch.write("x.npy", bytes), tensor, error)) << error;
  EXPECT_EQ(tensor.type, ElementType::Int16);
  EXPECT_EQ(tensor.dims, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(std::string(tensor.data, tensor.size), std::string("\1\0\2\0", 4));
}

TEST_F(Numpy, ReadsAScalar) {
  std::string bytes = makeNumpy("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "A");
  Tensor tensor;
  ASSERT_TRUE(readTensor(scratch.write("x.npy", bytes), tensor, error)) << error;
  EXPECT_TRUE(tensor.dims.empty());
  EXPECT_EQ(tensor.size, 1u);
}

TEST_F(Numpy, RefusesWhatItCannotRead) {
  expectError("no array", "expects a NumPy array");
  expectError(makeNumpy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678"),
              "element type '<c8' is not supported");
  expectError(makeNumpy("{'descr': '|u1', 'fortran_order': True, 'shape': (1,), }", "1"),
              "expects elements in C order");
  expectError(makeNumpy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "1"),
              "expects 2 bytes of data, got 1");
  expectError(makeNumpy("{'descr': '|u1', 'fortran_order': False, 'shape': (-2,), }", "1"),
              "expects a shape");
}

TEST_F(Numpy, SurvivesEveryTruncation) {
  std::string bytes = makeNumpy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "12");
  for (size_t length = 0; length < bytes.size(); ++length)
    expectError(bytes.substr(0, length), "");
}

} // namespace
