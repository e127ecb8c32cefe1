//===- PoolKernelsTest.cpp - pooling against float64 -------------------------===//
//
// Random pooling windows, with padding, ceil mode and dilation. UDNN_TEST_SEED repeats a run.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

using namespace udnn::test;

namespace {

struct PoolCase {
  int64_t n, c, h, w, r, s, strideH, strideW, top, left, bottom, right, dilationH, dilationW;
  bool average, countPadding, ceil;

  int64_t size(int64_t in, int64_t pads, int64_t window, int64_t stride, int64_t begin) const {
    int64_t reach = in + pads - window;
    if (reach < 0) // In ceil mode the only window may stick out.
      return ceil && reach > -stride;
    int64_t out = reach / stride + 1;
    // The last window of ceil mode starts inside the input or the padding before it.
    if (ceil && reach % stride && out * stride < in + begin)
      ++out;
    return out;
  }
  int64_t oh() const { return size(h, top + bottom, (r - 1) * dilationH + 1, strideH, top); }
  int64_t ow() const { return size(w, left + right, (s - 1) * dilationW + 1, strideW, left); }
  bool valid() const {
    return oh() > 0 && ow() > 0 && top < r && bottom < r && left < s && right < s;
  }
  std::string str() const {
    return llvm::formatv(
               "{0} n{1} c{2} {3}x{4} window {5}x{6} stride {7},{8} pads {9},{10},{11},{12} "
               "dilation {13},{14} count {15} ceil {16}",
               average ? "average" : "max", n, c, h, w, r, s, strideH, strideW, top, left, bottom,
               right, dilationH, dilationW, countPadding, ceil)
        .str();
  }
};

std::string makeModule(const PoolCase &c) {
  std::string in = llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", c.n, c.c, c.h, c.w);
  std::string out = llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", c.n, c.c, c.oh(), c.ow());
  return llvm::formatv(R"(
func.func @main(%x: {0}) -> {1} {{
  %e = tensor.empty() : {1}
  %y = dnn.unit "pool" ins(%x : {0}) outs(%e : {1}) {{
  ^bb0(%a: {0}, %b: {1}):
    %r = dnn.{2}_pool ins(%a : {0}) outs(%b : {1}) dims [n, c, 0, 1] window [{3}, {4}]
         strides [{5}, {6}] pads [{7}, {8}, {9}, {10}] dilations [{11}, {12}] {13}
    dnn.yield %r : {1}
  } -> {1}
  return %y : {1}
})",
                       in, out, c.average ? "avg" : "max", c.r, c.s, c.strideH, c.strideW, c.top,
                       c.left, c.bottom, c.right, c.dilationH, c.dilationW,
                       c.average ? (c.countPadding ? "{count_include_pad}" : "") : "-> " + out)
      .str();
}

std::vector<double> computeReference(const PoolCase &c, const Numbers &x) {
  std::vector<double> out;
  for (int64_t plane = 0; plane < c.n * c.c; ++plane)
    for (int64_t oh = 0; oh < c.oh(); ++oh)
      for (int64_t ow = 0; ow < c.ow(); ++ow) {
        double sum = 0, largest = -INFINITY;
        int64_t inside = 0, padded = 0;
        for (int64_t r = 0; r < c.r; ++r)
          for (int64_t s = 0; s < c.s; ++s) {
            int64_t ih = oh * c.strideH + r * c.dilationH - c.top;
            int64_t iw = ow * c.strideW + s * c.dilationW - c.left;
            padded += ih < c.h + c.bottom && iw < c.w + c.right;
            if (ih < 0 || ih >= c.h || iw < 0 || iw >= c.w)
              continue;
            double value = x.data[(plane * c.h + ih) * c.w + iw];
            sum += value;
            largest = std::isnan(value) || std::isnan(largest) ? NAN : std::max(largest, value);
            ++inside;
          }
        // The average of no elements is 0.
        int64_t count = std::max<int64_t>(c.countPadding ? padded : inside, 1);
        out.push_back(c.average ? sum / count : largest);
      }
  return out;
}

PoolCase makeCase(std::mt19937 &random) {
  auto pick = [&](std::vector<int64_t> values) { return values[random() % values.size()]; };
  PoolCase c;
  do {
    c.n = pick({1, 1, 2});
    c.c = pick({4, 8, 13, 16, 40});
    c.h = 1 + random() % 20, c.w = 1 + random() % 30;
    c.r = pick({1, 2, 3, 5}), c.s = random() % 2 ? c.r : pick({1, 2, 3, 9});
    c.strideH = pick({1, 2, 3}), c.strideW = pick({1, 2, 3});
    c.top = random() % 3, c.left = random() % 3, c.bottom = random() % 3, c.right = random() % 3;
    c.dilationH = pick({1, 1, 2}), c.dilationW = pick({1, 1, 2});
    c.average = random() % 2, c.countPadding = random() % 2, c.ceil = random() % 2;
    if (random() % 5 == 0) {
      c.r = c.h, c.s = c.w, c.top = c.left = c.bottom = c.right = 0, c.dilationH = c.dilationW = 1;
    }
  } while (!c.valid());
  return c;
}

TEST(PoolKernels, Random) {
  const char *fixed = std::getenv("UDNN_TEST_SEED");
  unsigned seed = fixed ? std::atoi(fixed) : std::random_device()();
  SCOPED_TRACE("UDNN_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 40; ++i) {
    PoolCase c = makeCase(random);
    SCOPED_TRACE(c.str());
    Request request{makeModule(c), {makeRandom(random, {c.n, c.c, c.h, c.w})}, "cpu.pool"};
    request.cores = 1 + random() % 8;
    std::string error;
    ASSERT_EQ(listCandidates(request, error).size(), 1u) << error;
    auto unit = compile(request, 0, error);
    ASSERT_TRUE(unit) << error;
    unit->run(1 + random() % 2);
    Numbers got = unit->getResult();
    std::vector<double> reference = computeReference(c, request.inputs[0]);
    for (size_t j = 0; j < reference.size(); ++j) {
      bool same = got.data[j] == reference[j] || std::abs(got.data[j] - reference[j]) <= 1e-5 ||
                  (std::isnan(got.data[j]) && std::isnan(reference[j]));
      ASSERT_TRUE(same) << j << ": " << got.data[j] << " instead of " << reference[j];
    }
  }
}

TEST(LrnKernels, Random) {
  const char *fixed = std::getenv("UDNN_TEST_SEED");
  unsigned seed = fixed ? std::atoi(fixed) : std::random_device()();
  SCOPED_TRACE("UDNN_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 15; ++i) {
    int64_t n = 1 + random() % 2, c = 1 + random() % 40, h = 1 + random() % 6, w = 1 + random() % 9;
    int64_t size = 1 + random() % 7;
    double beta = (2 + random() % 3) * 0.25, alpha = 0.3, bias = 1.5;
    std::string type = llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", n, c, h, w);
    std::string module = llvm::formatv(R"(
func.func @main(%x: {0}) -> {0} {{
  %e = tensor.empty() : {0}
  %y = dnn.unit "lrn" ins(%x : {0}) outs(%e : {0}) {{
  ^bb0(%a: {0}, %b: {0}):
    %r = dnn.lrn ins(%a : {0}) outs(%b : {0}) dims [n, c, 0, 1] size {1} alpha 0.3 beta {2:F2} bias 1.5
    dnn.yield %r : {0}
  } -> {0}
  return %y : {0}
})",
                                       type, size, beta);
    SCOPED_TRACE(module);
    Request request{module, {makeRandom(random, {n, c, h, w})}, "cpu.lrn"};
    std::string error;
    ASSERT_EQ(listCandidates(request, error).size(), 1u) << error;
    auto unit = compile(request, 0, error);
    ASSERT_TRUE(unit) << error;
    unit->run(1 + random() % 2);
    Numbers got = unit->getResult();
    const std::vector<float> &x = request.inputs[0].data;
    for (int64_t at = 0; at < n * c * h * w; ++at) {
      int64_t channel = at / (h * w) % c;
      double sum = 0;
      for (int64_t i = channel - (size - 1) / 2; i <= channel + size / 2; ++i)
        if (i >= 0 && i < c)
          sum += std::pow(x[at + (i - channel) * h * w], 2);
      ASSERT_NEAR(got.data[at], x[at] / std::pow(bias + alpha / size * sum, beta), 1e-5) << at;
    }
  }
}

/// NaN wins over numbers, wherever it stands in the window.
TEST(PoolKernels, MaximumOfNaN) {
  PoolCase c{1, 8, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, 1, 1, false, false, false};
  for (int at = 0; at < 4; ++at) {
    Numbers x{{1, 8, 2, 2}, std::vector<float>(32, 1)};
    x.data[at] = NAN;
    Request request{makeModule(c), {x}, "cpu.pool"};
    std::string error;
    auto unit = compile(request, 0, error);
    ASSERT_TRUE(unit) << error;
    unit->run(1);
    EXPECT_TRUE(std::isnan(unit->getResult().data[0])) << at;
    EXPECT_EQ(unit->getResult().data[1], 1);
  }
}

} // namespace
