//===- TestArtifact.cpp - artifacts for tests -----------------------------===//
//
// Builds small artifacts from the kernels in kernels.c.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace udnn;
using namespace udnn::artifact;

test::TemporaryFolder::TemporaryFolder() {
  std::string pattern = testing::TempDir() + "udnn-test-XXXXXX";
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path = pattern;
}

test::TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::vector<std::string> test::TemporaryFolder::list() const {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(path))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string test::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

void test::writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  ASSERT_TRUE(file.flush()) << path;
}

std::string test::getKernelLibrary() { return readFile(UDNN_TEST_KERNELS); }

std::vector<std::string> test::getKernelSymbols() {
  return {"sqrt_add", "scale", "by_scratch", "count", "nothing"};
}

uint32_t test::addKernels(Writer &writer) {
  std::string library = getKernelLibrary();
  uint32_t code = 0;
  Status status =
      writer.addCode(CodeFormat::Elf, library.data(), library.size(), getKernelSymbols(), code);
  EXPECT_TRUE(status.succeeded()) << status.message();
  return code;
}

Launch test::makeLaunch(const std::string &kernel, int64_t tasks, std::vector<Argument> arguments) {
  Launch launch;
  launch.kernel = kernel;
  launch.layer = "layer_" + kernel;
  launch.family = "test." + kernel;
  launch.grid[0] = tasks;
  launch.arguments = std::move(arguments);
  return launch;
}

void test::writeModel(const std::string &path, const std::vector<std::string> &features) {
  Writer writer;
  Status status = writer.open(path);
  ASSERT_TRUE(status.succeeded()) << status.message();
  std::vector<float> c(kElements);
  for (int64_t i = 0; i < kElements; ++i)
    c[i] = i;
  uint64_t bytes = kElements * sizeof(float);
  int64_t mode = 7;
  uint32_t constant, frozen;
  ASSERT_TRUE(writer.addConstant(c.data(), bytes, constant).succeeded());
  ASSERT_TRUE(writer.addConstant(&mode, sizeof(mode), frozen).succeeded());

  Program program;
  program.device = {"cpu", "test", features};
  program.arenaBytes = 2 * 4096;
  program.liveBytes = 2 * bytes;
  program.workerBytes = 64;
  program.inputs = {{"x", ElementType::Float, {10, kElements / 10}, -1, -1},
                    {"mode", ElementType::Int64, {1}, int32_t(frozen), -1}};
  program.outputs = {{"y", ElementType::Float, {kElements}, -1, -1}};
  program.codes = {addKernels(writer)};
  program.launches = {
      makeLaunch("sqrt_add", kElements,
                 {Argument::buffer(Space::Input, 0, 0, bytes),
                  Argument::buffer(Space::Constant, constant, 0, bytes),
                  Argument::buffer(Space::Arena, 0, 0, bytes)}),
      makeLaunch("by_scratch", kElements,
                 {Argument::buffer(Space::Arena, 0, 0, bytes),
                  Argument::buffer(Space::Arena, 0, 4096, bytes),
                  Argument::buffer(Space::Worker, 0, 0, 64)}),
      makeLaunch("scale", kElements,
                 {Argument::buffer(Space::Arena, 0, 4096, bytes),
                  Argument::buffer(Space::Output, 0, 0, bytes), Argument::integer(3)})};
  program.launches[1].dependencies = {0};
  program.launches[2].dependencies = {1};
  status = writer.finish({program}, "udnn test");
  ASSERT_TRUE(status.succeeded()) << status.message();
}

float test::getExpected(float x, int64_t i) { return (std::sqrt(x) + float(i)) * 3; }
