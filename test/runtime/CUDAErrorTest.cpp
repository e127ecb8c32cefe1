//===- CUDAErrorTest.cpp - what fails on a GPU ----------------------------===//
//
// Every failure has a message that says what was done and why it failed, and leaves nothing behind.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CUDATestBase.h"

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::test;

namespace {
class CUDAErrorTest : public CUDATestBase {
protected:
  /// Loads a program for `arch` with one code blob that defines `fault` and `add`.
  void loadProgram(Program program, const std::string &text, CodeFormat format = CodeFormat::Ptx,
                   const std::string &arch = "sm_90") {
    Writer writer;
    std::string path = folder.file("program.udnn");
    ASSERT_TRUE(writer.open(path).succeeded());
    ASSERT_TRUE(writer
                    .addCode(format, text.data(), text.size(), {"add", "fault"},
                             program.codes.emplace_back())
                    .succeeded());
    program.device = {"cuda", arch, {}};
    Status status = writer.finish({program}, "test");
    ASSERT_TRUE(status.succeeded()) << status.message();
    load(path);
  }

  static Program makeProgram(const std::string &kernel, std::vector<Argument> arguments = {}) {
    Program program;
    program.launches = {makeLaunch(kernel, 1, std::move(arguments))};
    return program;
  }
};
} // namespace

TEST_F(CUDAErrorTest, DeviceNumberIsTooLarge) {
  loadModel({{"sm_90", "ptx"}});
  EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE, "cuda:2"),
            "device 'cuda:2': there are 2 GPUs, 'cuda:0' to 'cuda:1'");
  fake->deviceCount = 1;
  EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE, "cuda:1"),
            "device 'cuda:1': there is 1 GPU, 'cuda:0'");
  fake->deviceCount = 0;
  EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE, "cuda"),
            "device 'cuda': the NVIDIA driver finds no GPU");
}

TEST_F(CUDAErrorTest, DeviceNameIsWrong) {
  loadModel({{"sm_90", "ptx"}});
  for (std::string name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:12345678901234567890"})
    EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE, name.c_str()),
              "expects the number of a GPU after 'cuda:', got '" + name + "'");
  EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE, "cudas"),
            "expects device 'cpu', 'cuda' or 'cuda:N', got 'cudas'");
}

TEST_F(CUDAErrorTest, DriverDoesNotStart) {
  loadModel({{"sm_90", "ptx"}});
  fake->initResult = 100;
  EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE),
            "device 'cuda:0': the NVIDIA driver finds no GPU: CUDA_ERROR_NO_DEVICE (so says the "
            "fake)");
  fake->initResult = 999;
  EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE),
            "device 'cuda:0': the NVIDIA driver does not start: CUDA error 999");
  fake->initResult = 0;
}

TEST_F(CUDAErrorTest, CodeIsForAnotherArchitecture) {
  for (auto [arch, format] : {std::pair("sm_80", "cubin"), std::pair("sm_90a", "ptx"),
                              std::pair("sm_100", "ptx"), std::pair("sm_103f", "ptx")}) {
    loadModel({{arch, format}});
    fake->capability = arch == std::string("sm_90a") ? 100 : 90;
    EXPECT_EQ(getCreateError(UDNN_UNSUPPORTED_DEVICE),
              "artifact is for another GPU: its code for '" + std::string(arch) + "' (" + format +
                  ") does not run on Fake GPU (cuda:0, sm_" + std::to_string(fake->capability) +
                  ")");
  }
  for (std::string arch : {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "sm_99999", "znver4"}) {
    loadModel({{arch, "ptx"}});
    EXPECT_EQ(getCreateError(UDNN_INVALID_ARTIFACT),
              "expects an architecture such as 'sm_90', got '" + arch + "'");
  }
}

TEST_F(CUDAErrorTest, DriverCannotCompile) {
  loadProgram(makeProgram("fault"), "ptx sm_90\nkernel fault 0\nnonsense\n");
  EXPECT_EQ(
      getCreateError(UDNN_DEVICE_FAILED),
      "launch 0 ('layer_fault', kernel 'fault'): cannot compile the code (ptx) for 'sm_90' on "
      "Fake GPU (cuda:0, sm_90): CUDA_ERROR_INVALID_PTX (so says the fake): ptxas fake.ptx, "
      "line 3; error: unexpected 'nonsense'");
}

TEST_F(CUDAErrorTest, CodeLacksKernel) {
  loadProgram(makeProgram("fault"), "cubin sm_90\nkernel add 4\nend\n", CodeFormat::Cubin);
  EXPECT_EQ(getCreateError(UDNN_DEVICE_FAILED),
            "launch 0 ('layer_fault', kernel 'fault'): cannot find the kernel in the code: "
            "CUDA_ERROR_NOT_FOUND (so says the fake)");
}

TEST_F(CUDAErrorTest, KernelTakesOtherParameters) {
  std::string code = getFakeCode("ptx", "sm_90");
  loadProgram(makeProgram("fault", {Argument::integer(1)}), code);
  EXPECT_EQ(getCreateError(UDNN_INVALID_ARTIFACT),
            "launch 0 ('layer_fault', kernel 'fault'): expects a kernel with 1 parameters, got 0");
}

TEST_F(CUDAErrorTest, DeviceMemoryIsNotEnough) {
  loadModel({{"sm_90", "ptx"}});
  fake->memoryBytes = 4000;
  EXPECT_EQ(getCreateError(UDNN_OUT_OF_MEMORY),
            "cannot allocate 4096 bytes of device memory for constants; 4000 of 4000 bytes are "
            "free: CUDA_ERROR_OUT_OF_MEMORY (so says the fake)");
  fake->memoryBytes = 10000;
  EXPECT_EQ(getCreateError(UDNN_OUT_OF_MEMORY),
            "cannot allocate 20736 bytes of device memory for a context (arena 8192, scratch 4000, "
            "the rest inputs and outputs); 5904 of 10000 bytes are free: CUDA_ERROR_OUT_OF_MEMORY "
            "(so says the fake)");
  Program huge = makeProgram("fault");
  huge.arenaBytes = UINT64_MAX - 5;
  loadProgram(huge, getFakeCode("ptx", "sm_90"));
  EXPECT_NE(getCreateError(UDNN_OUT_OF_MEMORY).find("18446744073709551615 bytes"),
            std::string::npos);
}

TEST_F(CUDAErrorTest, LaunchFails) {
  Program program = makeProgram("fault");
  program.launches[0].block = {64, 32, 1};
  loadProgram(program, getFakeCode("ptx", "sm_90"));
  udnn_context *context = createContext();
  std::vector<int64_t> ns(1);
  const char *message =
      "launch 0 ('layer_fault', kernel 'fault'), grid 1x1x1, block 64x32x1, shared "
      "memory 0 bytes: cannot launch it: CUDA_ERROR_INVALID_VALUE (so says the "
      "fake)";
  EXPECT_EQ(udnn_context_run(context), UDNN_DEVICE_FAILED);
  EXPECT_STREQ(udnn_last_error(), message);
  EXPECT_EQ(udnn_context_run_profiled(context, 1, ns.data()), UDNN_DEVICE_FAILED);
  EXPECT_STREQ(udnn_last_error(), message);
  udnn_context_destroy(context);
  program.launches[0].grid[1] = int64_t(1) << 31;
  loadProgram(program, getFakeCode("ptx", "sm_90"));
  EXPECT_EQ(getCreateError(UDNN_INVALID_ARTIFACT),
            "launch 0 ('layer_fault', kernel 'fault'): expects a grid and block below 2^31, got "
            "2147483648 and 32");
}

TEST_F(CUDAErrorTest, KernelFaults) {
  loadProgram(makeProgram("fault"), getFakeCode("ptx", "sm_90"));
  udnn_context *context = createContext();
  std::vector<int64_t> ns(1);
  EXPECT_EQ(udnn_context_run(context), UDNN_DEVICE_FAILED);
  EXPECT_STREQ(udnn_last_error(), "cannot finish the run: a kernel or a copy failed: "
                                  "CUDA_ERROR_ILLEGAL_ADDRESS (so says the fake)");
  EXPECT_EQ(udnn_context_run_profiled(context, 1, ns.data()), UDNN_DEVICE_FAILED);
  udnn_context_destroy(context);
}

TEST_F(CUDAErrorTest, MemoryIsElsewhere) {
  loadModel({{"sm_90", "ptx"}});
  udnn_context *first = createContext(), *second = createContext("cuda:1");
  DeviceArray memory(kElements * 4);
  bindAll(second, y);
  EXPECT_EQ(udnn_context_bind_input(second, 0, memory.get(), kElements * 4), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(),
               "input 'x': expects memory of the host or of GPU 1, got memory of GPU 0");
  EXPECT_EQ(udnn_context_bind_input(first, 1, memory.get(), 8), UDNN_INVALID_ARGUMENT);
  EXPECT_STREQ(udnn_last_error(), "input 'mode': expects host memory, because the value was frozen "
                                  "and is compared");
  // What was bound before is still there.
  EXPECT_EQ(udnn_context_run(second), UDNN_OK) << udnn_last_error();
  expectRight(y.data());
  bindAll(first, y);
  EXPECT_EQ(udnn_context_run(first), UDNN_OK) << udnn_last_error();
  udnn_context_destroy(first);
  udnn_context_destroy(second);
}
