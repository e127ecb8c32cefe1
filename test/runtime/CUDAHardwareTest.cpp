//===- CUDAHardwareTest.cpp - the C API on a real GPU ---------------------===//
//
// Kernels in PTX, through the NVIDIA driver of the machine; skipped where there is no GPU.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "TestArtifact.h"

#include "udnn-c/udnn.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::test;

/// A kernel with parameters x, y, elements, factor and a thread per element: y = body(x), from and
/// into %f1.
static std::string makeEntry(const std::string &name, const std::string &body) {
  return ".visible .entry " + name +
         R"((.param .u64 px, .param .u64 py, .param .u64 pn, .param .u64 pf) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %d<7>;
  .reg .f32 %f<3>;
  ld.param.u64 %d1, [px];
  ld.param.u64 %d2, [py];
  ld.param.u64 %d3, [pn];
  ld.param.u64 %d4, [pf];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %d5, %r1, %r2;
  cvt.u64.u32 %d6, %r3;
  add.u64 %d5, %d5, %d6;
  setp.ge.u64 %p, %d5, %d3;
  @%p ret;
  shl.b64 %d5, %d5, 2;
  add.u64 %d1, %d1, %d5;
  add.u64 %d2, %d2, %d5;
  ld.global.f32 %f1, [%d1];
)" + body +
         R"(  st.global.f32 [%d2], %f1;
  ret;
}
)";
}

/// scale: y = x * factor; by_shared: y = x by way of the last of 64 KiB of shared memory.
static std::string makeCode() {
  return R"(.version 7.4
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 shared[];

)" + makeEntry("scale", R"(  cvt.rn.f32.s64 %f2, %d4;
  mul.f32 %f1, %f1, %f2;
)") + makeEntry("by_shared", R"(  mov.u32 %r4, shared;
  shl.b32 %r3, %r3, 2;
  add.u32 %r4, %r4, %r3;
  st.shared.f32 [%r4+65024], %f1;
  ld.shared.f32 %f1, [%r4+65024];
)");
}

static constexpr int64_t kSize = 100000;
static constexpr uint64_t kBytes = kSize * 4;

static Launch makeGPULaunch(const std::string &kernel, Argument x, Argument y, int64_t factor) {
  Launch launch = makeLaunch(kernel, (kSize + 127) / 128,
                             {x, y, Argument::integer(kSize), Argument::integer(factor)});
  launch.block = {128, 1, 1};
  return launch;
}

namespace {
/// y = x * 3 * 5 by way of shared and worker memory; z = c * 7 for a constant c.
class CUDAHardwareTest : public testing::Test {
protected:
  void SetUp() override {
    auto *init = findCudaFunction<int(unsigned)>("cuInit");
    if (!init || init(0) != 0)
      GTEST_SKIP() << "this machine has no GPU with an NVIDIA driver";
    std::mt19937 random(std::random_device{}());
    std::uniform_real_distribution<float> values(-1, 1);
    for (std::vector<float> *numbers : {&x, &c})
      for (float &number : *numbers)
        number = values(random);
    write();
    ASSERT_EQ(udnn_model_load_file(folder.file("m.udnn").c_str(), &model), UDNN_OK)
        << udnn_last_error();
  }
  void TearDown() override { udnn_model_destroy(model); }

  void write() {
    Writer writer;
    Program program;
    uint32_t constant;
    ASSERT_TRUE(writer.open(folder.file("m.udnn")).succeeded());
    ASSERT_TRUE(writer.addConstant(c.data(), kBytes, constant).succeeded());
    std::string code = makeCode();
    ASSERT_TRUE(writer
                    .addCode(CodeFormat::Ptx, code.data(), code.size(), {"scale", "by_shared"},
                             program.codes.emplace_back())
                    .succeeded());
    program.device = {"cuda", "sm_75", {}};
    program.arenaBytes = program.workerBytes = kBytes;
    program.inputs = {{"x", ElementType::Float, {kSize}, -1, -1}};
    program.outputs = {{"y", ElementType::Float, {kSize}, -1, -1},
                       {"z", ElementType::Float, {kSize}, -1, -1}};
    Argument arena = Argument::buffer(Space::Arena, 0, 0, kBytes),
             worker = Argument::buffer(Space::Worker, 0, 0, kBytes);
    program.launches = {
        makeGPULaunch("scale", Argument::buffer(Space::Input, 0, 0, kBytes), arena, 3),
        makeGPULaunch("by_shared", arena, worker, 0),
        makeGPULaunch("scale", worker, Argument::buffer(Space::Output, 0, 0, kBytes), 5),
        makeGPULaunch("scale", Argument::buffer(Space::Constant, constant, 0, kBytes),
                      Argument::buffer(Space::Output, 1, 0, kBytes), 7)};
    program.launches[1].sharedBytes = 64 << 10;
    Status status = writer.finish({program}, "test");
    ASSERT_TRUE(status.succeeded()) << status.message();
  }

  udnn_context *createContext() {
    udnn_context *context = nullptr;
    EXPECT_EQ(udnn_context_create(model, 0, "cuda:0", 0, &context), UDNN_OK) << udnn_last_error();
    EXPECT_EQ(udnn_context_bind_input(context, 0, x.data(), kBytes), UDNN_OK);
    EXPECT_EQ(udnn_context_bind_output(context, 0, y.data(), kBytes), UDNN_OK);
    EXPECT_EQ(udnn_context_bind_output(context, 1, z.data(), kBytes), UDNN_OK);
    return context;
  }

  void expectRight() {
    for (int64_t i = 0; i < kSize; ++i) {
      ASSERT_EQ(y[i], x[i] * 3 * 5) << "element " << i;
      ASSERT_EQ(z[i], c[i] * 7) << "element " << i;
    }
    y.assign(kSize, -1);
    z.assign(kSize, -1);
  }

  TemporaryFolder folder;
  udnn_model *model = nullptr;
  std::vector<float> x = std::vector<float>(kSize), c = x, y = x, z = x;
};
} // namespace

TEST_F(CUDAHardwareTest, Runs) {
  udnn_context *first = createContext(), *second = createContext();
  for (udnn_context *context : {first, second, first}) {
    ASSERT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
    expectRight();
  }
  udnn_context_destroy(first);
  udnn_context_destroy(second);
}

TEST_F(CUDAHardwareTest, TimesLaunches) {
  udnn_context *context = createContext();
  std::vector<int64_t> ns(4, -1);
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(udnn_context_run_profiled(context, 4, ns.data()), UDNN_OK) << udnn_last_error();
    expectRight();
  }
  for (int64_t time : ns) {
    EXPECT_GT(time, 0);
    EXPECT_LT(time, 1000000000);
  }
  udnn_context_destroy(context);
}

TEST_F(CUDAHardwareTest, UsesDeviceMemoryInPlace) {
  // The output of one context is the input of the other.
  DeviceArray memory(kBytes);
  udnn_context *first = createContext(), *second = createContext();
  ASSERT_EQ(udnn_context_bind_output(first, 0, memory.get(), kBytes), UDNN_OK) << udnn_last_error();
  ASSERT_EQ(udnn_context_bind_input(second, 0, memory.get(), kBytes), UDNN_OK) << udnn_last_error();
  ASSERT_EQ(udnn_context_run(first), UDNN_OK) << udnn_last_error();
  ASSERT_EQ(udnn_context_run(second), UDNN_OK) << udnn_last_error();
  for (float &number : x)
    number = number * 3 * 5;
  expectRight();
  udnn_context_destroy(first);
  udnn_context_destroy(second);
}
