//===- CommandTest.cpp - udnn-run as a command ----------------------------===//
//
// Runs the program on a small model: what it prints, writes, and with which code it exits.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"
#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace udnn;
using namespace udnn::run;
using namespace udnn::test;

namespace {
struct Outcome {
  int code;
  /// What it printed, errors included.
  std::string text;
};

class CommandTest : public testing::Test {
protected:
  void SetUp() override { writeModel(folder.file("m.udnn")); }

  Outcome run(const std::string &arguments) {
    std::string command = std::string(UDNN_RUN) + " " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    Outcome outcome = {-1, ""};
    char buffer[4096];
    while (size_t got = fread(buffer, 1, sizeof(buffer), pipe))
      outcome.text.append(buffer, got);
    outcome.code = WEXITSTATUS(pclose(pipe));
    return outcome;
  }

  Outcome runModel(const std::string &arguments) {
    return run(folder.file("m.udnn") + " " + arguments);
  }

  void expectError(const std::string &arguments, const std::string &message) {
    Outcome outcome = runModel(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.text, "udnn-run: error: " + message + "\n");
  }

  /// Writes a float tensor that holds `f(i)`.
  template <typename F>
  std::string write(const std::string &name, std::vector<int64_t> shape, F f) {
    HostTensor tensor;
    tensor.shape = std::move(shape);
    EXPECT_TRUE(allocate(tensor).succeeded());
    for (uint64_t i = 0; i < tensor.getNumElements(); ++i)
      reinterpret_cast<float *>(tensor.data.get())[i] = f(i);
    EXPECT_TRUE(writeNpy(folder.file(name), tensor).succeeded());
    return folder.file(name);
  }

  TemporaryFolder folder;
};
} // namespace

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_F(CommandTest, RunsAndWrites) {
  std::string x = write("x.npy", {10, 100}, [](int64_t i) { return float(i % 9); });
  Outcome outcome =
      runModel("--input=x=" + x + " --output-dir=" + folder.file("out/deep") + " --threads=2");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  HostTensor y;
  Status status = readTensor(folder.file("out/deep/output_0.npy"), y);
  ASSERT_TRUE(status.succeeded()) << status.message();
  for (int64_t i = 0; i < kElements; ++i)
    ASSERT_EQ(getElement(y, i), getExpected(i % 9, i));
}

TEST_F(CommandTest, ComparesWithExpectedOutputs) {
  std::string x = write("x.npy", {10, 100}, [](int64_t) { return 4.f; });
  std::string right = write("right.npy", {kElements}, [](int64_t i) { return getExpected(4, i); });
  std::string wrong = write("wrong.npy", {kElements},
                            [](int64_t i) { return getExpected(4, i) + (i == 17 ? 5 : 0); });
  Outcome outcome = runModel("--input=x=" + x + " --expected=y=" + right);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.text, "output 'y': ok, 0 of 1000 elements differ")) << outcome.text;
  outcome = runModel("--input=x=" + x + " --expected=y=" + wrong);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.text, "output 'y': MISMATCH, 1 of 1000 elements differ; worst at "
                                     "[17]: got 57, expected 62; largest difference 5"))
      << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "error: 1 output differs from what is expected"));
  outcome = runModel("--input=x=" + x + " --expected=y=" + wrong + " --rtol=0.1");
  EXPECT_EQ(outcome.code, 0);
  outcome = runModel("--json --input=x=" + x + " --expected=y=" + wrong);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.text, "\"passed\": false"));
}

TEST_F(CommandTest, MeasuresAsJson) {
  Outcome outcome = runModel("--json --iterations=3 --profile=json --threads=1");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  for (const char *part :
       {"{\"min_ms\": ", "\"median_ms\": ", "\"iterations\": 3", "\"arena_bytes\": 8192",
        "\"threads\": 1", "\"layer\": \"layer_scale\"", "\"share\": "})
    EXPECT_TRUE(contains(outcome.text, part)) << part << " in " << outcome.text;
}

TEST_F(CommandTest, PrintsProfileAndInfo) {
  Outcome outcome = runModel("--profile");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.text, "layer_by_scratch  test.by_scratch")) << outcome.text;
  outcome = runModel("--info");
  EXPECT_EQ(outcome.code, 0);
  for (const char *part : {"arena      8.00 KiB (largest live set 7.81 KiB)", "made by udnn test",
                           "x     float  10x100", "frozen = [7]", "test.sqrt_add"})
    EXPECT_TRUE(contains(outcome.text, part)) << part << " in " << outcome.text;
  outcome = runModel("--info --json");
  EXPECT_TRUE(contains(outcome.text, "\"family\": \"test.scale\"")) << outcome.text;
}

TEST_F(CommandTest, SaysItsVersionAndOptions) {
  Outcome outcome = run("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.text, "(artifact format 1, ABI 1)")) << outcome.text;
  outcome = run("--help");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.text, "--test-data=DIR")) << outcome.text;
}

TEST_F(CommandTest, RefusesWrongInputs) {
  std::string narrow = write("narrow.npy", {10, 99}, [](int64_t) { return 0.f; });
  expectError("--input=x=" + narrow,
              "input 'x': expects float 10x100, got float 10x99 from '" + narrow + "'");
  expectError("--input=mode=" + narrow,
              "input 'mode': expects int64 1, got float 10x99 from '" + narrow + "'");
  expectError("--input=z=random:1", "no input is named 'z'; there are 'x', 'mode'");
  expectError("--expected=z=" + narrow, "no output is named 'z'; there are 'y'");
  expectError("--input=x=random:many",
              "option '--input': expects a number as seed, got 'random:many'");
  expectError("--input=x=random:-1", "option '--input': expects a number as seed, got 'random:-1'");
  expectError("--input=x=random:18446744073709551616",
              "option '--input': expects a number as seed, got 'random:18446744073709551616'");
  // A frozen input that holds another value (random integers are 0 or 1, the model's is 7).
  expectError("--input=mode=random:1", "input 'mode' was frozen when the model was compiled; it "
                                       "holds another value now");
}

TEST_F(CommandTest, RefusesOtherDevicesAndEntries) {
  expectError("--entry=train", "artifact has no entry 'train'");
  // Whether there is a GPU and a driver does not matter.
  expectError("--device=cuda:0", "the artifact holds code for cpu, none for 'cuda:0': compile it "
                                 "with --target=cuda:sm_80 or the like");
  expectError("--input=", "option '--input': expects NAME=VALUE, got ''");
  expectError("--output-dir=", "option '--output-dir': expects a value");
  Outcome outcome = runModel("--device=toaster:0");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.text, "toaster:0")) << outcome.text;
}

TEST_F(CommandTest, LeavesNoPartialOutputs) {
  writeFile(folder.file("file"), "");
  Outcome outcome = runModel("--output-dir=" + folder.file("file"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.text, folder.file("file"))) << outcome.text;
  // A full disk: files may not grow beyond 2 blocks of 512 bytes.
  std::string command = folder.file("m.udnn") + " --output-dir=" + folder.file("full");
  outcome = run(command + "; exit");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  ASSERT_EQ(remove(folder.file("full/output_0.npy").c_str()), 0);
  std::string limited = "trap '' XFSZ; ulimit -f 2; " + std::string(UDNN_RUN) + " " + command;
  writeFile(folder.file("limited.sh"), limited + "\n");
  EXPECT_NE(system(("sh " + folder.file("limited.sh") + " 2>/dev/null").c_str()), 0);
  EXPECT_NE(access(folder.file("full/output_0.npy").c_str(), F_OK), 0);
}
