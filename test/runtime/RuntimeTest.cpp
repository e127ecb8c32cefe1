//===- RuntimeTest.cpp - the C API on the CPU -----------------------------===//
//
// Loading, binding, running, profiles, frozen inputs, and what is refused.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include "udnn-c/udnn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::test;

namespace {
/// The model of `writeModel` with memory for its tensors.
class RuntimeTest : public testing::Test {
protected:
  void SetUp() override {
    writeModel(folder.file("model.udnn"));
    ASSERT_EQ(udnn_model_load_file(folder.file("model.udnn").c_str(), &model), UDNN_OK)
        << udnn_last_error();
    for (int64_t i = 0; i < kElements; ++i)
      x[i] = float(i % 97);
  }
  void TearDown() override { udnn_model_destroy(model); }

  udnn_context *createContext(uint32_t threads) {
    udnn_context *context = nullptr;
    EXPECT_EQ(udnn_context_create(model, 0, "cpu", threads, &context), UDNN_OK)
        << udnn_last_error();
    return context;
  }

  void bindAll(udnn_context *context, std::vector<float> &output) {
    EXPECT_EQ(udnn_context_bind_input(context, 0, x.data(), x.size() * 4), UDNN_OK);
    EXPECT_EQ(udnn_context_bind_output(context, 0, output.data(), output.size() * 4), UDNN_OK);
  }

  void expectRight(const std::vector<float> &output) {
    for (int64_t i = 0; i < kElements; ++i)
      ASSERT_EQ(output[i], getExpected(x[i], i)) << "element " << i;
  }

  TemporaryFolder folder;
  udnn_model *model = nullptr;
  std::vector<float> x = std::vector<float>(kElements);
  std::vector<float> y = std::vector<float>(kElements, -1);
};
} // namespace

TEST_F(RuntimeTest, RunsOnAnyNumberOfThreads) {
  for (uint32_t threads : {0, 1, 2, 3, 8}) {
    udnn_context *context = createContext(threads);
    ASSERT_NE(context, nullptr);
    y.assign(kElements, -1);
    bindAll(context, y);
    for (int run = 0; run < 20; ++run)
      ASSERT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
    expectRight(y);
    udnn_context_destroy(context);
  }
}

TEST_F(RuntimeTest, AnswersQueries) {
  udnn_model_info info;
  ASSERT_EQ(udnn_model_get_info(model, &info), UDNN_OK);
  EXPECT_STREQ(info.producer, "udnn test");
  EXPECT_EQ(info.num_programs, 1u);
  EXPECT_EQ(info.constant_bytes, kElements * 4u + 8u);
  udnn_program_info program;
  ASSERT_EQ(udnn_model_get_program(model, 0, &program), UDNN_OK);
  EXPECT_STREQ(program.entry, "main");
  EXPECT_STREQ(program.device_kind, "cpu");
  EXPECT_EQ(program.arena_bytes, 8192u);
  EXPECT_EQ(program.num_inputs, 2u);
  EXPECT_EQ(program.num_launches, 3u);
  udnn_tensor_info tensor;
  ASSERT_EQ(udnn_model_get_input(model, 0, 0, &tensor), UDNN_OK);
  EXPECT_STREQ(tensor.name, "x");
  EXPECT_STREQ(tensor.type_name, "float");
  ASSERT_EQ(tensor.rank, 2u);
  EXPECT_EQ(tensor.shape[1], kElements / 10);
  EXPECT_EQ(tensor.frozen, nullptr);
  ASSERT_EQ(udnn_model_get_input(model, 0, 1, &tensor), UDNN_OK);
  ASSERT_NE(tensor.frozen, nullptr);
  EXPECT_EQ(*static_cast<const int64_t *>(tensor.frozen), 7);
  udnn_launch_info launch;
  ASSERT_EQ(udnn_model_get_launch(model, 0, 1, &launch), UDNN_OK);
  EXPECT_STREQ(launch.family, "test.by_scratch");
  EXPECT_EQ(launch.grid[0], kElements);
  size_t index;
  ASSERT_EQ(udnn_model_find_input(model, 0, "mode", &index), UDNN_OK);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(udnn_model_find_output(model, 0, "z", &index), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "no output is named 'z'; there are 'y'");
}

TEST_F(RuntimeTest, LoadsFromMemoryOfAnyAlignment) {
  std::string bytes = readFile(folder.file("model.udnn"));
  for (size_t shift : {0, 1}) {
    std::vector<char> memory(bytes.size() + 65);
    char *start = memory.data() + (-reinterpret_cast<uintptr_t>(memory.data()) % 64) + shift;
    memcpy(start, bytes.data(), bytes.size());
    udnn_model_destroy(model);
    model = nullptr;
    ASSERT_EQ(udnn_model_load_memory(start, bytes.size(), &model), UDNN_OK) << udnn_last_error();
    udnn_context *context = createContext(2);
    // The context keeps what it needs of the model.
    udnn_model_destroy(model);
    model = nullptr;
    bindAll(context, y);
    ASSERT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
    expectRight(y);
    udnn_context_destroy(context);
  }
}

TEST_F(RuntimeTest, RunsContextsOnSeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      udnn_context *context = nullptr;
      std::vector<float> output(kElements);
      if (udnn_context_create(model, 0, "cpu", 1 + t % 2, &context) ||
          udnn_context_bind_input(context, 0, x.data(), kElements * 4) ||
          udnn_context_bind_output(context, 0, output.data(), kElements * 4))
        return;
      bool good = true;
      for (int run = 0; run < 50; ++run) {
        output.assign(kElements, -1);
        good = good && udnn_context_run(context) == UDNN_OK;
        for (int64_t i = 0; i < kElements; ++i)
          good = good && output[i] == getExpected(x[i], i);
      }
      udnn_context_destroy(context);
      right += good;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 4);
}

TEST_F(RuntimeTest, SleepsAndWakes) {
  udnn_context *context = createContext(3);
  bindAll(context, y);
  for (int run = 0; run < 5; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_EQ(udnn_context_run(context), UDNN_OK);
  }
  expectRight(y);
  udnn_context_destroy(context);
}

TEST_F(RuntimeTest, TimesLaunches) {
  udnn_context *context = createContext(2);
  bindAll(context, y);
  std::vector<int64_t> ns(3, -1);
  int64_t least[3] = {INT64_MAX, INT64_MAX, INT64_MAX};
  for (int run = 0; run < 20; ++run) {
    ASSERT_EQ(udnn_context_run_profiled(context, 3, ns.data()), UDNN_OK);
    for (int i = 0; i < 3; ++i) {
      EXPECT_GE(ns[i], 0);
      least[i] = std::min(least[i], ns[i]);
    }
  }
  // The second launch does a thousand times more per element than the others.
  EXPECT_GT(least[1], least[0]);
  EXPECT_GT(least[1], least[2]);
  EXPECT_EQ(udnn_context_run_profiled(context, 2, ns.data()), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "expects room for the times of 3 launches, got 2");
  udnn_context_destroy(context);
}

TEST_F(RuntimeTest, RefusesFrozenInputThatDiffers) {
  udnn_context *context = createContext(1);
  bindAll(context, y);
  int64_t mode = 7;
  ASSERT_EQ(udnn_context_bind_input(context, 1, &mode, sizeof(mode)), UDNN_OK);
  EXPECT_EQ(udnn_context_run(context), UDNN_OK);
  mode = 8;
  EXPECT_EQ(udnn_context_run(context), UDNN_FROZEN_INPUT_DIFFERS);
  EXPECT_STREQ(udnn_last_error(),
               "input 'mode' was frozen when the model was compiled; it holds another value now");
  udnn_context_destroy(context);
}

TEST_F(RuntimeTest, RefusesWrongBindings) {
  udnn_context *context = createContext(1);
  EXPECT_EQ(udnn_context_run(context), UDNN_NOT_BOUND);
  EXPECT_STREQ(udnn_last_error(), "input 'x' is not bound");
  EXPECT_EQ(udnn_context_bind_input(context, 0, x.data(), 12), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "input 'x': expects 4000 bytes (float 10x100), got 12");
  EXPECT_EQ(udnn_context_bind_input(context, 2, x.data(), 12), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "expects an input number below 2, got 2");
  EXPECT_EQ(udnn_context_bind_input(context, 0, nullptr, 4000), UDNN_INVALID_ARGUMENT);
  const char *odd = reinterpret_cast<const char *>(x.data()) + 1;
  EXPECT_EQ(udnn_context_bind_input(context, 0, odd, 4000), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "input 'x': expects memory aligned to 4 bytes");
  EXPECT_EQ(udnn_context_bind_input(context, 0, x.data(), 4000), UDNN_OK);
  EXPECT_EQ(udnn_context_run(context), UDNN_NOT_BOUND);
  EXPECT_STREQ(udnn_last_error(), "output 'y' is not bound");
  udnn_context_destroy(context);
}

/// An empty tensor has no memory: no address is asked for.
TEST(RuntimeEmpty, BindsNull) {
  TemporaryFolder folder;
  Writer writer;
  ASSERT_TRUE(writer.open(folder.file("m.udnn")).succeeded());
  Program program;
  program.device.kind = "cpu";
  program.inputs = {{"x", ElementType::Float, {3, 0}, -1, -1}};
  program.outputs = {{"y", ElementType::Float, {0}, -1, -1}};
  ASSERT_TRUE(writer.finish({program}, "test").succeeded());
  udnn_model *model = nullptr;
  udnn_context *context = nullptr;
  ASSERT_EQ(udnn_model_load_file(folder.file("m.udnn").c_str(), &model), UDNN_OK);
  ASSERT_EQ(udnn_context_create(model, 0, "cpu", 1, &context), UDNN_OK) << udnn_last_error();
  EXPECT_EQ(udnn_context_run(context), UDNN_NOT_BOUND);
  EXPECT_EQ(udnn_context_bind_input(context, 0, nullptr, 0), UDNN_OK) << udnn_last_error();
  EXPECT_EQ(udnn_context_bind_input(context, 0, nullptr, 4), UDNN_INVALID_ARGUMENT);
  EXPECT_EQ(udnn_context_bind_output(context, 0, nullptr, 0), UDNN_OK) << udnn_last_error();
  EXPECT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
  udnn_context_destroy(context);
  udnn_model_destroy(model);
}

TEST_F(RuntimeTest, RefusesNullPointers) {
  EXPECT_EQ(udnn_model_load_file(nullptr, &model), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "udnn_model_load_file: a pointer is null");
  EXPECT_EQ(udnn_context_create(model, 0, "cpu", 1, nullptr), UDNN_INVALID_ARGUMENT);
  EXPECT_EQ(udnn_context_run(nullptr), UDNN_INVALID_ARGUMENT);
  EXPECT_EQ(udnn_context_destroy(nullptr), UDNN_OK);
}

TEST_F(RuntimeTest, RefusesOtherDevices) {
  udnn_context *context = nullptr;
  EXPECT_EQ(udnn_context_create(model, 0, "tpu", 1, &context), UDNN_UNSUPPORTED_DEVICE);
  EXPECT_EQ(udnn_context_create(model, 1, "cpu", 1, &context), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "expects a program number below 1, got 1");
  EXPECT_EQ(udnn_context_create(model, 0, "cpu", 5000, &context), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "expects at most 1024 threads, got 5000");
}

TEST(RuntimeLoad, RefusesArtifactForAnotherCPU) {
  TemporaryFolder folder;
  writeModel(folder.file("m.udnn"), {"popcnt", "no-such-feature"});
  udnn_model *model = nullptr;
  ASSERT_EQ(udnn_model_load_file(folder.file("m.udnn").c_str(), &model), UDNN_OK);
  udnn_context *context = nullptr;
  EXPECT_EQ(udnn_context_create(model, 0, "cpu", 1, &context), UDNN_UNSUPPORTED_DEVICE);
  EXPECT_STREQ(udnn_last_error(), "artifact is for another CPU ('test'): this one does not have "
                                  "the features it needs: no-such-feature");
  size_t program;
  EXPECT_EQ(udnn_model_find_program(model, nullptr, "cpu", &program), UDNN_UNSUPPORTED_DEVICE);
  EXPECT_EQ(udnn_model_find_program(model, "other", "cpu", &program), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "artifact has no entry 'other'");
  udnn_model_destroy(model);
}

/// Every task runs exactly once, whatever the numbers of tasks and threads.
TEST(RuntimeTasks, RunEachOnce) {
  TemporaryFolder folder;
  for (int64_t tasks : {0, 1, 2, 3, 7, 100, 4097}) {
    std::string path = folder.file(std::to_string(tasks) + ".udnn");
    Writer writer;
    ASSERT_TRUE(writer.open(path).succeeded());
    Program program;
    program.device.kind = "cpu";
    program.codes = {addKernels(writer)};
    program.outputs = {{"counts", ElementType::Int32, {tasks}, -1, -1}};
    program.launches.assign(
        5, makeLaunch("count", tasks, {Argument::buffer(Space::Output, 0, 0, tasks * 4)}));
    ASSERT_TRUE(writer.finish({program}, "test").succeeded());
    for (uint32_t threads : {1, 2, 5}) {
      udnn_model *model = nullptr;
      udnn_context *context = nullptr;
      ASSERT_EQ(udnn_model_load_file(path.c_str(), &model), UDNN_OK) << udnn_last_error();
      ASSERT_EQ(udnn_context_create(model, 0, "cpu", threads, &context), UDNN_OK);
      std::vector<int32_t> counts(tasks + 1);
      ASSERT_EQ(udnn_context_bind_output(context, 0, counts.data(), tasks * 4), UDNN_OK);
      for (int run = 0; run < 20; ++run)
        ASSERT_EQ(udnn_context_run(context), UDNN_OK);
      counts.pop_back();
      EXPECT_EQ(counts, std::vector<int32_t>(tasks, 100)) << tasks << " tasks";
      udnn_context_destroy(context);
      udnn_model_destroy(model);
    }
  }
}

/// Two artifacts whose kernels have the same names keep their own code.
TEST(RuntimeTasks, KeepCodeOfModelsApart) {
  TemporaryFolder folder;
  for (int round = 0; round < 3; ++round) {
    udnn_model *model = nullptr;
    udnn_context *context = nullptr;
    writeModel(folder.file("m.udnn"));
    ASSERT_EQ(udnn_model_load_file(folder.file("m.udnn").c_str(), &model), UDNN_OK);
    ASSERT_EQ(udnn_context_create(model, 0, "cpu", 1, &context), UDNN_OK);
    std::vector<float> x(kElements, 4), y(kElements);
    ASSERT_EQ(udnn_context_bind_input(context, 0, x.data(), kElements * 4), UDNN_OK);
    ASSERT_EQ(udnn_context_bind_output(context, 0, y.data(), kElements * 4), UDNN_OK);
    ASSERT_EQ(udnn_context_run(context), UDNN_OK);
    EXPECT_EQ(y[5], getExpected(4, 5));
    udnn_context_destroy(context);
    udnn_model_destroy(model);
  }
}
