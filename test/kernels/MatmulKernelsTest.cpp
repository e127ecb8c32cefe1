//===- MatmulKernelsTest.cpp - matrix products against float64 ---------------===//
//
// Random products: constant and variable right sides, batches, transposes, tails, epilogues.
// UDNN_TEST_SEED repeats a run.
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

struct MatmulCase {
  std::vector<int64_t> batch;
  int64_t m, n, k;
  bool transposeLhs, transposeRhs, sharedLhs, sharedRhs, bias, residual;

  std::vector<int64_t> getShape(bool shared, int64_t rows, int64_t columns) const {
    std::vector<int64_t> shape = shared ? std::vector<int64_t>() : batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  }
  std::vector<int64_t> lhs() const {
    return transposeLhs ? getShape(sharedLhs, k, m) : getShape(sharedLhs, m, k);
  }
  std::vector<int64_t> rhs() const {
    return transposeRhs ? getShape(sharedRhs, n, k) : getShape(sharedRhs, k, n);
  }
  std::vector<int64_t> out() const { return getShape(false, m, n); }
};

std::string tensor(const std::vector<int64_t> &shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + "f32>";
}

std::string makeModule(const MatmulCase &c) {
  std::vector<std::string> types = {tensor(c.lhs()), tensor(c.rhs())};
  std::string dims, out = tensor(c.out()), epilogue, regionArgs = "%acc: f32", body, sum = "%acc";
  for (size_t i = 0; i < c.out().size(); ++i)
    dims += (i ? ", d" : "d") + std::to_string(i);
  auto addExtra = [&](std::string type, std::string map) {
    size_t i = types.size();
    types.push_back(type);
    epilogue += llvm::formatv("{0}%b{1} : {2} by affine_map<({3}) -> ({4})>",
                              epilogue.empty() ? "" : ", ", i, type, dims, map);
    regionArgs += llvm::formatv(", %x{0}: f32", i);
    body += llvm::formatv("%s{0} = arith.addf {1}, %x{0} : f32\n", i, sum);
    sum = "%s" + std::to_string(i);
  };
  if (c.bias)
    addExtra(tensor({c.n}), "d" + std::to_string(c.out().size() - 1));
  if (c.residual)
    addExtra(out, dims);
  if (!epilogue.empty())
    epilogue = "epilogue(" + epilogue + ") {\n^bb0(" + regionArgs + "):\n" + body + "dnn.yield " +
               sum + " : f32\n}";
  std::string args, inputs, blockArgs;
  for (size_t i = 0; i < types.size(); ++i) {
    args += llvm::formatv("{0}%a{1}: {2}", i ? ", " : "", i, types[i]);
    inputs += llvm::formatv("{0}%a{1}", i ? ", " : "", i);
    blockArgs += llvm::formatv("%b{0}: {1}, ", i, types[i]);
  }
  return llvm::formatv(R"(
func.func @main({0}) -> {1} {{
  %e = tensor.empty() : {1}
  %y = dnn.unit "matmul" ins({2} : {3}) outs(%e : {1}) {{
  ^bb0({4}%init: {1}):
    %r = dnn.matmul ins(%b0, %b1 : {5}, {6}) outs(%init : {1}) {7} {8} accumulator f32 {9}
    dnn.yield %r : {1}
  } -> {1}
  return %y : {1}
})",
                       args, out, inputs, llvm::join(types, ", "), blockArgs, types[0], types[1],
                       c.transposeLhs ? "transpose_lhs" : "", c.transposeRhs ? "transpose_rhs" : "",
                       epilogue)
      .str();
}

std::vector<double> computeReference(const MatmulCase &c, const std::vector<Numbers> &in) {
  std::vector<double> out;
  int64_t batches = 1;
  for (int64_t extent : c.batch)
    batches *= extent;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t m = 0; m < c.m; ++m)
      for (int64_t n = 0; n < c.n; ++n) {
        const float *lhs = in[0].data.data() + (c.sharedLhs ? 0 : b * c.m * c.k);
        const float *rhs = in[1].data.data() + (c.sharedRhs ? 0 : b * c.k * c.n);
        double sum = 0;
        for (int64_t k = 0; k < c.k; ++k)
          sum += double(lhs[c.transposeLhs ? k * c.m + m : m * c.k + k]) *
                 rhs[c.transposeRhs ? n * c.k + k : k * c.n + n];
        size_t next = 2;
        if (c.bias)
          sum += in[next++].data[n];
        if (c.residual)
          sum += in[next].data[out.size()];
        out.push_back(sum);
      }
  return out;
}

TEST(MatmulKernels, Random) {
  const char *fixed = std::getenv("UDNN_TEST_SEED");
  unsigned seed = fixed ? std::atoi(fixed) : std::random_device()();
  SCOPED_TRACE("UDNN_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  auto pick = [&](std::vector<int64_t> values) { return values[random() % values.size()]; };
  for (int i = 0; i < 50; ++i) {
    MatmulCase c;
    for (int64_t rank = pick({0, 0, 1, 2}); rank > 0; --rank)
      c.batch.push_back(1 + random() % 3);
    c.m = pick({1, 1, 2, 3, 5, 6, 7, 17, 40}), c.n = pick({1, 5, 8, 10, 16, 33, 64, 100, 130});
    c.k = pick({1, 2, 9, 31, 64});
    c.transposeLhs = random() % 3 == 0, c.transposeRhs = random() % 2;
    c.sharedLhs = random() % 4 == 0, c.sharedRhs = random() % 2;
    c.bias = random() % 2, c.residual = random() % 2;
    std::string module = makeModule(c);
    SCOPED_TRACE(module);
    Request request{
        module, {makeRandom(random, c.lhs()), makeRandom(random, c.rhs())}, "cpu.matmul"};
    if (c.bias)
      request.inputs.push_back(makeRandom(random, {c.n}));
    if (c.residual)
      request.inputs.push_back(makeRandom(random, c.out()));
    request.variableInputs = 1 + random() % 2;
    request.cores = 1 + random() % 8;
    request.inPlace = random() % 2;
    std::string error;
    ASSERT_EQ(listCandidates(request, error).size(), 1u) << error;
    auto unit = compile(request, 0, error);
    ASSERT_TRUE(unit) << error;
    unit->run(1 + random() % 2);
    Numbers got = unit->getResult();
    std::vector<double> reference = computeReference(c, request.inputs);
    for (size_t j = 0; j < reference.size(); ++j)
      ASSERT_NEAR(got.data[j], reference[j], 1e-5 * std::sqrt(double(c.k)) * 5) << j;
  }
}

} // namespace
