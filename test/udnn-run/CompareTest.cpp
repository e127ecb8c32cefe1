//===- CompareTest.cpp - comparisons, files and options of udnn-run -------===//
//
// What counts as equal, what is written, and what command lines mean.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Options.h"
#include "TestArtifact.h"
#include "Text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace udnn;
using namespace udnn::run;

template <typename T>
static HostTensor makeTensor(ElementType type, const std::vector<T> &values) {
  HostTensor tensor;
  tensor.type = type;
  tensor.shape = {int64_t(values.size())};
  EXPECT_TRUE(allocate(tensor).succeeded());
  memcpy(tensor.data.get(), values.data(), tensor.bytes);
  return tensor;
}

static Comparison compareFloats(const std::vector<float> &output,
                                const std::vector<float> &expected, Tolerance tolerance = {}) {
  return compare(makeTensor(ElementType::Float, output), makeTensor(ElementType::Float, expected),
                 tolerance);
}

TEST(Compare, AllowsWhatTheTolerancesAllow) {
  EXPECT_EQ(compareFloats({100.5f}, {100}, {1e-2, 0}).mismatches, 0u);
  EXPECT_EQ(compareFloats({101.5f}, {100}, {1e-2, 0}).mismatches, 1u);
  EXPECT_EQ(compareFloats({1e-8f}, {0}, {0, 1e-7}).mismatches, 0u);
  EXPECT_EQ(compareFloats({1e-6f}, {0}, {0, 1e-7}).mismatches, 1u);
}

TEST(Compare, FindsTheWorstElement) {
  Comparison result = compareFloats({1, 2, 30, 4.5f}, {1, 2, 3, 4}, {0.5, 0});
  EXPECT_EQ(result.mismatches, 1u);
  EXPECT_EQ(result.worstIndex, 2u);
  EXPECT_EQ(result.output, 30);
  EXPECT_EQ(result.expected, 3);
  EXPECT_EQ(result.maxDifference, 27);
  EXPECT_EQ(result.maxExpected, 4);
}

TEST(Compare, KnowsNaNAndInfinity) {
  float nan = NAN, inf = INFINITY;
  EXPECT_EQ(compareFloats({nan, inf, -inf}, {nan, inf, -inf}).mismatches, 0u);
  EXPECT_EQ(compareFloats({nan, 1, inf, -inf}, {1, nan, -inf, 3}).mismatches, 4u);
  // A large tolerance does not make a number equal to infinity.
  EXPECT_EQ(compareFloats({1}, {inf}, {10, 10}).mismatches, 1u);
}

TEST(Compare, TakesIntegersExactly) {
  std::vector<int64_t> large = {(int64_t(1) << 60) + 1, -5};
  std::vector<int64_t> next = {int64_t(1) << 60, -5};
  HostTensor a = makeTensor(ElementType::Int64, large), b = makeTensor(ElementType::Int64, next);
  EXPECT_EQ(compare(a, b, {0, 0}).mismatches, 1u);
  EXPECT_EQ(compare(a, b, {0, 0}).maxDifference, 1);
  EXPECT_EQ(compare(a, a, {0, 0}).mismatches, 0u);
  HostTensor u = makeTensor(ElementType::Uint64, std::vector<uint64_t>{UINT64_MAX});
  HostTensor v = makeTensor(ElementType::Uint64, std::vector<uint64_t>{0});
  EXPECT_EQ(compare(u, v, {0, 0}).mismatches, 1u);
  HostTensor t = makeTensor(ElementType::Bool, std::vector<uint8_t>{1, 0});
  HostTensor f = makeTensor(ElementType::Bool, std::vector<uint8_t>{1, 1});
  EXPECT_EQ(compare(t, f, {}).mismatches, 1u);
  // A tolerance must be asked for.
  EXPECT_EQ(compare(a, b, {}).mismatches, 1u);
  EXPECT_EQ(compare(a, b, {1e-3, std::nullopt}).mismatches, 0u);
  EXPECT_EQ(compare(a, b, {std::nullopt, 1}).mismatches, 0u);
  HostTensor i = makeTensor(ElementType::Int32, std::vector<int32_t>{100000});
  HostTensor j = makeTensor(ElementType::Int32, std::vector<int32_t>{100001});
  EXPECT_EQ(compare(i, j, {}).mismatches, 1u);
}

TEST(Compare, ReadsSmallFloats) {
  HostTensor half = makeTensor(ElementType::Float16,
                               std::vector<uint16_t>{0x3c00, 0xc000, 1, 0x7c00, 0x7e00, 0x8000});
  EXPECT_EQ(getElement(half, 0), 1);
  EXPECT_EQ(getElement(half, 1), -2);
  EXPECT_EQ(getElement(half, 2), std::ldexp(1, -24));
  EXPECT_EQ(getElement(half, 3), INFINITY);
  EXPECT_TRUE(std::isnan(getElement(half, 4)));
  EXPECT_TRUE(std::signbit(getElement(half, 5)));
  HostTensor brain = makeTensor(ElementType::BFloat16, std::vector<uint16_t>{0x3f80, 0xc040});
  EXPECT_EQ(getElement(brain, 0), 1);
  EXPECT_EQ(getElement(brain, 1), -3);
}

TEST(Compare, NamesCoordinates) {
  EXPECT_EQ(formatIndex({2, 3, 4}, 23), "[1, 2, 3]");
  EXPECT_EQ(formatIndex({2, 3, 4}, 5), "[0, 1, 1]");
  EXPECT_EQ(formatIndex({}, 0), "[]");
}

/// Random values are the same for a seed, in range, and not all equal.
TEST(HostTensor, FillsBySeed) {
  for (int number = 1; number <= 16; ++number) {
    HostTensor a, b, c;
    if (artifact::getElementSize(ElementType(number)) == 0)
      continue;
    for (HostTensor *tensor : {&a, &b, &c}) {
      tensor->type = ElementType(number);
      tensor->shape = {1000};
      ASSERT_TRUE(allocate(*tensor).succeeded());
    }
    fillRandom(a, 1);
    fillRandom(b, 1);
    fillRandom(c, 2);
    EXPECT_EQ(memcmp(a.data.get(), b.data.get(), a.bytes), 0);
    EXPECT_NE(memcmp(a.data.get(), c.data.get(), a.bytes), 0);
    double least = 2, most = -2, sum = 0;
    for (int i = 0; i < 1000; ++i) {
      double value = getElement(a, i);
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
    bool isFloat = least < 0;
    EXPECT_EQ(isFloat, number == 1 || number == 10 || number == 11 || number == 16) << number;
    EXPECT_GE(least, -1);
    EXPECT_LE(most, 1);
    EXPECT_NEAR(sum / 1000, isFloat ? 0 : 0.5, 0.1) << number;
  }
}

TEST(HostTensor, WritesWhatItReads) {
  test::TemporaryFolder folder;
  for (int number = 1; number <= 16; ++number) {
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {7}, {2, 3, 5}, {0, 4}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}}) {
      HostTensor tensor, read;
      tensor.type = ElementType(number);
      tensor.shape = shape;
      if (artifact::getElementSize(tensor.type) == 0)
        continue;
      ASSERT_TRUE(allocate(tensor).succeeded());
      fillRandom(tensor, 3);
      ASSERT_TRUE(writeNpy(folder.file("t.npy"), tensor).succeeded());
      Status status = readTensor(folder.file("t.npy"), read);
      ASSERT_TRUE(status.succeeded()) << status.message();
      EXPECT_EQ(read.type, tensor.type);
      EXPECT_EQ(read.shape, tensor.shape);
      EXPECT_EQ(memcmp(read.data.get(), tensor.data.get(), tensor.bytes), 0);
    }
  }
}

static Status parse(const std::vector<const char *> &arguments, Options &options) {
  std::vector<const char *> all = {"udnn-run"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return parseOptions(all.size(), all.data(), options);
}

TEST(Options, TakeBothForms) {
  Options options;
  Status status = parse({"m.udnn", "--input", "a=b=x.npy", "--input=y=random:3", "--rtol", "1e-2",
                         "--profile", "--warmup=0", "--json"},
                        options);
  ASSERT_TRUE(status.succeeded()) << status.message();
  EXPECT_EQ(options.artifact, "m.udnn");
  ASSERT_EQ(options.inputs.size(), 2u);
  EXPECT_EQ(options.inputs[0].name, "a=b");
  EXPECT_EQ(options.inputs[0].value, "x.npy");
  EXPECT_EQ(options.inputs[1].value, "random:3");
  EXPECT_EQ(options.tolerance.relative, 1e-2);
  EXPECT_EQ(options.profile, Profile::Table);
  EXPECT_EQ(options.warmup, 0u);
  EXPECT_TRUE(options.json);
}

TEST(Options, RefuseWhatTheyDoNotKnow) {
  const std::pair<std::vector<const char *>, const char *> cases[] = {
      {{}, "expects an artifact; see --help"},
      {{"a", "b"}, "expects one artifact, got 'a' and 'b'"},
      {{"a", "--frobnicate"}, "unknown option '--frobnicate'; see --help"},
      {{"a", "-x"}, "unknown option '-x'; see --help"},
      {{"a", "--json=1"}, "option '--json' takes no value"},
      {{"a", "--threads"}, "option '--threads' needs a value: N"},
      {{"a", "--threads=0"}, "option '--threads': expects a number from 1 to 2147483647, got '0'"},
      {{"a", "--iterations=x"},
       "option '--iterations': expects a number from 1 to 2147483647, got 'x'"},
      {{"a", "--warmup=2147483648"},
       "option '--warmup': expects a number from 0 to 2147483647, got '2147483648'"},
      {{"a", "--rtol=-1"}, "option '--rtol': expects a number of at least 0, got '-1'"},
      {{"a", "--input=x"}, "option '--input': expects NAME=VALUE, got 'x'"},
      {{"a", "--profile=xml"}, "option '--profile': expects 'table' or 'json', got 'xml'"},
      {{"a", "--output-dir="}, "option '--output-dir': expects a value"},
  };
  for (const auto &[arguments, message] : cases) {
    Options options;
    EXPECT_EQ(parse(arguments, options).message(), message);
  }
}

TEST(Text, AlignsColumns) {
  EXPECT_EQ(formatTable({{"a", ">number"}, {"long name", "1"}, {"ü", "22"}}, 1),
            " a          number\n long name       1\n ü              22\n");
}

TEST(Text, QuotesJson) {
  EXPECT_EQ(quoteJson("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
  EXPECT_EQ(numberJson(NAN), "null");
  JsonList list = jsonArray();
  list.add("1");
  list.add("2");
  EXPECT_EQ(list.str(), "[1, 2]");
}
