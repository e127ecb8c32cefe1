//===- CUDACommandTest.cpp - udnn-run and the CUDA driver -----------------===//
//
// What udnn-run says without a driver, with one that is too old, and on a GPU.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sys/wait.h>

using namespace udnn::test;

namespace {
class CUDACommandTest : public testing::Test {
protected:
  void SetUp() override { writeCudaModel(folder.file("m.udnn"), {{"sm_90a", "cubin"}}); }

  /// Runs the model with the driver in `driverFolder` and returns what is printed.
  std::string run(const std::string &driverFolder, const std::string &arguments, int expectedCode) {
    std::string command = "LD_LIBRARY_PATH=" + driverFolder + " " + UDNN_RUN + " " +
                          folder.file("m.udnn") + " " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[4096];
    while (size_t got = fread(buffer, 1, sizeof(buffer), pipe))
      text.append(buffer, got);
    EXPECT_EQ(WEXITSTATUS(pclose(pipe)), expectedCode) << text;
    return text;
  }

  TemporaryFolder folder;
};
} // namespace

TEST_F(CUDACommandTest, SaysThatThereIsNoDriver) {
  if (findCudaFunction("cuInit"))
    GTEST_SKIP() << "this machine has the NVIDIA driver";
  EXPECT_EQ(
      run(folder.file("."), "", 1),
      "udnn-run: error: device 'cuda:0': cannot open 'libcuda.so.1': cannot open shared object "
      "file: No such file or directory; the NVIDIA driver is not installed (device 'cpu' "
      "needs none)\n");
}

TEST_F(CUDACommandTest, SaysThatTheDriverIsTooOld) {
  EXPECT_EQ(run(UDNN_OLD_CUDA, "--device=cuda", 1),
            "udnn-run: error: device 'cuda': 'libcuda.so.1' lacks the function 'cuGetErrorName'; "
            "the NVIDIA driver must support CUDA 11.4\n");
}

TEST_F(CUDACommandTest, RunsOnAGPU) {
  std::string text = run(UDNN_FAKE_CUDA, "--device=cuda:0 --profile", 0);
  EXPECT_NE(text.find("layer_by_scratch"), std::string::npos) << text;
  EXPECT_NE(text.find("iterations 1, device Fake GPU (cuda:0, sm_90), arena 8.00 KiB\n"),
            std::string::npos)
      << text;
  // The GPU is the default where there is no program for the CPU.
  text = run(UDNN_FAKE_CUDA, "--json", 0);
  EXPECT_NE(text.find("\"device_name\": \"Fake GPU (cuda:0, sm_90)\""), std::string::npos) << text;
}

TEST_F(CUDACommandTest, ShowsArtifactsWithoutDriver) {
  std::string text = run(UDNN_OLD_CUDA, "--info", 0);
  EXPECT_NE(text.find("program 0: main for cuda (sm_90a)"), std::string::npos) << text;
}
