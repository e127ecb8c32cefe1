//===- GenericTest.cpp - what kernels of the generic family compute ---------===//
//
// Runs units of every kind on random data and compares with plain loops.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "UnitRunner.h"

#include <cmath>

using namespace udnn::test;

namespace {
class GenericTest : public UnitRunner {
protected:
  void expectNear(const Bytes &bytes, const std::vector<double> &expected, double tolerance) {
    std::vector<float> values = fromBytes<float>(bytes);
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i], expected[i], tolerance) << "element " << i << ", seed " << seed;
  }
};
} // namespace

/// Bias per channel and ReLU, cut into tasks, apart and in place.
TEST_F(GenericTest, Elementwise) {
  const char *text = R"(
    func.func @main(%x: tensor<2x24x56x56xf32>, %b: tensor<24xf32>) -> tensor<2x24x56x56xf32> {
      %e = tensor.empty() : tensor<2x24x56x56xf32>
      %y = dnn.unit "u" ins(%x, %b : tensor<2x24x56x56xf32>, tensor<24xf32>)
          outs(%e : tensor<2x24x56x56xf32>) {
      ^bb0(%a: tensor<2x24x56x56xf32>, %c: tensor<24xf32>, %o: tensor<2x24x56x56xf32>):
        %0 = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>,
              affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
              iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
            ins(%a, %c : tensor<2x24x56x56xf32>, tensor<24xf32>)
            outs(%o : tensor<2x24x56x56xf32>) {
        ^bb0(%p: f32, %q: f32, %r: f32):
          %zero = arith.constant 0.0 : f32
          %1 = arith.addf %p, %q : f32
          %2 = arith.maximumf %1, %zero : f32
          linalg.yield %2 : f32
        } -> tensor<2x24x56x56xf32>
        dnn.yield %0 : tensor<2x24x56x56xf32>
      } -> tensor<2x24x56x56xf32>
      return %y : tensor<2x24x56x56xf32>
    })";
  std::vector<float> x = randomFloats(2 * 24 * 56 * 56), b = randomFloats(24);
  std::vector<double> expected;
  for (size_t i = 0; i < x.size(); ++i)
    expected.push_back(std::max(x[i] + b[i / (56 * 56) % 24], 0.f));
  for (bool inPlace : {false, true}) {
    std::vector<Bytes> y = run(text, "cpu.generic", {toBytes(x), toBytes(b)}, inPlace);
    ASSERT_EQ(y.size(), 1u);
    expectNear(y[0], expected, 0);
    EXPECT_GT(tasks, 1);
  }
}

/// Softmax over the last and over an inner dimension: rows are cut, reductions are not.
TEST_F(GenericTest, Softmax) {
  for (int dimension : {1, 2}) {
    std::string text = R"(
    func.func @main(%x: tensor<30x50x70xf32>) -> tensor<30x50x70xf32> {
      %e = tensor.empty() : tensor<30x50x70xf32>
      %y = dnn.unit "u" ins(%x : tensor<30x50x70xf32>) outs(%e : tensor<30x50x70xf32>) {
      ^bb0(%a: tensor<30x50x70xf32>, %o: tensor<30x50x70xf32>):
        %0 = dnn.softmax ins(%a : tensor<30x50x70xf32>) outs(%o : tensor<30x50x70xf32>)
            dimension )" +
                       std::to_string(dimension) + R"(
        dnn.yield %0 : tensor<30x50x70xf32>
      } -> tensor<30x50x70xf32>
      return %y : tensor<30x50x70xf32>
    })";
    std::vector<float> x = randomFloats(30 * 50 * 70, -20, 20);
    std::vector<double> expected(x.size());
    int count = dimension == 1 ? 50 : 70, step = dimension == 1 ? 70 : 1;
    for (size_t i = 0; i < x.size(); ++i) {
      size_t base = i - i / step % count * step;
      double sum = 0;
      for (int k = 0; k < count; ++k)
        sum += std::exp(double(x[base + k * step]));
      expected[i] = std::exp(double(x[i])) / sum;
    }
    std::vector<Bytes> y = run(text, "cpu.generic", {toBytes(x)});
    ASSERT_EQ(y.size(), 1u);
    expectNear(y[0], expected, 1e-6);
    EXPECT_GT(tasks, 1);
  }
}

/// Maximum pooling with padding.
TEST_F(GenericTest, MaxPool) {
  const char *text = R"(
    func.func @main(%x: tensor<1x16x33x35xf32>) -> tensor<1x16x17x18xf32> {
      %e = tensor.empty() : tensor<1x16x17x18xf32>
      %y = dnn.unit "u" ins(%x : tensor<1x16x33x35xf32>) outs(%e : tensor<1x16x17x18xf32>) {
      ^bb0(%a: tensor<1x16x33x35xf32>, %o: tensor<1x16x17x18xf32>):
        %0 = dnn.max_pool ins(%a : tensor<1x16x33x35xf32>) outs(%o : tensor<1x16x17x18xf32>)
            dims [n, c, 0, 1] window [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1]
            -> tensor<1x16x17x18xf32>
        dnn.yield %0 : tensor<1x16x17x18xf32>
      } -> tensor<1x16x17x18xf32>
      return %y : tensor<1x16x17x18xf32>
    })";
  std::vector<float> x = randomFloats(16 * 33 * 35);
  std::vector<double> expected;
  for (int c = 0; c < 16; ++c)
    for (int h = 0; h < 17; ++h)
      for (int w = 0; w < 18; ++w) {
        double best = -INFINITY;
        for (int r = std::max(2 * h - 1, 0); r <= std::min(2 * h + 1, 32); ++r)
          for (int s = std::max(2 * w - 1, 0); s <= std::min(2 * w + 1, 34); ++s)
            best = std::max<double>(best, x[(c * 33 + r) * 35 + s]);
        expected.push_back(best);
      }
  std::vector<Bytes> y = run(text, "cpu.generic", {toBytes(x)});
  ASSERT_EQ(y.size(), 1u);
  expectNear(y[0], expected, 0);
}

/// A grouped convolution with an epilogue.
TEST_F(GenericTest, GroupedConvolution) {
  const char *text = R"(
    func.func @main(%x: tensor<2x6x11x12xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>)
        -> tensor<2x8x11x12xf32> {
      %e = tensor.empty() : tensor<2x8x11x12xf32>
      %y = dnn.unit "u" ins(%x, %w, %b : tensor<2x6x11x12xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>)
          outs(%e : tensor<2x8x11x12xf32>) {
      ^bb0(%a: tensor<2x6x11x12xf32>, %f: tensor<8x3x3x3xf32>, %c: tensor<8xf32>,
           %o: tensor<2x8x11x12xf32>):
        %0 = dnn.conv ins(%a [n, c, 0, 1], %f [k, c, 0, 1] : tensor<2x6x11x12xf32>,
                          tensor<8x3x3x3xf32>)
            outs(%o [n, c, 0, 1] : tensor<2x8x11x12xf32>)
            strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 2 accumulator f32
            epilogue(%c : tensor<8xf32> by affine_map<(n, c, h, w) -> (c)>) {
        ^bb0(%acc: f32, %bias: f32):
          %1 = arith.addf %acc, %bias : f32
          dnn.yield %1 : f32
        }
        dnn.yield %0 : tensor<2x8x11x12xf32>
      } -> tensor<2x8x11x12xf32>
      return %y : tensor<2x8x11x12xf32>
    })";
  std::vector<float> x = randomFloats(2 * 6 * 11 * 12), w = randomFloats(8 * 27),
                     b = randomFloats(8);
  std::vector<double> expected;
  for (int n = 0; n < 2; ++n)
    for (int k = 0; k < 8; ++k)
      for (int h = 0; h < 11; ++h)
        for (int v = 0; v < 12; ++v) {
          double sum = b[k];
          for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r)
              for (int s = 0; s < 3; ++s) {
                int i = h + r - 1, j = v + s - 1;
                if (i >= 0 && i < 11 && j >= 0 && j < 12)
                  sum += double(x[((n * 6 + k / 4 * 3 + c) * 11 + i) * 12 + j]) *
                         w[((k * 3 + c) * 3 + r) * 3 + s];
              }
          expected.push_back(sum);
        }
  std::vector<Bytes> y = run(text, "cpu.generic", {toBytes(x), toBytes(w), toBytes(b)});
  ASSERT_EQ(y.size(), 1u);
  expectNear(y[0], expected, 2e-5);
}

/// Sums over outer, inner and all dimensions.
TEST_F(GenericTest, Reductions) {
  struct Case {
    const char *map, *type, *iterators;
  };
  for (Case c : {Case{"(b)", "80", R"("reduction", "parallel")"},
                 Case{"(a)", "500", R"("parallel", "reduction")"},
                 Case{"()", "", R"("reduction", "reduction")"}}) {
    std::string result = "tensor<" + std::string(c.type) + (*c.type ? "x" : "") + "f32>";
    std::string text = "func.func @main(%x: tensor<500x80xf32>) -> " + result + R"( {
      %e = tensor.empty() : )" +
                       result + R"(
      %y = dnn.unit "u" ins(%x : tensor<500x80xf32>) outs(%e : )" +
                       result + R"() {
      ^bb0(%i: tensor<500x80xf32>, %o: )" +
                       result + R"():
        %zero = arith.constant 0.0 : f32
        %f = linalg.fill ins(%zero : f32) outs(%o : )" +
                       result + ") -> " + result + R"(
        %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>,
            affine_map<(a, b) -> )" +
                       c.map + R"(>], iterator_types = [)" + c.iterators + R"(]}
            ins(%i : tensor<500x80xf32>) outs(%f : )" +
                       result + R"() {
        ^bb0(%p: f32, %q: f32):
          %1 = arith.addf %p, %q : f32
          linalg.yield %1 : f32
        } -> )" + result +
                       R"(
        dnn.yield %0 : )" +
                       result + R"(
      } -> )" + result +
                       R"(
      return %y : )" + result +
                       "}";
    std::vector<float> x = randomFloats(500 * 80);
    std::vector<double> expected(*c.type ? std::stoi(c.type) : 1);
    for (int a = 0; a < 500; ++a)
      for (int b = 0; b < 80; ++b)
        expected[c.map[1] == 'a' ? a : c.map[1] == 'b' ? b : 0] += x[a * 80 + b];
    std::vector<Bytes> y = run(text, "cpu.generic", {toBytes(x)});
    ASSERT_EQ(y.size(), 1u);
    expectNear(y[0], expected, 5e-3);
  }
}

/// A function of one operation `body` that reads %a and writes %o.
static std::string makeText(std::string in, std::string out, std::string body) {
  return "func.func @main(%x: " + in + ") -> " + out + " {\n%e = tensor.empty() : " + out +
         "\n%y = dnn.unit \"u\" ins(%x : " + in + ") outs(%e : " + out + ") {\n^bb0(%a: " + in +
         ", %o: " + out + "):\n%zero = arith.constant 0.0 : f32\n" + body +
         "\ndnn.yield %0 : " + out + "\n} -> " + out + "\nreturn %y : " + out + "\n}";
}

static std::string makeTensor(std::vector<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

/// Transposes and layout transforms, with tails, by both families that have them.
TEST_F(GenericTest, Transforms) {
  struct Case {
    int64_t n, c, h, w, block;
  };
  for (Case shape : {Case{2, 20, 31, 17, 8}, Case{1, 64, 7, 7, 16}, Case{1, 40, 56, 56, 16},
                     Case{3, 24, 5, 100, 8}, Case{1, 5, 70, 90, 16}}) {
    auto [n, c, h, w, block] = shape;
    int64_t blocks = (c + block - 1) / block;
    std::vector<float> x = randomFloats(n * c * h * w);
    auto at = [&, c = c, h = h, w = w](int64_t i, int64_t channel, int64_t pixel) {
      return x[(i * c + channel) * h * w + pixel];
    };
    std::string plain = makeTensor({n, c, h, w}), last = makeTensor({n, h, w, c}),
                blocked = makeTensor({n, blocks, h, w, block}), tile = std::to_string(block);
    for (const char *family : {"cpu.generic", "cpu.transform"}) {
      SCOPED_TRACE(family);
      std::vector<double> expected;
      for (int64_t i = 0; i < n * h * w * c; ++i)
        expected.push_back(at(i / c / (h * w), i % c, i / c % (h * w)));
      auto y = run(makeText(plain, last,
                            "%0 = linalg.transpose ins(%a : " + plain + ") outs(%o : " + last +
                                ") permutation = [0, 2, 3, 1]"),
                   family, {toBytes(x)});
      ASSERT_EQ(y.size(), 1u);
      expectNear(y[0], expected, 0);
      y = run(makeText(last, plain,
                       "%0 = linalg.transpose ins(%a : " + last + ") outs(%o : " + plain +
                           ") permutation = [0, 3, 1, 2]"),
              family, {y[0]});
      ASSERT_EQ(y.size(), 1u);
      expectNear(y[0], std::vector<double>(x.begin(), x.end()), 0);

      y = run(makeText(plain, blocked,
                       "%0 = linalg.pack %a padding_value(%zero : f32) inner_dims_pos = [1] "
                       "inner_tiles = [" +
                           tile + "] into %o : " + plain + " -> " + blocked),
              family, {toBytes(x)});
      ASSERT_EQ(y.size(), 1u);
      std::vector<float> packed = fromBytes<float>(y[0]);
      for (int64_t i = 0; i < n * blocks * h * w * block; ++i) {
        int64_t channel = i / block / (h * w) % blocks * block + i % block;
        if (channel < c) {
          ASSERT_EQ(packed[i], at(i / block / (h * w) / blocks, channel, i / block % (h * w)))
              << "element " << i << ", seed " << seed;
        }
      }
      y = run(makeText(blocked, plain,
                       "%0 = linalg.unpack %a inner_dims_pos = [1] inner_tiles = [" + tile +
                           "] into %o : " + blocked + " -> " + plain),
              family, {y[0]});
      ASSERT_EQ(y.size(), 1u);
      expectNear(y[0], std::vector<double>(x.begin(), x.end()), 0);
    }
  }
}

/// Padding on both sides of some dimensions.
TEST_F(GenericTest, Pad) {
  std::vector<float> x = randomFloats(2 * 20 * 31 * 17);
  std::string plain = makeTensor({2, 20, 31, 17}), padded = makeTensor({2, 20, 33, 20});
  std::vector<double> expected;
  for (int i = 0; i < 2 * 20 * 33 * 20; ++i) {
    int h = i / 20 % 33 - 2, w = i % 20 - 1;
    bool inside = h >= 0 && w >= 0 && w < 17;
    expected.push_back(inside ? x[(i / 20 / 33 * 31 + h) * 17 + w] : 0);
  }
  auto y = run(makeText(plain, padded,
                        "%0 = tensor.pad %a low[0, 0, 2, 1] high[0, 0, 0, 2] {\n^bb0(%i0: index, "
                        "%i1: index, %i2: index, %i3: index):\ntensor.yield %zero : f32\n} : " +
                            plain + " to " + padded),
               "cpu.generic", {toBytes(x)});
  ASSERT_EQ(y.size(), 1u);
  expectNear(y[0], expected, 0);
}

/// Two results, booleans, and integers.
TEST_F(GenericTest, TypesAndResults) {
  const char *text = R"(
    #id = affine_map<(i) -> (i)>
    func.func @main(%x: tensor<1000xf32>, %k: tensor<1000xi8>) -> (tensor<1000xi1>, tensor<1000xi64>) {
      %e = tensor.empty() : tensor<1000xi1>
      %f = tensor.empty() : tensor<1000xi64>
      %y:2 = dnn.unit "u" ins(%x, %k : tensor<1000xf32>, tensor<1000xi8>)
          outs(%e, %f : tensor<1000xi1>, tensor<1000xi64>) {
      ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xi8>, %o: tensor<1000xi1>, %p: tensor<1000xi64>):
        %zero = arith.constant 0.0 : f32
        %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
            ins(%a : tensor<1000xf32>) outs(%o : tensor<1000xi1>) {
        ^bb0(%u: f32, %v: i1):
          %2 = arith.cmpf ogt, %u, %zero : f32
          linalg.yield %2 : i1
        } -> tensor<1000xi1>
        %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
            ins(%0, %b : tensor<1000xi1>, tensor<1000xi8>) outs(%p : tensor<1000xi64>) {
        ^bb0(%u: i1, %v: i8, %w: i64):
          %2 = arith.extsi %v : i8 to i64
          %3 = arith.extui %u : i1 to i64
          %4 = arith.muli %2, %3 : i64
          linalg.yield %4 : i64
        } -> tensor<1000xi64>
        dnn.yield %0, %1 : tensor<1000xi1>, tensor<1000xi64>
      } -> tensor<1000xi1>, tensor<1000xi64>
      return %y#0, %y#1 : tensor<1000xi1>, tensor<1000xi64>
    })";
  std::vector<float> x = randomFloats(1000);
  std::vector<int8_t> k(1000);
  for (int8_t &value : k)
    value = int8_t(random());
  std::vector<Bytes> y = run(text, "cpu.generic", {toBytes(x), toBytes(k)});
  ASSERT_EQ(y.size(), 2u);
  std::vector<int64_t> products = fromBytes<int64_t>(y[1]);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(y[0][i], x[i] > 0) << "seed " << seed;
    EXPECT_EQ(products[i], x[i] > 0 ? k[i] : 0) << "seed " << seed;
  }
}

/// Elements at computed positions.
TEST_F(GenericTest, Gather) {
  const char *text = R"(
    func.func @main(%x: tensor<100x64xf32>, %k: tensor<300xi64>) -> tensor<300x64xf32> {
      %e = tensor.empty() : tensor<300x64xf32>
      %y = dnn.unit "u" ins(%x, %k : tensor<100x64xf32>, tensor<300xi64>)
          outs(%e : tensor<300x64xf32>) {
      ^bb0(%a: tensor<100x64xf32>, %b: tensor<300xi64>, %o: tensor<300x64xf32>):
        %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>,
            affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            ins(%b : tensor<300xi64>) outs(%o : tensor<300x64xf32>) {
        ^bb0(%p: i64, %q: f32):
          %i = arith.index_cast %p : i64 to index
          %j = linalg.index 1 : index
          %v = tensor.extract %a[%i, %j] : tensor<100x64xf32>
          linalg.yield %v : f32
        } -> tensor<300x64xf32>
        dnn.yield %0 : tensor<300x64xf32>
      } -> tensor<300x64xf32>
      return %y : tensor<300x64xf32>
    })";
  std::vector<float> x = randomFloats(100 * 64);
  std::vector<int64_t> k(300);
  for (int64_t &value : k)
    value = random() % 100;
  std::vector<double> expected;
  for (int i = 0; i < 300 * 64; ++i)
    expected.push_back(x[k[i / 64] * 64 + i % 64]);
  std::vector<Bytes> y = run(text, "cpu.generic", {toBytes(x), toBytes(k)});
  ASSERT_EQ(y.size(), 1u);
  expectNear(y[0], expected, 0);
}

/// Nothing is read or written for empty tensors; sums over nothing are zero.
TEST_F(GenericTest, EmptyTensors) {
  const char *text = R"(
    func.func @main(%x: tensor<5x0xf32>) -> (tensor<5x0xf32>, tensor<5xf32>) {
      %e = tensor.empty() : tensor<5x0xf32>
      %g = tensor.empty() : tensor<5xf32>
      %y:2 = dnn.unit "u" ins(%x : tensor<5x0xf32>) outs(%e, %g : tensor<5x0xf32>, tensor<5xf32>) {
      ^bb0(%a: tensor<5x0xf32>, %o: tensor<5x0xf32>, %p: tensor<5xf32>):
        %zero = arith.constant 0.0 : f32
        %f = linalg.fill ins(%zero : f32) outs(%p : tensor<5xf32>) -> tensor<5xf32>
        %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
            affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
            ins(%a : tensor<5x0xf32>) outs(%o : tensor<5x0xf32>) {
        ^bb0(%u: f32, %v: f32):
          %2 = arith.negf %u : f32
          linalg.yield %2 : f32
        } -> tensor<5x0xf32>
        %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
            affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
            ins(%a : tensor<5x0xf32>) outs(%f : tensor<5xf32>) {
        ^bb0(%u: f32, %v: f32):
          %2 = arith.addf %u, %v : f32
          linalg.yield %2 : f32
        } -> tensor<5xf32>
        dnn.yield %0, %1 : tensor<5x0xf32>, tensor<5xf32>
      } -> tensor<5x0xf32>, tensor<5xf32>
      return %y#0, %y#1 : tensor<5x0xf32>, tensor<5xf32>
    })";
  std::vector<Bytes> y = run(text, "cpu.generic", {Bytes()});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_TRUE(y[0].empty());
  expectNear(y[1], std::vector<double>(5), 0);
}
