//===- ExpTest.cpp - the exponential function against float64 -----------------===//
//
// All kinds of f32 numbers through a vectorized kernel.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "UnitRunner.h"

#include <cmath>
#include <limits>

using namespace udnn;
using namespace udnn::test;

static constexpr size_t kCount = 20000;

static const char *const kModule = R"(
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {
  %e = tensor.empty() : tensor<20000xf32>
  %y = dnn.unit "exp" ins(%x : tensor<20000xf32>) outs(%e : tensor<20000xf32>) {
  ^bb0(%a: tensor<20000xf32>, %b: tensor<20000xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<20000xf32>) outs(%b : tensor<20000xf32>) {
    ^bb0(%i: f32, %o: f32):
      %p = math.exp %i : f32
      linalg.yield %p : f32
    } -> tensor<20000xf32>
    dnn.yield %r : tensor<20000xf32>
  } -> tensor<20000xf32>
  return %y : tensor<20000xf32>
})";

/// Numbers whose exponential is of any size, any bits (NaN of all kinds among them), and ends of
/// the range.
static std::vector<float> makeNumbers(std::mt19937 &random) {
  std::vector<float> x = {0.0f,      -0.0f,     INFINITY,   -INFINITY, NAN,       -NAN,
                          88.72283f, 88.72284f, -87.33654f, -103.972f, -103.973f, -104.1f,
                          89.1f,     3e38f,     -3e38f,     1e-45f};
  std::uniform_real_distribution<float> all(-110, 95), small(-1, 1);
  while (x.size() < kCount) {
    uint32_t bits = random();
    float any;
    std::memcpy(&any, &bits, sizeof any);
    x.insert(x.end(), {all(random), small(random), any});
  }
  x.resize(kCount);
  return x;
}

/// The distance from `nearest` to the next f32 away from zero, or where there is none, towards it.
static double getUnit(float nearest) {
  if (nearest == std::numeric_limits<float>::max())
    return nearest - std::nextafter(nearest, 0.0f);
  return std::nextafter(nearest, INFINITY) - nearest;
}

using ExpTest = UnitRunner;

TEST_F(ExpTest, AllNumbers) {
  std::vector<float> x = makeNumbers(random);
  std::vector<Bytes> results = run(kModule, "cpu.generic", {toBytes(x)});
  ASSERT_EQ(results.size(), 1u);
  std::vector<float> y = fromBytes<float>(results[0]);
  for (size_t i = 0; i < kCount; ++i) {
    double expected = std::exp(static_cast<double>(x[i]));
    auto nearest = static_cast<float>(expected);
    bool isRight = std::isnan(x[i])      ? std::isnan(y[i])
                   : std::isinf(nearest) ? y[i] == nearest
                                         : std::abs(y[i] - expected) <= 1.3 * getUnit(nearest);
    ASSERT_TRUE(isRight) << "exp(" << x[i] << ") = " << y[i] << ", seed " << seed;
  }
}
