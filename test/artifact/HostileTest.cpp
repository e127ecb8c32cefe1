//===- HostileTest.cpp - artifacts that are damaged or wrong --------------===//
//
// Truncated files, flipped bits, wrong versions, and numbers that do not fit together: each gives a
// message, none a crash.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include "Header.h"
#include "udnn-c/udnn.h"
#include "udnn/Artifact/Reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <sys/stat.h>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::test;

namespace {
/// Bytes of an artifact at an aligned address that ends where its memory ends, so that the
/// address sanitizer sees every step beyond.
class Image {
public:
  explicit Image(const std::string &bytes) : size(bytes.size()) {
    EXPECT_EQ(posix_memalign(&data, 64, std::max<size_t>(size, 1)), 0);
    memcpy(data, bytes.data(), size);
  }
  ~Image() { free(data); }

  /// The message of loading it, or an empty text.
  std::string open() {
    Reader reader;
    return reader.openMemory(data, size).message();
  }

  void *data = nullptr;
  size_t size;
};

class HostileTest : public testing::Test {
protected:
  void SetUp() override {
    writeModel(folder.file("m.udnn"));
    bytes = readFile(folder.file("m.udnn"));
    memcpy(&header, bytes.data(), sizeof(header));
  }

  /// Puts the header back with its digest.
  void setHeader() {
    header.headerDigest = getDigest(&header, offsetof(Header, headerDigest));
    memcpy(bytes.data(), &header, sizeof(header));
  }

  TemporaryFolder folder;
  std::string bytes;
  Header header;
};
} // namespace

TEST_F(HostileTest, IsIntactToBeginWith) { EXPECT_EQ(Image(bytes).open(), ""); }

TEST_F(HostileTest, RefusesTruncatedFiles) {
  // Every length within the header and around the ends of sections, and some in between.
  std::vector<size_t> lengths;
  for (size_t i = 0; i < 80; ++i)
    lengths.push_back(i);
  for (size_t i = 80; i < bytes.size(); i += 97)
    lengths.push_back(i);
  for (size_t end : {size_t(4096), size_t(8192), size_t(header.metadataOffset), bytes.size()})
    for (size_t i = end - 2; i < end + 2 && i < bytes.size(); ++i)
      lengths.push_back(i);
  for (size_t length : lengths)
    EXPECT_NE(Image(bytes.substr(0, length)).open(), "") << length << " bytes";
  EXPECT_EQ(Image(bytes.substr(0, 7)).open(), "not a udnn artifact");
  EXPECT_EQ(Image(bytes.substr(0, 40)).open(), "header is truncated");
  std::string text = "expects " + std::to_string(bytes.size()) + " bytes, got 5000 (truncated)";
  EXPECT_EQ(Image(bytes.substr(0, 5000)).open(), text);
  EXPECT_NE(Image(bytes + "x").open(), "");
}

TEST_F(HostileTest, RefusesFilesThatAreNone) {
  Reader reader;
  writeFile(folder.file("empty"), "");
  EXPECT_EQ(reader.openFile(folder.file("empty")).message(),
            "'" + folder.file("empty") + "': file is empty");
  writeFile(folder.file("text"), std::string(100, 'a'));
  EXPECT_EQ(reader.openFile(folder.file("text")).message(),
            "'" + folder.file("text") + "': not a udnn artifact");
  EXPECT_EQ(reader.openFile(folder.file("none")).message(),
            "cannot open '" + folder.file("none") + "': No such file or directory");
  EXPECT_EQ(reader.openFile(folder.file(".")).message(),
            "cannot open '" + folder.file(".") + "': not a regular file");
  // Nobody writes to the pipe; it is not waited for.
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(reader.openFile(folder.file("pipe")).message(),
            "cannot open '" + folder.file("pipe") + "': not a regular file");
}

/// Number of mappings of the file `name` that this process holds.
static int countMappings(const std::string &name) {
  std::string maps = readFile("/proc/self/maps");
  int count = 0;
  for (size_t at = maps.find(name); at != std::string::npos; at = maps.find(name, at + 1))
    ++count;
  return count;
}

TEST_F(HostileTest, GivesBackTheFileBefore) {
  Reader reader;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(reader.openFile(folder.file("m.udnn")).succeeded());
    EXPECT_EQ(countMappings(folder.file("m.udnn")), 1);
  }
}

TEST_F(HostileTest, RefusesOtherVersions) {
  header.formatVersion = kFormatVersion + 1;
  setHeader();
  EXPECT_EQ(Image(bytes).open(), "expects format version 1, got 2 (made by a newer udnn)");
  header.formatVersion = 0;
  setHeader();
  EXPECT_EQ(Image(bytes).open(), "expects format version 1, got 0 (compile it again)");
  header.formatVersion = kFormatVersion;
  header.abiVersion = kAbiVersion + 1;
  setHeader();
  EXPECT_EQ(Image(bytes).open(), "expects ABI version 1, got 2 (made by a newer udnn)");
}

TEST_F(HostileTest, RefusesMetadataOutsideTheFile) {
  Header good = header;
  for (uint64_t offset : {uint64_t(0), uint64_t(63), uint64_t(bytes.size() + 4096) / 4096 * 4096,
                          UINT64_MAX / 4096 * 4096}) {
    header.metadataOffset = offset;
    setHeader();
    EXPECT_EQ(Image(bytes).open(), "metadata lies outside the file") << offset;
  }
  header = good;
  header.metadataBytes = UINT64_MAX - 10;
  setHeader();
  EXPECT_EQ(Image(bytes).open(), "metadata lies outside the file");
  header.metadataBytes = 0;
  header.metadataDigest = getDigest(nullptr, 0);
  setHeader();
  EXPECT_EQ(Image(bytes).open(), "metadata is not well-formed");
}

/// A flipped bit is found, or lies in padding and changes nothing.
TEST_F(HostileTest, FindsFlippedBits) {
  unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  std::vector<float> x(kElements, 9), y(kElements);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    size_t at = random() % bytes.size();
    std::string damaged = bytes;
    damaged[at] ^= 1 << random() % 8;
    Image image(damaged);
    udnn_model *model = nullptr;
    udnn_context *context = nullptr;
    if (udnn_model_load_memory(image.data, image.size, &model) ||
        udnn_context_create(model, 0, "cpu", 1, &context)) {
      EXPECT_STRNE(udnn_last_error(), "");
      ++found;
    } else {
      udnn_context_bind_input(context, 0, x.data(), kElements * 4);
      udnn_context_bind_output(context, 0, y.data(), kElements * 4);
      EXPECT_EQ(udnn_context_run(context), UDNN_OK) << udnn_last_error();
      for (int64_t e = 0; e < kElements; ++e)
        ASSERT_EQ(y[e], getExpected(9, e)) << "byte " << at << ", seed " << seed;
    }
    udnn_context_destroy(context);
    udnn_model_destroy(model);
  }
  EXPECT_GT(found, 0) << "seed " << seed;
}

/// Metadata that is damaged and carries a digest that fits never makes the reader crash.
TEST_F(HostileTest, SurvivesForgedMetadata) {
  unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  std::string good = bytes;
  for (int i = 0; i < 3000; ++i) {
    bytes = good;
    char *metadata = bytes.data() + header.metadataOffset;
    for (unsigned flips = 1 + random() % 4; flips != 0; --flips) {
      size_t at = random() % header.metadataBytes;
      metadata[at] = random() % 3 == 0 ? char(random()) : metadata[at] ^ (1 << random() % 8);
    }
    header.metadataDigest = getDigest(metadata, header.metadataBytes);
    setHeader();
    Image image(bytes);
    udnn_model *model = nullptr;
    udnn_program_info program;
    if (udnn_model_load_memory(image.data, image.size, &model) == UDNN_OK) {
      EXPECT_EQ(udnn_model_get_program(model, 0, &program), UDNN_OK) << "seed " << seed;
    }
    udnn_model_destroy(model);
  }
}

TEST_F(HostileTest, SaysWhichSegmentIsDamaged) {
  // The first constant starts the first segment.
  bytes[4096 + 5] ^= 4;
  Image image(bytes);
  udnn_model *model = nullptr;
  udnn_context *context = nullptr;
  ASSERT_EQ(udnn_model_load_memory(image.data, image.size, &model), UDNN_OK);
  EXPECT_EQ(udnn_context_create(model, 0, "cpu", 1, &context), UDNN_INVALID_ARTIFACT);
  EXPECT_STREQ(udnn_last_error(), "segment 0 is damaged");
  udnn_model_destroy(model);
}

//===----------------------------------------------------------------------===//
// Numbers that do not fit together
//===----------------------------------------------------------------------===//

namespace {
struct Mutation {
  const char *message;
  std::function<void(Artifact &)> apply;
};
} // namespace

static Program &program(Artifact &a) { return a.programs[0]; }
static Argument &argument(Artifact &a) { return a.programs[0].launches[0].arguments[0]; }

static const Mutation kMutations[] = {
    {"segment 0: expects an offset that is a positive multiple of 4096, got 100",
     [](Artifact &a) { a.segments[0].offset = 100; }},
    {"segment 1: overlaps the segment before it",
     [](Artifact &a) { a.segments[1].offset = a.segments[0].offset; }},
    {"segment 1: 18446744073709551615 bytes at offset 8192 do not fit into 1048576 bytes",
     [](Artifact &a) { a.segments[1].size = UINT64_MAX; }},
    {"constant 0: expects one of 2 segments, got number 7",
     [](Artifact &a) { a.constants[0].segment = 7; }},
    {"constant 0: expects an offset that is a multiple of 64, got 4",
     [](Artifact &a) { a.constants[0].offset = 4; }},
    {"constant 0: 4000 bytes at offset 18446744073709551552 do not fit into 4040 bytes",
     [](Artifact &a) { a.constants[0].offset = UINT64_MAX - 63; }},
    {"code 0: unknown format 9", [](Artifact &a) { a.codes[0].format = CodeFormat(9); }},
    {"code 0: expects one of 2 segments, got number 2",
     [](Artifact &a) { a.codes[0].segment = 2; }},
    {"artifact holds no program", [](Artifact &a) { a.programs.clear(); }},
    {"program 0: expects device kind 'cpu' or 'cuda', got 'abacus'",
     [](Artifact &a) { program(a).device.kind = "abacus"; }},
    {"program 0: expects one of 1 code blobs, got number 1",
     [](Artifact &a) { program(a).codes = {1}; }},
    {"program 0: input 'x': unknown element type 8",
     [](Artifact &a) { program(a).inputs[0].type = ElementType(8); }},
    {"program 0: input 'x': shape -1x4 has a negative or too large dimension",
     [](Artifact &a) { program(a).inputs[0].shape = {-1, 4}; }},
    {"program 0: input 'x': shape 4294967296x4294967296 has a negative or too large dimension",
     [](Artifact &a) { program(a).inputs[0].shape = {int64_t(1) << 32, int64_t(1) << 32}; }},
    {"program 0: two inputs are named 'x'", [](Artifact &a) { program(a).inputs[1].name = "x"; }},
    {"program 0: input 'mode': expects 16 bytes of frozen value, got 8",
     [](Artifact &a) { program(a).inputs[1].shape = {2}; }},
    {"program 0: input 'mode': expects one of 2 constants as frozen value, got number 2",
     [](Artifact &a) { program(a).inputs[1].frozenConstant = 2; }},
    {"program 0: output 'y': an output cannot be frozen",
     [](Artifact &a) { program(a).outputs[0].frozenConstant = 0; }},
    {"program 0: output 'y': aliasing is not supported by this version",
     [](Artifact &a) { program(a).outputs[0].aliasedInput = 0; }},
    {"program 0: launch 0 ('layer_sqrt_add'): no code of the program defines kernel 'system'",
     [](Artifact &a) { program(a).launches[0].kernel = "system"; }},
    {"program 0: launch 0 ('layer_sqrt_add'): expects a grid without negative sizes, got -1x1x1",
     [](Artifact &a) { program(a).launches[0].grid[0] = -1; }},
    {"program 0: launch 0 ('layer_sqrt_add'): expects a grid of one dimension, got 1000x2x1",
     [](Artifact &a) { program(a).launches[0].grid[1] = 2; }},
    {"program 0: launch 0 ('layer_sqrt_add'): expects a block of positive sizes, got 1x0x1",
     [](Artifact &a) { program(a).launches[0].block[1] = 0; }},
    {"program 0: launch 1 ('layer_by_scratch'): depends on launch 1, which does not come before it",
     [](Artifact &a) { program(a).launches[1].dependencies = {1}; }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 0: unknown kind 5",
     [](Artifact &a) { argument(a).kind = Argument::Kind(5); }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 0: tensor maps are not supported by this "
     "version",
     [](Artifact &a) { argument(a).kind = Argument::Kind::TensorMap; }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 0: unknown memory space 5",
     [](Artifact &a) { argument(a).space = Space(5); }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 0: expects an index below 2, got 2",
     [](Artifact &a) { argument(a).index = 2; }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 0: 4000 bytes at offset 4 do not fit into "
     "4000 bytes",
     [](Artifact &a) { argument(a).offset = 4; }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 0: 4000 bytes at offset "
     "18446744073709551612 do not fit into 4000 bytes",
     [](Artifact &a) { argument(a).offset = UINT64_MAX - 3; }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 1: expects an index below 2, got 2",
     [](Artifact &a) { program(a).launches[0].arguments[1].index = 2; }},
    {"program 0: launch 0 ('layer_sqrt_add'): argument 2: 4000 bytes at offset 0 do not fit into "
     "3999 bytes",
     [](Artifact &a) { program(a).arenaBytes = 3999; }},
    {"program 0: launch 1 ('layer_by_scratch'): argument 2: 64 bytes at offset 0 do not fit into "
     "0 bytes",
     [](Artifact &a) { program(a).workerBytes = 0; }},
    {"program 0: launch 2 ('layer_scale'): argument 1: expects an index below 1, got 1",
     [](Artifact &a) { program(a).launches[2].arguments[1].index = 1; }},
};

TEST_F(HostileTest, RefusesNumbersThatDoNotFit) {
  Reader reader;
  ASSERT_TRUE(reader.openFile(folder.file("m.udnn")).succeeded());
  for (const Mutation &mutation : kMutations) {
    Artifact artifact = reader.getArtifact();
    ASSERT_TRUE(check(artifact, 1 << 20).succeeded());
    mutation.apply(artifact);
    EXPECT_EQ(check(artifact, 1 << 20).message(), mutation.message);
  }
}
