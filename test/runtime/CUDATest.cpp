//===- CUDATest.cpp - the C API on a GPU ----------------------------------===//
//
// Running on the fake driver: numbers, what is shared and kept, memory of either side.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CUDATestBase.h"

#include <cstring>
#include <thread>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::test;

namespace {
class CUDATest : public CUDATestBase {};

} // namespace

TEST_F(CUDATest, Runs) {
  loadModel({{"sm_90", "ptx"}});
  for (const char *device : {"cuda:0", "cuda", "cuda:1"}) {
    udnn_context *context = createContext(device);
    ASSERT_NE(context, nullptr);
    y.assign(kElements, -1);
    bindAll(context, y);
    for (int run = 0; run < 3; ++run)
      ASSERT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
    expectRight(y.data());
    udnn_context_destroy(context);
  }
  // Per device: one graph that is launched for each run.
  EXPECT_EQ(fake->captures, 3);
  EXPECT_EQ(fake->graphLaunches, 9);
  ASSERT_EQ(fake->launches.size(), 27u);
  EXPECT_STREQ(fake->launches[1].kernel, "by_scratch");
  EXPECT_EQ(fake->launches[1].grid[0], 8u);
  EXPECT_EQ(fake->launches[1].block[0], 128u);
}

TEST_F(CUDATest, KeepsMemoryApart) {
  loadModel({{"sm_90", "ptx"}});
  udnn_context *context = createContext();
  bindAll(context, y);
  EXPECT_EQ(udnn_context_run(context), UDNN_OK);
  ASSERT_EQ(fake->launches.size(), 3u);
  const uint64_t *add = fake->launches[0].arguments, *byScratch = fake->launches[1].arguments,
                 *scale = fake->launches[2].arguments;
  EXPECT_EQ(byScratch[0], add[2]);
  EXPECT_EQ(byScratch[1], add[2] + 4096);
  EXPECT_EQ(scale[0], byScratch[1]);
  // Input, constant, both parts of the arena, worker memory, output.
  std::vector<uint64_t> areas = {add[0], add[1], add[2], byScratch[1], byScratch[2], scale[1]};
  for (size_t i = 0; i < areas.size(); ++i) {
    EXPECT_EQ(areas[i] % 256, 0u);
    for (size_t j = 0; j < areas.size(); ++j)
      EXPECT_TRUE(i == j || areas[i] > areas[j] || areas[i] + kElements * 4 <= areas[j])
          << i << " " << j;
  }
  udnn_context_destroy(context);
}

TEST_F(CUDATest, TellsWhatItRunsOn) {
  loadModel({{"sm_80", "ptx"}});
  udnn_context *context = createContext("cuda:1");
  const char *device;
  uint32_t threads;
  ASSERT_EQ(udnn_context_get_device(context, &device), UDNN_OK);
  EXPECT_STREQ(device, "Fake GPU (cuda:1, sm_90)");
  ASSERT_EQ(udnn_context_get_threads(context, &threads), UDNN_OK);
  EXPECT_EQ(threads, 1u);
  udnn_context_destroy(context);
}

TEST_F(CUDATest, SharesConstantsBetweenContexts) {
  loadModel({{"sm_90", "ptx"}});
  std::vector<float> z(kElements);
  // Names of the same GPU.
  udnn_context *first = createContext("cuda"), *second = createContext("cuda:00");
  bindAll(first, y);
  bindAll(second, z);
  EXPECT_EQ(udnn_context_run(first), UDNN_OK);
  EXPECT_EQ(udnn_context_run(second), UDNN_OK);
  expectRight(y.data());
  expectRight(z.data());
  // The frozen value, which no launch reads, stays on the host.
  EXPECT_EQ(fake->uploadedBytes, uint64_t(kElements * 4));
  EXPECT_EQ(fake->modules, 1);
  EXPECT_EQ(fake->memories, 3);
  udnn_context_destroy(first);
  udnn_context_destroy(second);
}

TEST_F(CUDATest, KeepsGraphWhenHostMemoryChanges) {
  loadModel({{"sm_90", "ptx"}});
  udnn_context *context = createContext();
  bindAll(context, y);
  EXPECT_EQ(udnn_context_run(context), UDNN_OK);
  std::vector<float> z(kElements, -1), other(kElements, 5);
  EXPECT_EQ(udnn_context_bind_input(context, 0, other.data(), kElements * 4), UDNN_OK);
  EXPECT_EQ(udnn_context_bind_output(context, 0, z.data(), kElements * 4), UDNN_OK);
  EXPECT_EQ(udnn_context_run(context), UDNN_OK);
  EXPECT_EQ(fake->captures, 1);
  expectRight(y.data());
  x = other;
  expectRight(z.data());
  udnn_context_destroy(context);
}

TEST_F(CUDATest, UsesDeviceMemoryInPlace) {
  loadModel({{"sm_90", "ptx"}});
  udnn_context *context = createContext();
  bindAll(context, y);
  EXPECT_EQ(udnn_context_run(context), UDNN_OK);
  {
    DeviceArray input(kElements * 4), output(kElements * 4);
    for (int64_t i = 0; i < kElements; ++i)
      input.get()[i] = x[i] = float(i % 31);
    y.assign(kElements, -1);
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(udnn_context_bind_input(context, 0, input.get(), kElements * 4), UDNN_OK);
      EXPECT_EQ(udnn_context_bind_output(context, 0, output.get(), kElements * 4), UDNN_OK);
      EXPECT_EQ(udnn_context_run(context), UDNN_OK);
      expectRight(output.get());
    }
    // One more graph for the new addresses, none for the same ones; no copy to the host.
    EXPECT_EQ(fake->captures, 2);
    EXPECT_EQ(y, std::vector<float>(kElements, -1));
    // The profile takes the same memory.
    memset(output.get(), 0, kElements * 4);
    std::vector<int64_t> ns(3);
    EXPECT_EQ(udnn_context_run_profiled(context, 3, ns.data()), UDNN_OK);
    expectRight(output.get());
    bindAll(context, y);
  }
  EXPECT_EQ(udnn_context_run(context), UDNN_OK);
  expectRight(y.data());
  udnn_context_destroy(context);
}

TEST_F(CUDATest, TimesLaunches) {
  loadModel({{"sm_90", "ptx"}});
  udnn_context *context = createContext();
  bindAll(context, y);
  std::vector<int64_t> ns(3, -1);
  ASSERT_EQ(udnn_context_run_profiled(context, 3, ns.data()), UDNN_OK) << udnn_last_error();
  // Every kernel of the fake takes as long.
  EXPECT_EQ(ns, std::vector<int64_t>(3, 500000));
  expectRight(y.data());
  EXPECT_EQ(fake->captures, 0);
  udnn_context_destroy(context);
}

TEST_F(CUDATest, FindsTheProgramThatFitsBest) {
  std::vector<CudaTarget> targets = {
      {"sm_80", "ptx"}, {"sm_90", "ptx"}, {"sm_90a", "cubin"}, {"sm_86", "cubin"}};
  loadModel(targets);
  // The architecture itself; its PTX where machine code does not run; no more than the GPU has.
  std::vector<std::pair<int, size_t>> wanted = {{90, 2}, {100, 1}, {80, 0}, {86, 3}, {89, 3}};
  for (auto [capability, program] : wanted) {
    fake->capability = capability;
    size_t found = 99;
    EXPECT_EQ(udnn_model_find_program(model, nullptr, "cuda:0", &found), UDNN_OK);
    EXPECT_EQ(found, program) << capability;
  }
  fake->capability = 75;
  size_t found;
  EXPECT_EQ(udnn_model_find_program(model, nullptr, "cuda:0", &found), UDNN_UNSUPPORTED_DEVICE);
  EXPECT_STREQ(udnn_last_error(),
               "artifact is for another GPU: its code for 'sm_80' (ptx) does not "
               "run on Fake GPU (cuda:0, sm_75)");
  EXPECT_EQ(udnn_model_find_program(model, nullptr, "cpu", &found), UDNN_UNSUPPORTED_DEVICE);
  EXPECT_STREQ(udnn_last_error(), "program is for device 'cuda', not for 'cpu'");
}

TEST_F(CUDATest, FindsTheProgramForTheDevice) {
  Writer writer;
  std::string path = folder.file("both.udnn");
  ASSERT_TRUE(writer.open(path).succeeded());
  Program gpu, cpu;
  gpu.device = {"cuda", "sm_80", {}};
  cpu.device = {"cpu", "test", {"no-such-feature"}};
  ASSERT_TRUE(writer.finish({cpu, gpu, cpu}, "test").succeeded());
  load(path);
  size_t found = 99;
  EXPECT_EQ(udnn_model_find_program(model, nullptr, "cuda", &found), UDNN_OK);
  EXPECT_EQ(found, 1u);
  // The reason is that of the programs for the device, not of the one in between.
  EXPECT_EQ(udnn_model_find_program(model, nullptr, "cpu", &found), UDNN_UNSUPPORTED_DEVICE);
  EXPECT_STREQ(udnn_last_error(),
               "artifact is for another CPU ('test'): this one does not have the "
               "features it needs: no-such-feature");
  EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE, "cuda"),
            "program is for device 'cpu', not for 'cuda'");
}

TEST_F(CUDATest, RunsInSeveralThreads) {
  loadModel({{"sm_90", "ptx"}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([this] {
      std::vector<float> output(kElements, -1);
      udnn_context *context = createContext();
      bindAll(context, output);
      for (int run = 0; run < 50; ++run)
        ASSERT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
      expectRight(output.data());
      udnn_context_destroy(context);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CUDATest, LeavesTheCallersContext) {
  loadModel({{"sm_90", "ptx"}});
  OwnContext own(1);
  auto getCurrent = [] {
    void *current = nullptr;
    findCudaFunction<int(void **)>("cuCtxGetCurrent")(&current);
    return current;
  };
  udnn_context *context = createContext("cuda:0");
  bindAll(context, y);
  EXPECT_EQ(udnn_context_run(context), UDNN_OK);
  EXPECT_EQ(getCurrent(), own.get());
  udnn_context_destroy(context);
  EXPECT_EQ(getCurrent(), own.get());
  expectRight(y.data());
}

/// Writes a program with the fake's code and without constants.
static void writeProgram(const std::string &path, Program program) {
  Writer writer;
  std::string text = getFakeCode("ptx", "sm_90");
  ASSERT_TRUE(writer.open(path).succeeded());
  ASSERT_TRUE(writer
                  .addCode(CodeFormat::Ptx, text.data(), text.size(),
                           {"add", "scale", "by_scratch", "fault"}, program.codes.emplace_back())
                  .succeeded());
  program.device = {"cuda", "sm_90", {}};
  Status status = writer.finish({program}, "test");
  ASSERT_TRUE(status.succeeded()) << status.message();
}

TEST_F(CUDATest, RunsEmptyPrograms) {
  // No tensors, no launches; an empty tensor and an empty grid.
  Program nothing, empty;
  empty.inputs = {{"x", ElementType::Float, {0, 3}, -1, -1}};
  empty.outputs = {{"y", ElementType::Float, {3, 0}, -1, -1}};
  empty.launches = {
      makeLaunch("scale", 0,
                 {Argument::buffer(Space::Input, 0, 0, 0), Argument::buffer(Space::Output, 0, 0, 0),
                  Argument::integer(0), Argument::integer(0)})};
  int number = 0;
  for (const Program &program : {nothing, empty}) {
    std::string path = folder.file(std::to_string(number++) + ".udnn");
    writeProgram(path, program);
    load(path);
    udnn_context *context = createContext();
    ASSERT_NE(context, nullptr);
    if (!program.inputs.empty()) {
      EXPECT_EQ(udnn_context_bind_input(context, 0, x.data(), 0), UDNN_OK);
      EXPECT_EQ(udnn_context_bind_output(context, 0, y.data(), 0), UDNN_OK);
    }
    EXPECT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
    std::vector<int64_t> ns(2, -1);
    EXPECT_EQ(udnn_context_run_profiled(context, program.launches.size(), ns.data()), UDNN_OK);
    EXPECT_EQ(ns[0], program.launches.empty() ? -1 : 0);
    udnn_context_destroy(context);
  }
  EXPECT_EQ(fake->launches.size(), 0u);
  EXPECT_EQ(fake->graphLaunches, 0);
}

TEST_F(CUDATest, RunsOnPartsOfTensors) {
  // y = x * 2 in the first half and x * 5 in the second; z = x * 7.
  uint64_t bytes = kElements * 4, half = bytes / 2;
  Program program;
  program.inputs = {{"x", ElementType::Float, {kElements}, -1, -1}};
  program.outputs = {{"y", ElementType::Float, {kElements}, -1, -1},
                     {"z", ElementType::Float, {kElements}, -1, -1}};
  auto addLaunch = [&](uint32_t output, uint64_t offset, uint64_t size, int64_t factor) {
    program.launches.push_back(
        makeLaunch("scale", 1,
                   {Argument::buffer(Space::Input, 0, offset, size),
                    Argument::buffer(Space::Output, output, offset, size),
                    Argument::integer(size / 4), Argument::integer(factor)}));
  };
  addLaunch(0, 0, half, 2);
  addLaunch(0, half, half, 5);
  addLaunch(1, 0, bytes, 7);
  writeProgram(folder.file("m.udnn"), program);
  load(folder.file("m.udnn"));
  udnn_context *context = createContext();
  std::vector<float> z(kElements);
  bindAll(context, y);
  EXPECT_EQ(udnn_context_bind_output(context, 1, z.data(), bytes), UDNN_OK);
  auto runAndExpect = [&](const float *first) {
    ASSERT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
    for (int64_t i = 0; i < kElements; ++i) {
      ASSERT_EQ(first[i], x[i] * (i < kElements / 2 ? 2 : 5)) << i;
      ASSERT_EQ(z[i], x[i] * 7) << i;
    }
  };
  runAndExpect(y.data());
  {
    DeviceArray output(kElements * 4);
    EXPECT_EQ(udnn_context_bind_output(context, 0, output.get(), bytes), UDNN_OK);
    runAndExpect(output.get());
  }
  udnn_context_destroy(context);
}

TEST_F(CUDATest, AllowsMuchSharedMemory) {
  Program program;
  program.arenaBytes = 64;
  Argument memory = Argument::buffer(Space::Arena, 0, 0, 64), zero = Argument::integer(0);
  program.launches = {makeLaunch("fault", 0, {}),
                      makeLaunch("scale", 1, {memory, memory, zero, zero})};
  program.launches[0].sharedBytes = 1000;
  program.launches[1].sharedBytes = 200 << 10;
  writeProgram(folder.file("m.udnn"), program);
  load(folder.file("m.udnn"));
  udnn_context *context = createContext();
  EXPECT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(fake->launches[0].sharedBytes, 200u << 10);
  udnn_context_destroy(context);

  program.launches[1].sharedBytes = 300 << 10;
  writeProgram(folder.file("m2.udnn"), program);
  load(folder.file("m2.udnn"));
  EXPECT_EQ(getCreateError(UDNN_DEVICE_FAILED),
            "launch 1 ('layer_scale', kernel 'scale'): cannot use 307200 bytes of shared memory: "
            "CUDA_ERROR_INVALID_VALUE (so says the fake)");
}
