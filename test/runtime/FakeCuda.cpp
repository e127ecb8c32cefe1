//===- FakeCuda.cpp - what tests need of the fake CUDA driver -------------===//
//
// Finds the fake in the process, and builds artifacts that it can run.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace udnn;
using namespace udnn::artifact;

void *test::findCudaFunction(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return nullptr;
  void *function = dlsym(library, name);
  dlclose(library);
  return function;
}

test::OwnContext::OwnContext(int device) : device(device) {
  EXPECT_EQ(findCudaFunction<int(void **, int)>("cuDevicePrimaryCtxRetain")(&context, device), 0);
  EXPECT_EQ(findCudaFunction<int(void *)>("cuCtxPushCurrent_v2")(context), 0);
}

test::OwnContext::~OwnContext() {
  void *popped = nullptr;
  EXPECT_EQ(findCudaFunction<int(void **)>("cuCtxPopCurrent_v2")(&popped), 0);
  EXPECT_EQ(popped, context);
  EXPECT_EQ(findCudaFunction<int(int)>("cuDevicePrimaryCtxRelease_v2")(device), 0);
}

test::DeviceArray::DeviceArray(size_t bytes) {
  EXPECT_EQ(findCudaFunction<int(unsigned long long *, size_t)>("cuMemAlloc_v2")(&address, bytes),
            0);
}

test::DeviceArray::~DeviceArray() {
  EXPECT_EQ(findCudaFunction<int(unsigned long long)>("cuMemFree_v2")(address), 0);
}

test::FakeCuda *test::getFakeCuda() {
  auto *function = findCudaFunction<FakeCuda *()>("udnn_fake_cuda");
  return function ? function() : nullptr;
}

std::string test::getFakeCode(const std::string &format, const std::string &arch) {
  return format + " " + arch +
         "\nkernel add 4\nkernel scale 4\nkernel by_scratch 4\nkernel fault 0\nend\n";
}

float test::getCudaExpected(float x, int64_t i) { return (x + float(i)) * 3; }

static Launch makeCudaLaunch(const std::string &kernel, std::vector<Argument> arguments) {
  Launch launch = test::makeLaunch(kernel, (test::kElements + 127) / 128, std::move(arguments));
  launch.block = {128, 1, 1};
  return launch;
}

void test::writeCudaModel(const std::string &path, const std::vector<CudaTarget> &targets) {
  Writer writer;
  ASSERT_TRUE(writer.open(path).succeeded());
  std::vector<float> c(kElements);
  for (int64_t i = 0; i < kElements; ++i)
    c[i] = i;
  uint64_t bytes = kElements * sizeof(float);
  int64_t mode = 7;
  uint32_t constant, frozen;
  ASSERT_TRUE(writer.addConstant(c.data(), bytes, constant).succeeded());
  ASSERT_TRUE(writer.addConstant(&mode, sizeof(mode), frozen).succeeded());

  Program program;
  program.arenaBytes = 2 * 4096;
  program.liveBytes = 2 * bytes;
  program.workerBytes = bytes;
  program.inputs = {{"x", ElementType::Float, {10, kElements / 10}, -1, -1},
                    {"mode", ElementType::Int64, {1}, int32_t(frozen), -1}};
  program.outputs = {{"y", ElementType::Float, {kElements}, -1, -1}};
  Argument count = Argument::integer(kElements);
  program.launches = {
      makeCudaLaunch("add", {Argument::buffer(Space::Input, 0, 0, bytes),
                             Argument::buffer(Space::Constant, constant, 0, bytes),
                             Argument::buffer(Space::Arena, 0, 0, bytes), count}),
      makeCudaLaunch("by_scratch", {Argument::buffer(Space::Arena, 0, 0, bytes),
                                    Argument::buffer(Space::Arena, 0, 4096, bytes),
                                    Argument::buffer(Space::Worker, 0, 0, bytes), count}),
      makeCudaLaunch("scale",
                     {Argument::buffer(Space::Arena, 0, 4096, bytes),
                      Argument::buffer(Space::Output, 0, 0, bytes), count, Argument::integer(3)})};
  std::vector<Program> programs;
  for (const CudaTarget &target : targets) {
    std::string text = getFakeCode(target.format, target.arch);
    CodeFormat format = target.format == "cubin" ? CodeFormat::Cubin : CodeFormat::Ptx;
    programs.push_back(program);
    programs.back().device = {"cuda", target.arch, {}};
    ASSERT_TRUE(writer
                    .addCode(format, text.data(), text.size(), {"add", "scale", "by_scratch"},
                             programs.back().codes.emplace_back())
                    .succeeded());
  }
  Status status = writer.finish(programs, "udnn test");
  ASSERT_TRUE(status.succeeded()) << status.message();
}
