//===- RowNormKernelsTest.cpp - softmax and normalization against float64 -----===//
//
// Random rows, apart from the result and in its place. UDNN_TEST_SEED repeats a run.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

using namespace udnn::test;

namespace {

enum class Kind { Softmax, LogSoftmax, LayerNorm, LayerNormWithoutBias, InstanceNorm };

struct RowCase {
  Kind kind;
  /// Instance normalization: images, channels; the others take all of them as rows.
  int64_t n, c, length;

  std::vector<int64_t> shape() const { return {n, c, length}; }
  std::vector<int64_t> vectorShape() const { return {kind == Kind::InstanceNorm ? c : length}; }
  bool hasScale() const { return kind >= Kind::LayerNorm; }
  bool hasBias() const { return hasScale() && kind != Kind::LayerNormWithoutBias; }
};

/// The operation and its textual pieces around its operands.
std::string makeOperation(const RowCase &c, const std::string &x, const std::string &v) {
  std::string names = c.hasBias() ? "%a, %s, %b" : c.hasScale() ? "%a, %s" : "%a";
  std::string types = c.hasBias() ? x + ", " + v + ", " + v : c.hasScale() ? x + ", " + v : x;
  std::string operands = llvm::formatv("ins({0} : {1}) outs(%e : {2})", names, types, x);
  switch (c.kind) {
  case Kind::Softmax:
    return "dnn.softmax " + operands + " dimension 2";
  case Kind::LogSoftmax:
    return "dnn.log_softmax " + operands + " dimension 2";
  case Kind::InstanceNorm:
    return "dnn.instance_norm " + operands + " dims [n, c, 0] epsilon 1.0e-03";
  default:
    return "dnn.layer_norm " + operands + " dimension 2 epsilon 1.0e-03 -> " + x;
  }
}

std::string makeModule(const RowCase &c) {
  std::string x = llvm::formatv("tensor<{0}x{1}x{2}xf32>", c.n, c.c, c.length);
  std::string v = llvm::formatv("tensor<{0}xf32>", c.vectorShape()[0]);
  std::string outer = "%x : " + x, names = "%x", types = x, inner = "%a: " + x;
  std::string arguments = "%x: " + x;
  for (auto [used, name, in] :
       {std::tuple(c.hasScale(), "%scale", "%s"), std::tuple(c.hasBias(), "%bias", "%b")}) {
    if (!used)
      continue;
    arguments += llvm::formatv(", {0}: {1}", name, v).str();
    names += std::string(", ") + name;
    types += ", " + v;
    inner += llvm::formatv(", {0}: {1}", in, v).str();
  }
  return llvm::formatv(R"(
func.func @main({0}) -> {1} {{
  %empty = tensor.empty() : {1}
  %y = dnn.unit "rows" ins({2} : {3}) outs(%empty : {1}) {{
  ^bb0({4}, %e: {1}):
    %r = {5}
    dnn.yield %r : {1}
  } -> {1}
  return %y : {1}
})",
                       arguments, x, names, types, inner, makeOperation(c, x, v))
      .str();
}

std::vector<double> softmax(const std::vector<double> &row, bool logarithm) {
  double largest = *std::max_element(row.begin(), row.end()), sum = 0;
  for (double x : row)
    sum += std::exp(x - largest);
  std::vector<double> out;
  for (double x : row)
    out.push_back(logarithm ? x - largest - std::log(sum) : std::exp(x - largest) / sum);
  return out;
}

std::vector<double> computeReference(const RowCase &c, const std::vector<Numbers> &inputs) {
  std::vector<double> out;
  for (int64_t r = 0; r < c.n * c.c; ++r) {
    auto begin = inputs[0].data.begin() + r * c.length;
    std::vector<double> row(begin, begin + c.length);
    if (!c.hasScale()) {
      std::vector<double> result = softmax(row, c.kind == Kind::LogSoftmax);
      out.insert(out.end(), result.begin(), result.end());
      continue;
    }
    double mean = std::accumulate(row.begin(), row.end(), 0.0) / c.length, variance = 0;
    for (double x : row)
      variance += (x - mean) * (x - mean) / c.length;
    for (int64_t i = 0; i < c.length; ++i) {
      int64_t at = c.kind == Kind::InstanceNorm ? r % c.c : i;
      double bias = c.hasBias() ? inputs[2].data[at] : 0;
      out.push_back((row[i] - mean) / std::sqrt(variance + 1e-3) * inputs[1].data[at] + bias);
    }
  }
  return out;
}

std::unique_ptr<CompiledUnit> compileRows(const RowCase &c, std::vector<Numbers> inputs,
                                          bool inPlace, int cores) {
  Request request{makeModule(c), std::move(inputs), "cpu.row_norm"};
  request.inPlace = inPlace;
  request.cores = cores;
  std::string error;
  EXPECT_EQ(listCandidates(request, error).size(), 1u) << error;
  std::unique_ptr<CompiledUnit> unit = compile(request, 0, error);
  EXPECT_TRUE(unit) << error;
  return unit;
}

TEST(RowNormKernels, Random) {
  const char *fixed = std::getenv("UDNN_TEST_SEED");
  unsigned seed = fixed ? std::atoi(fixed) : std::random_device()();
  SCOPED_TRACE("UDNN_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 40; ++i) {
    RowCase c{Kind(i % 5), 1 + int64_t(random() % 3), 1 + int64_t(random() % 40),
              8 + int64_t(random() % (i % 3 ? 60 : 1500))};
    SCOPED_TRACE(makeModule(c));
    std::vector<Numbers> inputs = {makeRandom(random, c.shape(), 3)};
    if (c.hasScale())
      inputs.push_back(makeRandom(random, c.vectorShape()));
    if (c.hasBias())
      inputs.push_back(makeRandom(random, c.vectorShape()));
    std::vector<double> reference = computeReference(c, inputs);
    auto unit = compileRows(c, inputs, /*inPlace=*/random() % 2, 1 + random() % 8);
    ASSERT_TRUE(unit);
    unit->run(1 + random() % 2);
    Numbers got = unit->getResult();
    ASSERT_EQ(got.data.size(), reference.size());
    for (size_t j = 0; j < reference.size(); ++j)
      ASSERT_NEAR(got.data[j], reference[j], 1e-5 * std::max(1.0, std::abs(reference[j]))) << j;
  }
}

/// NaN anywhere, infinity, and nothing but minus infinity make the whole row NaN; other rows stay.
TEST(RowNormKernels, NotANumber) {
  for (Kind kind : {Kind::Softmax, Kind::LogSoftmax})
    for (int64_t at : {0, 7, 31, 44}) {
      RowCase c{kind, 1, 4, 45};
      std::vector<float> x(4 * 45, 1);
      x[at] = NAN;
      x[45 + at] = INFINITY;
      std::fill(x.begin() + 90, x.begin() + 135, -INFINITY);
      auto unit = compileRows(c, {{c.shape(), x}}, /*inPlace=*/false, 2);
      ASSERT_TRUE(unit);
      unit->run(1);
      Numbers got = unit->getResult();
      for (int64_t row : {0, 1, 2})
        EXPECT_TRUE(std::isnan(got.data[row * 45 + 20])) << row << " " << at;
      EXPECT_NEAR(got.data[135], kind == Kind::Softmax ? 1.0 / 45 : -std::log(45.0), 1e-6);
    }
}

/// One element of minus infinity (a mask) is an ordinary 0.
TEST(RowNormKernels, MaskedElement) {
  RowCase c{Kind::Softmax, 1, 1, 45};
  std::vector<float> x(45, 2);
  x[44] = x[3] = -INFINITY;
  auto unit = compileRows(c, {{c.shape(), x}}, /*inPlace=*/true, 2);
  ASSERT_TRUE(unit);
  unit->run(1);
  EXPECT_EQ(unit->getResult().data[44], 0);
  EXPECT_EQ(unit->getResult().data[3], 0);
  EXPECT_NEAR(unit->getResult().data[0], 1.0 / 43, 1e-6);
}

} // namespace
