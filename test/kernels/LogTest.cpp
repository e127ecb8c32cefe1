//===- LogTest.cpp - the natural logarithm against float64 -------------------===//
//
// All kinds of f32 numbers through a vectorized kernel and its remainder.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "UnitRunner.h"

#include <cmath>
#include <limits>

using namespace udnn;
using namespace udnn::test;

static constexpr size_t kCount = 20003;

static const char *const kModule = R"(
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<20003xf32>) -> tensor<20003xf32> {
  %e = tensor.empty() : tensor<20003xf32>
  %y = dnn.unit "log" ins(%x : tensor<20003xf32>) outs(%e : tensor<20003xf32>) {
  ^bb0(%a: tensor<20003xf32>, %b: tensor<20003xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<20003xf32>) outs(%b : tensor<20003xf32>) {
    ^bb0(%i: f32, %o: f32):
      %p = math.log %i : f32
      linalg.yield %p : f32
    } -> tensor<20003xf32>
    dnn.yield %r : tensor<20003xf32>
  } -> tensor<20003xf32>
  return %y : tensor<20003xf32>
})";

/// Numbers near 1, of any size, subnormal ones, any bits (NaN and negative ones among them), and
/// the ends of the range; the last three are in the remainder.
static std::vector<float> makeNumbers(std::mt19937 &random) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> x = {0.0f, -0.0f,         INFINITY,      -INFINITY,
                          NAN,  -NAN,          Limits::min(), -Limits::min(),
                          1.0f, Limits::max(), 0x1p-149f,     -0x1p-149f};
  std::uniform_real_distribution<float> near(0.5f, 2), exponent(-149, 128);
  while (x.size() < kCount - 3) {
    uint32_t bits = random();
    float any;
    std::memcpy(&any, &bits, sizeof any);
    x.insert(x.end(), {near(random), std::exp2(exponent(random)), any});
  }
  x.resize(kCount - 3);
  x.insert(x.end(), {0.0f, 0x1p-140f, -1.0f});
  return x;
}

using LogTest = UnitRunner;

TEST_F(LogTest, AllNumbers) {
  std::vector<float> x = makeNumbers(random);
  std::vector<Bytes> results = run(kModule, "cpu.generic", {toBytes(x)});
  ASSERT_EQ(results.size(), 1u);
  std::vector<float> y = fromBytes<float>(results[0]);
  for (size_t i = 0; i < kCount; ++i) {
    double expected = std::log(static_cast<double>(x[i]));
    auto magnitude = static_cast<float>(std::abs(expected));
    double unit = std::nextafter(magnitude, INFINITY) - magnitude;
    bool isRight = std::isnan(expected)   ? std::isnan(y[i])
                   : std::isinf(expected) ? y[i] == expected
                                          : std::abs(y[i] - expected) <= unit;
    ASSERT_TRUE(isRight) << "log(" << x[i] << ") = " << y[i] << ", seed " << seed;
  }
}
