//===- ConvKernelsTest.cpp - convolution families against float64 ------------===//
//
// Random convolutions through every candidate of every convolution family, with epilogues, on
// poisoned memory. UDNN_TEST_SEED repeats a run, UDNN_TEST_CASES sets the number of cases.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

using namespace udnn::test;

namespace {

enum Epilogue { None, Bias, BiasRelu, Residual, Clip, Leaky, Swish, Scale, NumEpilogues };

struct ConvCase {
  int64_t n = 1, c = 8, h = 8, w = 8, k = 8, r = 3, s = 3;
  int64_t strideH = 1, strideW = 1, top = 1, left = 1, bottom = 1, right = 1;
  int64_t dilationH = 1, dilationW = 1, groups = 1;
  int epilogue = None;

  int64_t oh() const { return (h + top + bottom - (r - 1) * dilationH - 1) / strideH + 1; }
  int64_t ow() const { return (w + left + right - (s - 1) * dilationW - 1) / strideW + 1; }
  bool valid() const {
    return h + top + bottom >= (r - 1) * dilationH + 1 &&
           w + left + right >= (s - 1) * dilationW + 1;
  }
  std::string str() const {
    return llvm::formatv(
               "n{0} c{1} {2}x{3} k{4} window {5}x{6} stride {7},{8} pads {9},{10},{11},{12} "
               "dilation {13},{14} groups {15} epilogue {16}",
               n, c, h, w, k, r, s, strideH, strideW, top, left, bottom, right, dilationH,
               dilationW, groups, epilogue)
        .str();
  }
};

std::string tensor(std::vector<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + "f32>";
}

/// Extra operands of an epilogue: shape and map.
struct Extra {
  std::vector<int64_t> shape;
  std::string map;
};

std::vector<Extra> getExtras(const ConvCase &c) {
  Extra bias{{c.k}, "(n, c, h, w) -> (c)"};
  switch (c.epilogue) {
  case None:
    return {};
  case Residual:
    return {bias, {{c.n, c.k, c.oh(), c.ow()}, "(n, c, h, w) -> (n, c, h, w)"}};
  case Scale:
    return {bias,
            {{c.n, c.k, 1, 1}, "(n, c, h, w) -> (n, c, 0, 0)"},
            {{1, 1, 1, 1}, "(n, c, h, w) -> (0, 0, 0, 0)"}};
  default:
    return {bias};
  }
}

const char *getRegion(int epilogue) {
  switch (epilogue) {
  case Bias:
    return "%0 = arith.addf %acc, %e0 : f32 dnn.yield %0 : f32";
  case BiasRelu:
    return "%z = arith.constant 0.0 : f32 %0 = arith.addf %acc, %e0 : f32 "
           "%1 = arith.maximumf %0, %z : f32 dnn.yield %1 : f32";
  case Residual:
    return "%z = arith.constant 0.0 : f32 %0 = arith.addf %acc, %e0 : f32 %1 = arith.addf %0, %e1 "
           ": f32 "
           "%2 = arith.cmpf ogt, %1, %z : f32 %3 = arith.select %2, %1, %z : f32 dnn.yield %3 : "
           "f32";
  case Clip:
    return "%z = arith.constant 0.0 : f32 %s = arith.constant 6.0 : f32 %0 = arith.addf %acc, %e0 "
           ": f32 "
           "%1 = arith.maximumf %z, %0 : f32 %2 = arith.minimumf %1, %s : f32 dnn.yield %2 : f32";
  case Leaky:
    return "%z = arith.constant 0.0 : f32 %s = arith.constant 0.125 : f32 %0 = arith.addf %acc, "
           "%e0 : f32 "
           "%1 = arith.mulf %0, %s : f32 %2 = arith.cmpf oge, %0, %z : f32 "
           "%3 = arith.select %2, %0, %1 : f32 dnn.yield %3 : f32";
  case Swish:
    return "%o = arith.constant 1.0 : f32 %0 = arith.addf %acc, %e0 : f32 %1 = arith.negf %0 : f32 "
           "%2 = math.exp %1 : f32 %3 = arith.addf %2, %o : f32 %4 = arith.divf %0, %3 : f32 "
           "dnn.yield %4 : f32";
  case Scale:
    return "%0 = arith.addf %acc, %e0 : f32 %1 = arith.mulf %0, %e1 : f32 %2 = arith.subf %1, %e2 "
           ": f32 "
           "dnn.yield %2 : f32";
  }
  return "";
}

double applyEpilogue(int epilogue, double sum, const double *e) {
  switch (epilogue) {
  case None:
    return sum;
  case Bias:
    return sum + e[0];
  case BiasRelu:
    return std::max(0.0, sum + e[0]);
  case Residual:
    return std::max(0.0, sum + e[0] + e[1]);
  case Clip:
    return std::min(6.0, std::max(0.0, sum + e[0]));
  case Leaky:
    return sum + e[0] >= 0 ? sum + e[0] : 0.125 * (sum + e[0]);
  case Swish:
    return (sum + e[0]) / (1 + std::exp(-(sum + e[0])));
  case Scale:
    return (sum + e[0]) * e[1] - e[2];
  }
  return 0;
}

std::string makeModule(const ConvCase &c) {
  std::vector<std::string> types = {tensor({c.n, c.c, c.h, c.w}),
                                    tensor({c.k, c.c / c.groups, c.r, c.s})};
  std::vector<Extra> extras = getExtras(c);
  for (const Extra &extra : extras)
    types.push_back(tensor(extra.shape));
  std::string result = tensor({c.n, c.k, c.oh(), c.ow()});
  std::string args, inputs, blockArgs, epilogue, regionArgs = "%acc: f32";
  for (size_t i = 0; i < types.size(); ++i) {
    args += llvm::formatv("{0}%a{1}: {2}", i ? ", " : "", i, types[i]);
    inputs += llvm::formatv("{0}%a{1}", i ? ", " : "", i);
    blockArgs += llvm::formatv("%b{0}: {1}, ", i, types[i]);
  }
  for (size_t i = 0; i < extras.size(); ++i) {
    epilogue += llvm::formatv("{0}%b{1} : {2} by affine_map<{3}>", i ? ", " : "(", i + 2,
                              types[i + 2], extras[i].map);
    regionArgs += llvm::formatv(", %e{0}: f32", i);
  }
  if (c.epilogue != None)
    epilogue =
        "epilogue" + epilogue + ") {\n^bb0(" + regionArgs + "):\n" + getRegion(c.epilogue) + "\n}";
  return llvm::formatv(R"(
func.func @main({0}) -> {1} {{
  %e = tensor.empty() : {1}
  %y = dnn.unit "conv" ins({2} : {3}) outs(%e : {1}) {{
  ^bb0({4}%init: {1}):
    %r = dnn.conv ins(%b0 [n, c, 0, 1], %b1 [k, c, 0, 1] : {5}, {6}) outs(%init [n, c, 0, 1] : {1})
         strides [{7}, {8}] pads [{9}, {10}, {11}, {12}] dilations [{13}, {14}] groups {15} accumulator f32 {16}
    dnn.yield %r : {1}
  } -> {1}
  return %y : {1}
})",
                       args, result, inputs, llvm::join(types, ", "), blockArgs, types[0], types[1],
                       c.strideH, c.strideW, c.top, c.left, c.bottom, c.right, c.dilationH,
                       c.dilationW, c.groups, epilogue)
      .str();
}

std::vector<double> computeReference(const ConvCase &c, const std::vector<Numbers> &in) {
  std::vector<double> out;
  std::vector<Extra> extras = getExtras(c);
  int64_t gc = c.c / c.groups, gk = c.k / c.groups;
  for (int64_t n = 0; n < c.n; ++n)
    for (int64_t k = 0; k < c.k; ++k)
      for (int64_t y = 0; y < c.oh(); ++y)
        for (int64_t x = 0; x < c.ow(); ++x) {
          double sum = 0;
          for (int64_t i = 0; i < gc; ++i)
            for (int64_t r = 0; r < c.r; ++r)
              for (int64_t s = 0; s < c.s; ++s) {
                int64_t ih = y * c.strideH + r * c.dilationH - c.top;
                int64_t iw = x * c.strideW + s * c.dilationW - c.left;
                if (ih < 0 || ih >= c.h || iw < 0 || iw >= c.w)
                  continue;
                int64_t channel = k / gk * gc + i;
                sum += double(in[0].data[((n * c.c + channel) * c.h + ih) * c.w + iw]) *
                       in[1].data[((k * gc + i) * c.r + r) * c.s + s];
              }
          double e[3] = {0, 0, 0};
          for (size_t i = 0; i < extras.size(); ++i) {
            const std::vector<int64_t> &shape = extras[i].shape;
            int64_t at = shape.size() == 1                                ? k
                         : shape[1] == 1 && c.epilogue == Scale && i == 2 ? 0
                         : shape[2] == c.oh() && c.epilogue == Residual
                             ? ((n * c.k + k) * c.oh() + y) * c.ow() + x
                             : n * c.k + k;
            e[i] = in[i + 2].data[at];
          }
          out.push_back(applyEpilogue(c.epilogue, sum, e));
        }
  return out;
}

std::vector<Numbers> makeInputs(const ConvCase &c, std::mt19937 &random) {
  std::vector<Numbers> inputs = {makeRandom(random, {c.n, c.c, c.h, c.w}),
                                 makeRandom(random, {c.k, c.c / c.groups, c.r, c.s},
                                            1 / std::sqrt(float(c.c / c.groups * c.r * c.s)))};
  for (const Extra &extra : getExtras(c))
    inputs.push_back(makeRandom(random, extra.shape));
  return inputs;
}

/// Runs all candidates of a family; returns their number.
int check(const std::string &family, const ConvCase &c, std::mt19937 &random, double tolerance) {
  Request request{makeModule(c), makeInputs(c, random), family};
  request.cores = 1 + random() % 8;
  request.inPlace = random() % 2;
  request.variableInputs = 1 + (family == "cpu.im2col_conv" && random() % 2);
  std::string reason;
  std::vector<std::string> candidates = listCandidates(request, reason);
  std::vector<double> reference;
  for (size_t i = 0; i < candidates.size(); ++i) {
    std::string error, what = family + " " + candidates[i] + "\n" + c.str();
    if (reference.empty())
      reference = computeReference(c, request.inputs);
    auto unit = compile(request, i, error);
    EXPECT_TRUE(unit) << error << "\n" << what;
    if (!unit)
      continue;
    unit->run(1 + random() % 2);
    Numbers got = unit->getResult();
    double worst = 0, largest = 0;
    for (size_t j = 0; j < reference.size(); ++j) {
      double difference = std::abs(got.data[j] - reference[j]);
      worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
      largest = std::max(largest, std::abs(reference[j]));
    }
    EXPECT_LE(worst, tolerance * largest) << what;
  }
  if (std::getenv("UDNN_TEST_VERBOSE") && candidates.empty())
    llvm::errs() << family << ": " << reason << "  " << c.str() << "\n";
  return candidates.size();
}

unsigned getSeed() {
  const char *fixed = std::getenv("UDNN_TEST_SEED");
  return fixed ? std::atoi(fixed) : std::random_device()();
}

int getCases() {
  const char *count = std::getenv("UDNN_TEST_CASES");
  return count ? std::atoi(count) : 40;
}

ConvCase makeCase(std::mt19937 &random) {
  auto pick = [&](std::vector<int64_t> values) { return values[random() % values.size()]; };
  ConvCase c;
  do {
    c.n = pick({1, 1, 1, 2, 3});
    c.groups = pick({1, 1, 1, 2, 3});
    c.c = pick({1, 2, 3, 4, 8, 12, 16, 20, 33, 40});
    c.k = pick({1, 3, 8, 16, 24, 30, 32, 40, 64});
    if (c.groups > 1) {
      c.c = c.groups * pick({8, 16, 24, 3});
      c.k = c.groups * pick({8, 16, 24, 32, 5});
    }
    c.h = 1 + random() % 20;
    c.w = 1 + random() % 40;
    c.r = pick({1, 1, 2, 3, 3, 3, 5});
    c.s = random() % 2 ? c.r : pick({1, 2, 3, 5, 7});
    c.strideH = pick({1, 1, 1, 2, 3});
    c.strideW = random() % 2 ? c.strideH : pick({1, 2, 3});
    c.dilationH = pick({1, 1, 1, 2, 3});
    c.dilationW = pick({1, 1, 1, 2});
    c.top = random() % 3, c.left = random() % 3, c.bottom = random() % 3, c.right = random() % 3;
    if (random() % 4 == 0)
      c.r = c.s = c.strideH = c.strideW = 1, c.top = c.left = c.bottom = c.right = 0;
    if (random() % 3 == 0) {
      c.r = c.s = 3, c.strideH = c.strideW = c.dilationH = c.dilationW = 1;
      c.top = c.left = c.bottom = c.right = 1;
    }
    c.epilogue = random() % NumEpilogues;
  } while (!c.valid());
  return c;
}

/// Runs random cases, of which the family must take some: `minCandidates`, or a tenth of them.
void checkRandom(const std::string &family, double tolerance, int minCandidates = getCases() / 10) {
  unsigned seed = getSeed();
  SCOPED_TRACE("UDNN_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  int candidates = 0;
  for (int i = 0; i < getCases(); ++i)
    candidates += check(family, makeCase(random), random, tolerance);
  EXPECT_GE(candidates, minCandidates);
}

TEST(ConvKernels, DirectRandom) { checkRandom("cpu.direct_conv", 1e-5); }

// Winograd takes only windows of 3x3 without strides, dilations and few channels: about a fifth of
// the cases, and among few cases now and then next to none.
TEST(ConvKernels, WinogradRandom) { checkRandom("cpu.winograd", 2e-5, /*minCandidates=*/1); }

TEST(ConvKernels, DepthwiseRandom) {
  unsigned seed = getSeed();
  SCOPED_TRACE("UDNN_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  int candidates = 0;
  for (int i = 0; i < getCases(); ++i) {
    ConvCase c = makeCase(random);
    c.c = c.k = c.groups = 1 + random() % 40;
    candidates += check("cpu.depthwise_conv", c, random, 1e-5);
  }
  EXPECT_GT(candidates, getCases() / 2);
}

TEST(ConvKernels, Im2colRandom) { checkRandom("cpu.im2col_conv", 1e-5); }

/// Code for AVX-512 comes from the same builders; it runs where the processor has it.
TEST(ConvKernels, WideCompiles) {
  std::mt19937 random(getSeed());
  ConvCase dense{1, 64, 14, 14, 64}, depthwise{1, 64, 14, 14, 64};
  dense.epilogue = depthwise.epilogue = Residual;
  depthwise.groups = 64;
  for (std::string family :
       {"cpu.direct_conv", "cpu.winograd", "cpu.im2col_conv", "cpu.depthwise_conv"}) {
    const ConvCase &c = family == "cpu.depthwise_conv" ? depthwise : dense;
    Request request{makeModule(c), makeInputs(c, random), family, 512};
    std::string error;
    int count = listCandidates(request, error).size();
    EXPECT_GT(count, 0) << error;
    for (int i = 0; i < count; ++i)
      EXPECT_TRUE(compile(request, i, error)) << family << ": " << error;
  }
}

} // namespace
