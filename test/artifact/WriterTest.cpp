//===- WriterTest.cpp - writing and reading artifacts ---------------------===//
//
// What is written is what is read, equal constants are stored once, and failures leave nothing.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include "udnn/Artifact/Reader.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::test;

/// The smallest artifact that passes all checks: a program without launches.
static Program makeEmptyProgram() {
  Program program;
  program.device = {"cpu", "generic", {}};
  return program;
}

TEST(Writer, ReadsBackWhatWasWritten) {
  TemporaryFolder folder;
  writeModel(folder.file("m.udnn"), {"sse2", "sse"});
  Reader reader;
  Status status = reader.openFile(folder.file("m.udnn"));
  ASSERT_TRUE(status.succeeded()) << status.message();
  const Artifact &artifact = reader.getArtifact();
  EXPECT_EQ(artifact.producer, "udnn test");
  ASSERT_EQ(artifact.programs.size(), 1u);
  const Program &program = artifact.programs[0];
  EXPECT_EQ(program.entry, "main");
  EXPECT_EQ(program.device.arch, "test");
  EXPECT_EQ(program.device.features, (std::vector<std::string>{"sse2", "sse"}));
  EXPECT_EQ(program.workerBytes, 64u);
  ASSERT_EQ(program.inputs.size(), 2u);
  EXPECT_EQ(program.inputs[0].shape, (std::vector<int64_t>{10, 100}));
  EXPECT_EQ(program.inputs[0].frozenConstant, -1);
  EXPECT_EQ(program.inputs[1].type, ElementType::Int64);
  EXPECT_EQ(program.inputs[1].frozenConstant, 1);
  ASSERT_EQ(program.launches.size(), 3u);
  const Launch &launch = program.launches[2];
  EXPECT_EQ(launch.kernel, "scale");
  EXPECT_EQ(launch.dependencies, std::vector<uint32_t>{1});
  ASSERT_EQ(launch.arguments.size(), 3u);
  EXPECT_EQ(launch.arguments[0].space, Space::Arena);
  EXPECT_EQ(launch.arguments[0].offset, 4096u);
  EXPECT_EQ(launch.arguments[2].kind, Argument::Kind::Integer);
  EXPECT_EQ(launch.arguments[2].value, 3);
  EXPECT_EQ(artifact.codes.at(0).symbols, getKernelSymbols());
  std::string library = getKernelLibrary();
  EXPECT_EQ(
      memcmp(reader.getSegmentData(artifact.codes[0].segment), library.data(), library.size()), 0);
}

TEST(Writer, StoresEqualConstantsOnce) {
  TemporaryFolder folder;
  Writer writer;
  ASSERT_TRUE(writer.open(folder.file("m.udnn")).succeeded());
  std::vector<float> a(100, 1), b(100, 1), c(100, 2);
  uint32_t indexA, indexB, indexC, indexPart, indexEmpty;
  ASSERT_TRUE(writer.addConstant(a.data(), 400, indexA).succeeded());
  ASSERT_TRUE(writer.addConstant(b.data(), 400, indexB).succeeded());
  ASSERT_TRUE(writer.addConstant(c.data(), 400, indexC).succeeded());
  ASSERT_TRUE(writer.addConstant(a.data(), 396, indexPart).succeeded());
  ASSERT_TRUE(writer.addConstant(nullptr, 0, indexEmpty).succeeded());
  EXPECT_EQ(indexA, indexB);
  EXPECT_NE(indexA, indexC);
  EXPECT_NE(indexA, indexPart);
  EXPECT_EQ(writer.getConstantBytes(), 400u + 400u + 396u);
  ASSERT_TRUE(writer.finish({makeEmptyProgram()}, "test").succeeded());
  Reader reader;
  ASSERT_TRUE(reader.openFile(folder.file("m.udnn")).succeeded());
  for (const Constant &constant : reader.getArtifact().constants)
    EXPECT_EQ(constant.offset % 64, 0u);
  EXPECT_EQ(memcmp(reader.getConstantData(indexC), c.data(), 400), 0);
  EXPECT_EQ(memcmp(reader.getConstantData(indexPart), a.data(), 396), 0);
  EXPECT_TRUE(reader.verifySegment(0).succeeded());
}

/// Large constants go to several segments, each with a digest of its own.
TEST(Writer, SplitsConstantsIntoSegments) {
  TemporaryFolder folder;
  Writer writer;
  ASSERT_TRUE(writer.open(folder.file("m.udnn")).succeeded());
  std::vector<uint32_t> data(3 << 20);
  uint32_t indices[4];
  for (uint32_t i = 0; i < 4; ++i) {
    data[0] = i;
    ASSERT_TRUE(writer.addConstant(data.data(), data.size() * 4, indices[i]).succeeded());
  }
  ASSERT_TRUE(writer.finish({makeEmptyProgram()}, "test").succeeded());
  Reader reader;
  ASSERT_TRUE(reader.openFile(folder.file("m.udnn")).succeeded());
  EXPECT_EQ(reader.getArtifact().segments.size(), 2u);
  for (uint32_t i = 0; i < 4; ++i) {
    data[0] = i;
    EXPECT_EQ(memcmp(reader.getConstantData(indices[i]), data.data(), data.size() * 4), 0);
  }
  for (uint32_t i = 0; i < 2; ++i)
    EXPECT_TRUE(reader.verifySegment(i).succeeded());
}

TEST(Writer, WritesTheSameBytesAgain) {
  TemporaryFolder folder;
  writeModel(folder.file("a.udnn"));
  writeModel(folder.file("b.udnn"));
  EXPECT_EQ(readFile(folder.file("a.udnn")), readFile(folder.file("b.udnn")));
}

TEST(Writer, ReplacesAnOlderFile) {
  TemporaryFolder folder;
  writeFile(folder.file("m.udnn"), "something else");
  writeModel(folder.file("m.udnn"));
  EXPECT_EQ(folder.list(), std::vector<std::string>{"m.udnn"});
  Reader reader;
  EXPECT_TRUE(reader.openFile(folder.file("m.udnn")).succeeded());
  // The file is as readable as any other that the user makes.
  struct stat info;
  ASSERT_EQ(stat(folder.file("m.udnn").c_str(), &info), 0);
  mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST(Writer, LeavesNothingWithoutFinish) {
  TemporaryFolder folder;
  {
    Writer writer;
    ASSERT_TRUE(writer.open(folder.file("m.udnn")).succeeded());
    addKernels(writer);
  }
  EXPECT_TRUE(folder.list().empty());
}

TEST(Writer, RefusesProgramsThatDoNotFit) {
  TemporaryFolder folder;
  writeFile(folder.file("m.udnn"), "older");
  Writer writer;
  ASSERT_TRUE(writer.open(folder.file("m.udnn")).succeeded());
  Program program = makeEmptyProgram();
  program.launches = {makeLaunch("k", 1, {})};
  Status status = writer.finish({program}, "test");
  EXPECT_EQ(status.message(), "cannot write '" + folder.file("m.udnn") +
                                  "': program 0: launch 0 ('layer_k'): no code of the program "
                                  "defines kernel 'k'");
  // The older file is still there, and nothing else.
  EXPECT_EQ(folder.list(), std::vector<std::string>{"m.udnn"});
  EXPECT_EQ(readFile(folder.file("m.udnn")), "older");
}

TEST(Writer, RefusesPlacesThatCannotBeWritten) {
  TemporaryFolder folder;
  Writer missing;
  EXPECT_EQ(missing.open(folder.file("no/m.udnn")).message(),
            "cannot create '" + folder.file("no/m.udnn") + "': No such file or directory");
  Writer special;
  EXPECT_EQ(special.open("/dev/null").message(), "cannot write '/dev/null': not a regular file");
  Writer directory;
  EXPECT_TRUE(directory.open(folder.file(".")).failed());
  EXPECT_TRUE(folder.list().empty());
}

TEST(Writer, LeavesNothingOnAFullDisk) {
  TemporaryFolder folder;
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  struct rlimit small = {100000, old.rlim_max};
  std::vector<char> data(200000);
  Writer writer;
  ASSERT_TRUE(writer.open(folder.file("m.udnn")).succeeded());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  uint32_t index;
  Status status = writer.addConstant(data.data(), data.size(), index);
  Status again = writer.finish({makeEmptyProgram()}, "test");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(status.message(), "cannot write '" + folder.file("m.udnn") + "': File too large");
  EXPECT_TRUE(again.failed());
  EXPECT_TRUE(folder.list().empty());
}
