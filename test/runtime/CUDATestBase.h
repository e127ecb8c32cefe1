//===- CUDATestBase.h - what tests of the CUDA device share ------*- C++ -*-===//
//
// A model on the fake GPU, with memory for its tensors.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_RUNTIME_CUDATESTBASE_H
#define UDNN_TEST_RUNTIME_CUDATESTBASE_H

#include "FakeCuda.h"
#include "TestArtifact.h"

#include "udnn-c/udnn.h"

#include <gtest/gtest.h>

namespace udnn::test {

/// Starts with a fresh GPU and expects in the end that everything was given back.
class CUDATestBase : public testing::Test {
protected:
  void SetUp() override {
    fake = getFakeCuda();
    ASSERT_NE(fake, nullptr) << "LD_LIBRARY_PATH must name the folder of the fake driver";
    fake->capability = 90;
    fake->deviceCount = 2;
    fake->memoryBytes = 1 << 30;
    fake->uploadedBytes = fake->captures = fake->graphLaunches = 0;
    fake->launches.clear();
    for (int64_t i = 0; i < kElements; ++i)
      x[i] = float(i % 97);
  }

  void TearDown() override {
    udnn_model_destroy(model);
    EXPECT_EQ(fake->misuse, std::vector<std::string>());
    fake->misuse.clear();
    EXPECT_EQ(fake->modules, 0);
    EXPECT_EQ(fake->memories, 0);
    EXPECT_EQ(fake->pinnedMemories, 0);
    EXPECT_EQ(fake->streams, 0);
    EXPECT_EQ(fake->events, 0);
    EXPECT_EQ(fake->graphs, 0);
    EXPECT_EQ(fake->graphExecs, 0);
    EXPECT_EQ(fake->contexts, 0);
  }

  void load(const std::string &path) {
    udnn_model_destroy(model);
    model = nullptr;
    ASSERT_EQ(udnn_model_load_file(path.c_str(), &model), UDNN_OK) << udnn_last_error();
  }

  void loadModel(const std::vector<CudaTarget> &targets) {
    writeCudaModel(folder.file("model.udnn"), targets);
    load(folder.file("model.udnn"));
  }

  udnn_context *createContext(const char *device = "cuda:0") {
    udnn_context *context = nullptr;
    EXPECT_EQ(udnn_context_create(model, 0, device, 0, &context), UDNN_OK) << udnn_last_error();
    return context;
  }

  /// Expects that no context can be created, and returns why.
  std::string getCreateError(udnn_status expected, const char *device = "cuda:0") {
    udnn_context *context = nullptr;
    EXPECT_EQ(udnn_context_create(model, 0, device, 0, &context), expected);
    EXPECT_EQ(context, nullptr);
    return udnn_last_error();
  }

  void bindAll(udnn_context *context, std::vector<float> &output) {
    EXPECT_EQ(udnn_context_bind_input(context, 0, x.data(), kElements * 4), UDNN_OK);
    EXPECT_EQ(udnn_context_bind_output(context, 0, output.data(), kElements * 4), UDNN_OK);
  }

  void expectRight(const float *output) {
    for (int64_t i = 0; i < kElements; ++i)
      ASSERT_EQ(output[i], getCudaExpected(x[i], i)) << "element " << i;
  }

  FakeCuda *fake = nullptr;
  TemporaryFolder folder;
  udnn_model *model = nullptr;
  std::vector<float> x = std::vector<float>(kElements);
  std::vector<float> y = std::vector<float>(kElements, -1);
};

} // namespace udnn::test

#endif // UDNN_TEST_RUNTIME_CUDATESTBASE_H
