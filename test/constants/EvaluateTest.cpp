//===- EvaluateTest.cpp - tests of constant evaluation ----------------------===//
//
// Every case is a function without arguments whose result is evaluated and compared with values
// computed by hand or by a plain loop.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Constants/Evaluate.h"
#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace udnn;

namespace {

class EvaluateTest : public ::testing::Test {
protected:
  EvaluateTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                        math::MathDialect, tensor::TensorDialect, dnn::DnnDialect>();
  }

  /// The value that a function with this body and result type returns.
  Value parse(const std::string &body, const std::string &type) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%arg0: tensor<4xf32>) -> " + type + " {\n" + body + "\n}", &context);
    if (!module)
      return Value();
    auto function = *module->getOps<func::FuncOp>().begin();
    return function.getBody().front().getTerminator()->getOperand(0);
  }

  /// Elements of what the body returns, as T.
  template <typename T>
  std::vector<T> run(const std::string &body, const std::string &type) {
    Value value = parse(body, type);
    EXPECT_TRUE(value);
    if (!value)
      return {};
    FailureOr<ConstantBytes> bytes = ConstantEvaluator().evaluateBytes(value);
    EXPECT_TRUE(succeeded(bytes));
    if (failed(bytes))
      return {};
    std::vector<T> elements(bytes->data.size() / sizeof(T));
    if (!elements.empty())
      std::memcpy(elements.data(), bytes->data.data(), bytes->data.size());
    return elements;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

using Floats = std::vector<float>;
using Longs = std::vector<int64_t>;

TEST_F(EvaluateTest, ElementwiseGenericWithBroadcast) {
  Floats result = run<float>(R"(
    %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %b = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
    %e = tensor.empty() : tensor<3x2xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>,
                                          affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<2x3xf32>, tensor<3xf32>) outs(%e : tensor<3x2xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %1 = arith.addf %x, %y : f32
      linalg.yield %1 : f32
    } -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>)",
                             "tensor<3x2xf32>");
  EXPECT_EQ(result, (Floats{11, 14, 22, 25, 33, 36}));
}

TEST_F(EvaluateTest, ReductionStartsFromItsInit) {
  Floats result = run<float>(R"(
    %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %c = arith.constant 100.0 : f32
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %0 = linalg.reduce { arith.addf } ins(%a : tensor<2x3xf32>) outs(%f : tensor<2xf32>) dimensions = [1]
    return %0 : tensor<2xf32>)",
                             "tensor<2xf32>");
  EXPECT_EQ(result, (Floats{106, 115}));
}

TEST_F(EvaluateTest, IndexExtractAndComparison) {
  // y[i] = i < 2 ? table[2 - i] : -1
  Longs result = run<int64_t>(R"(
    %table = arith.constant dense<[7, 8, 9]> : tensor<3xi64>
    %e = tensor.empty() : tensor<3xi64>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%e : tensor<3xi64>) {
    ^bb0(%z: i64):
      %i = linalg.index 0 : index
      %two = arith.constant 2 : index
      %m = arith.constant -1 : i64
      %j = arith.subi %two, %i : index
      %v = tensor.extract %table[%j] : tensor<3xi64>
      %p = arith.cmpi ult, %i, %two : index
      %r = arith.select %p, %v, %m : i64
      linalg.yield %r : i64
    } -> tensor<3xi64>
    return %0 : tensor<3xi64>)",
                              "tensor<3xi64>");
  EXPECT_EQ(result, (Longs{9, 8, -1}));
}

TEST_F(EvaluateTest, NonLinearMap) {
  Longs result = run<int64_t>(R"(
    %a = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %e = tensor.empty() : tensor<4xi64>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 2, i floordiv 2)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%a : tensor<2x2xi64>) outs(%e : tensor<4xi64>) {
    ^bb0(%x: i64, %z: i64):
      linalg.yield %x : i64
    } -> tensor<4xi64>
    return %0 : tensor<4xi64>)",
                              "tensor<4xi64>");
  EXPECT_EQ(result, (Longs{1, 3, 2, 4}));
}

TEST_F(EvaluateTest, IntegersWrapToTheirWidth) {
  std::vector<int8_t> result = run<int8_t>(R"(
    %a = arith.constant dense<[100, -128, 7]> : tensor<3xi8>
    %b = arith.constant dense<[100, -1, 3]> : tensor<3xi8>
    %0 = arith.addi %a, %b : tensor<3xi8>
    return %0 : tensor<3xi8>)",
                                           "tensor<3xi8>");
  EXPECT_EQ(result, (std::vector<int8_t>{-56, 127, 10}));
  result = run<int8_t>(R"(
    %a = arith.constant dense<[-56, 7]> : tensor<2xi8>
    %b = arith.constant dense<[3, -1]> : tensor<2xi8>
    %0 = arith.divui %a, %b : tensor<2xi8>
    return %0 : tensor<2xi8>)",
                       "tensor<2xi8>");
  EXPECT_EQ(result, (std::vector<int8_t>{66, 0}));
}

TEST_F(EvaluateTest, BooleansAreBytes) {
  std::vector<char> result = run<char>(R"(
    %a = arith.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
    %b = arith.constant dense<[2.0, 1.0, 0.0]> : tensor<3xf32>
    %t = arith.constant dense<[true, true, true]> : tensor<3xi1>
    %0 = arith.cmpf olt, %a, %b : tensor<3xf32>
    %1 = arith.xori %0, %t : tensor<3xi1>
    return %1 : tensor<3xi1>)",
                                       "tensor<3xi1>");
  EXPECT_EQ(result, (std::vector<char>{0, 1, 1}));
}

TEST_F(EvaluateTest, HalfPrecisionRoundsAfterEveryOperation) {
  // 2049 is not an f16: (2048 + 1) rounds to 2048, so that adding 1 twice stays there.
  std::vector<uint16_t> result = run<uint16_t>(R"(
    %a = arith.constant dense<2048.0> : tensor<2xf16>
    %b = arith.constant dense<1.0> : tensor<2xf16>
    %0 = arith.addf %a, %b : tensor<2xf16>
    %1 = arith.addf %0, %b : tensor<2xf16>
    return %1 : tensor<2xf16>)",
                                               "tensor<2xf16>");
  EXPECT_EQ(result, (std::vector<uint16_t>{0x6800, 0x6800}));
}

TEST_F(EvaluateTest, HalfConversionsMatchAPFloat) {
  std::mt19937 random(std::random_device{}());
  std::string elements;
  std::vector<uint16_t> expected;
  for (int i = 0; i < 2000; ++i) {
    float value = std::ldexp(float(random()) / 0x1p32f - 0.5f, int(random() % 45) - 27);
    APFloat half(value);
    elements += (i ? ", 0x" : "0x") + llvm::utohexstr(half.bitcastToAPInt().getZExtValue());
    bool lost;
    half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
    expected.push_back(half.bitcastToAPInt().getZExtValue());
  }
  std::string type = "tensor<2000xf16>";
  EXPECT_EQ(run<uint16_t>("%a = arith.constant dense<[" + elements + "]> : tensor<2000xf32>\n" +
                              "%0 = arith.truncf %a : tensor<2000xf32> to " + type + "\n" +
                              "return %0 : " + type,
                          type),
            expected);
}

TEST_F(EvaluateTest, SlicesPadsAndConcats) {
  Longs result = run<int64_t>(R"(
    %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
    %0 = tensor.extract_slice %a[0, 1] [2, 1] [1, 1] : tensor<2x3xi64> to tensor<2xi64>
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [1, 2] : tensor<2xi64> into tensor<1x2xi64>
    %z = arith.constant -1 : i64
    %2 = tensor.pad %1 low[0, 1] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %z : i64
    } : tensor<1x2xi64> to tensor<2x3xi64>
    %3 = tensor.concat dim(1) %a, %2 : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x6xi64>
    return %3 : tensor<2x6xi64>)",
                              "tensor<2x6xi64>");
  EXPECT_EQ(result, (Longs{1, 2, 3, -1, 2, 5, 4, 5, 6, -1, -1, -1}));
}

TEST_F(EvaluateTest, InsertSliceAndScalars) {
  Longs result = run<int64_t>(R"(
    %a = arith.constant dense<0> : tensor<5xi64>
    %c = arith.constant dense<[2, 40]> : tensor<2xi64>
    %i = arith.constant 0 : index
    %j = arith.constant 1 : index
    %x = tensor.extract %c[%i] : tensor<2xi64>
    %y = tensor.extract %c[%j] : tensor<2xi64>
    %s = arith.addi %x, %y : i64
    %f = tensor.from_elements %s, %x : tensor<2xi64>
    %o = arith.index_cast %x : i64 to index
    %0 = tensor.insert_slice %f into %a[%o] [2] [2] : tensor<2xi64> into tensor<5xi64>
    return %0 : tensor<5xi64>)",
                              "tensor<5xi64>");
  EXPECT_EQ(result, (Longs{0, 0, 42, 0, 2}));
}

TEST_F(EvaluateTest, PackWithTailsPermutesAndPads) {
  // Channels 5 in blocks of 2, outer dimensions exchanged: p[h][c / 2][c % 2].
  std::string pack = R"(
    %a = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xi32>
    %z = arith.constant -7 : i32
    %e = tensor.empty() : tensor<3x3x2xi32>
    %p = linalg.pack %a padding_value(%z : i32) outer_dims_perm = [1, 0] inner_dims_pos = [0]
        inner_tiles = [2] into %e : tensor<5x3xi32> -> tensor<3x3x2xi32>)";
  EXPECT_EQ(run<int32_t>(pack + "\nreturn %p : tensor<3x3x2xi32>", "tensor<3x3x2xi32>"),
            (std::vector<int32_t>{1, 4, 7, 10, 13, -7, 2, 5, 8, 11, 14, -7, 3, 6, 9, 12, 15, -7}));
  std::vector<int32_t> back = run<int32_t>(pack + R"(
    %e2 = tensor.empty() : tensor<5x3xi32>
    %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [2] into %e2
        : tensor<3x3x2xi32> -> tensor<5x3xi32>
    return %u : tensor<5x3xi32>)",
                                           "tensor<5x3xi32>");
  ASSERT_EQ(back.size(), 15u);
  for (int32_t i = 0; i < 15; ++i)
    EXPECT_EQ(back[i], i + 1);
}

TEST_F(EvaluateTest, WinogradFilter) {
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<float> uniform(-1, 1);
  const int64_t K = 3, C = 5;
  std::vector<float> filter(K * C * 9);
  for (float &value : filter)
    value = uniform(random);
  std::vector<char> bytes(filter.size() * 4);
  std::memcpy(bytes.data(), filter.data(), bytes.size());
  Value value = parse(R"(
    %w = arith.constant dense<0.0> : tensor<3x5x3x3xf32>
    %e = tensor.empty() : tensor<36x3x5xf32>
    %u = dnn.winograd_filter ins(%w [k, c, 0, 1] : tensor<3x5x3x3xf32>) outs(%e : tensor<36x3x5xf32>) tile 4
    return %u : tensor<36x3x5xf32>)",
                      "tensor<36x3x5xf32>");
  ASSERT_TRUE(value);
  Value weights = value.getDefiningOp()->getOperand(0);
  auto type = cast<RankedTensorType>(weights.getType());
  weights.getDefiningOp<arith::ConstantOp>().setValueAttr(
      cast<TypedAttr>(makeConstant(type, bytes)));
  FailureOr<ConstantBytes> result = ConstantEvaluator().evaluateBytes(value);
  ASSERT_TRUE(succeeded(result));
  auto *u = reinterpret_cast<const float *>(result->data.data());

  const double p = std::sqrt(0.5), q = std::sqrt(2.0), a = -2.0 / 3, b = 1.0 / 6;
  const double G[6][3] = {{1, 0, 0},         {a, a * p, a / 2},  {a, -a * p, a / 2},
                          {b, b * q, b * 2}, {b, -b * q, b * 2}, {0, 0, 1}};
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j)
      for (int64_t k = 0; k < K; ++k)
        for (int64_t c = 0; c < C; ++c) {
          double sum = 0;
          for (int64_t r = 0; r < 3; ++r)
            for (int64_t s = 0; s < 3; ++s)
              sum += G[i][r] * filter[(k * C + c) * 9 + r * 3 + s] * G[j][s];
          EXPECT_NEAR(u[((6 * i + j) * K + k) * C + c], sum, 1e-6);
        }
}

TEST_F(EvaluateTest, WhatIsNotConstantIsNull) {
  EXPECT_FALSE(
      ConstantEvaluator().evaluate(parse("return %arg0 : tensor<4xf32>", "tensor<4xf32>")));
  EXPECT_FALSE(ConstantEvaluator().evaluate(parse(R"(
    %a = arith.constant dense<1.0> : tensor<4xf32>
    %0 = arith.addf %a, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>)",
                                                  "tensor<4xf32>")));
}

TEST_F(EvaluateTest, UndefinedResultsAreNull) {
  EXPECT_FALSE(ConstantEvaluator().evaluate(parse(R"(
    %a = arith.constant dense<[1, 2]> : tensor<2xi32>
    %b = arith.constant dense<[1, 0]> : tensor<2xi32>
    %0 = arith.divsi %a, %b : tensor<2xi32>
    return %0 : tensor<2xi32>)",
                                                  "tensor<2xi32>")));
}

TEST_F(EvaluateTest, LimitAndSplats) {
  std::string body = R"(
    %c = arith.constant 3.0 : f32
    %e = tensor.empty() : tensor<1000xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
    return %f : tensor<1000xf32>)";
  EXPECT_FALSE(ConstantEvaluator(3999).evaluate(parse(body, "tensor<1000xf32>")));
  auto splat = dyn_cast_or_null<DenseElementsAttr>(
      ConstantEvaluator(4000).evaluate(parse(body, "tensor<1000xf32>")));
  ASSERT_TRUE(splat);
  EXPECT_TRUE(splat.isSplat());
}

/// The sum of `rows` copies of two numbers, which are written out first.
static std::string makeExpansion(int64_t rows) {
  std::string large = "tensor<" + std::to_string(rows) + "x2xf32>";
  return R"(
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %e = tensor.empty() : )" +
         large + R"(
    %b = linalg.broadcast ins(%c : tensor<2xf32>) outs(%e : )" +
         large + R"() dimensions = [0]
    %i = arith.constant dense<0.0> : tensor<2xf32>
    %s = linalg.reduce { arith.addf } ins(%b : )" +
         large + R"() outs(%i : tensor<2xf32>) dimensions = [0]
    return %s : tensor<2xf32>)";
}

TEST_F(EvaluateTest, LargeExpansionsAreLeftToTheProgram) {
  EXPECT_EQ(run<float>(makeExpansion(1 << 16), "tensor<2xf32>"),
            (std::vector<float>{65536, 131072}));
  EXPECT_FALSE(ConstantEvaluator().evaluate(parse(makeExpansion((1 << 23) + 1), "tensor<2xf32>")));
  // What reads a large splat would have to write it out.
  EXPECT_FALSE(ConstantEvaluator().evaluate(parse(R"(
    %c = arith.constant dense<7.0> : tensor<16777217xf32>
    %i = arith.constant dense<0.0> : tensor<f32>
    %m = linalg.reduce { arith.maximumf } ins(%c : tensor<16777217xf32>)
                       outs(%i : tensor<f32>) dimensions = [0]
    return %m : tensor<f32>)",
                                                  "tensor<f32>")));
}

TEST_F(EvaluateTest, SplatsTakeNoMemory) {
  // A terabyte of sevens: what is cut out of it is known, what would have to read it all is not.
  std::string body = R"(
    %c = arith.constant dense<7.0> : tensor<524288x524288xf32>
    %s = tensor.extract_slice %c[5, 6] [3, 2] [1, 1] : tensor<524288x524288xf32> to tensor<3x2xf32>
    return %s : tensor<3x2xf32>)";
  EXPECT_EQ(run<float>(body, "tensor<3x2xf32>"), std::vector<float>(6, 7.0f));
  std::string maximum = R"(
    %c = arith.constant dense<7.0> : tensor<274877906944xf32>
    %i = arith.constant dense<0.0> : tensor<f32>
    %m = linalg.reduce { arith.maximumf } ins(%c : tensor<274877906944xf32>)
                       outs(%i : tensor<f32>) dimensions = [0]
    return %m : tensor<f32>)";
  for (int64_t limit : {int64_t(0), int64_t(1) << 20})
    EXPECT_FALSE(ConstantEvaluator(limit).evaluate(parse(maximum, "tensor<f32>")));
}

TEST_F(EvaluateTest, SizesBeyond64BitsAreNotComputed) {
  EXPECT_FALSE(ConstantEvaluator().evaluate(parse(R"(
    %c = arith.constant 3.0 : f32
    %e = tensor.empty() : tensor<4294967296x4294967296xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
    return %f : tensor<4294967296x4294967296xf32>)",
                                                  "tensor<4294967296x4294967296xf32>")));
}

TEST_F(EvaluateTest, NoElementsAreNoBytes) {
  EXPECT_TRUE(run<float>(R"(
    %c = arith.constant dense<7.0> : tensor<3x0xf32>
    %s = tensor.collapse_shape %c [[0, 1]] : tensor<3x0xf32> into tensor<0xf32>
    return %s : tensor<0xf32>)",
                         "tensor<0xf32>")
                  .empty());
}

TEST_F(EvaluateTest, LargeResultsAreResourcesThatOwnTheirBytes) {
  std::vector<char> bytes(4096);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = char(i * 7);
  auto type = RankedTensorType::get({4096}, IntegerType::get(&context, 8));
  ElementsAttr first = makeConstant(type, bytes), second = makeConstant(type, bytes);
  EXPECT_TRUE(isa<DenseResourceElementsAttr>(first));
  EXPECT_NE(first, second);
  FailureOr<ConstantBytes> read = getConstantBytes(first);
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->data, ArrayRef<char>(bytes));
}

} // namespace
