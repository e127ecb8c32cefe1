//===- CompileTest.cpp - from functions on memrefs to code that runs -------===//
//
// Compiles kernels from text, runs them, and compares with the same arithmetic in f64.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SharedLibrary.h"

#include "udnn/Codegen/Backend.h"
#include "udnn/Codegen/Cpu.h"
#include "udnn/Cost/Device.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace udnn;
using test::SharedLibrary;

namespace {
class CompileTest : public testing::Test {
protected:
  CompileTest() {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    seed = std::random_device()();
    RecordProperty("seed", seed);
    random.seed(seed);
    handler.emplace(&context, [this](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return success();
    });
  }

  FailureOr<std::vector<char>> compile(StringRef text, StringRef cpu = "native") {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    FailureOr<dnn::DeviceAttr> device =
        getDevice(&context, "cpu", cpu, [&] { return emitError(UnknownLoc::get(&context)); });
    if (failed(device))
      return failure();
    return compileModuleToSharedLibrary(*module, *device);
  }

  MLIRContext context;
  std::optional<ScopedDiagnosticHandler> handler;
  std::string errors;
  unsigned seed;
  std::mt19937 random;
};
} // namespace

/// A kernel with tasks, run as two ranges.
TEST_F(CompileTest, RunsTasks) {
  FailureOr<std::vector<char>> bytes = compile(R"(
    func.func @scale(%x: memref<4x8xf32>, %y: memref<4x8xf32> {llvm.noalias}, %task: index) {
      %c0 = arith.constant 0 : index
      %two = arith.constant dense<2.0> : vector<8xf32>
      %0 = vector.load %x[%task, %c0] : memref<4x8xf32>, vector<8xf32>
      %1 = arith.mulf %0, %two : vector<8xf32>
      vector.store %1, %y[%task, %c0] : memref<4x8xf32>, vector<8xf32>
      return
    })");
  ASSERT_TRUE(succeeded(bytes)) << errors;
  SharedLibrary library(*bytes);
  SharedLibrary::Kernel kernel = library.lookup("scale");
  ASSERT_NE(kernel, nullptr);
  std::vector<float> x(32), y(32, NAN);
  for (float &value : x)
    value = std::normal_distribution<float>()(random);
  void *arguments[] = {x.data(), y.data()};
  kernel(arguments, 0, 1);
  kernel(arguments, 1, 4);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(y[i], 2 * x[i]) << "seed " << seed;
}

/// linalg on buffers becomes loops that LLVM vectorizes; `math` is accurate.
TEST_F(CompileTest, LowersMath) {
  for (auto [name, function, low, high] :
       {std::tuple("exp", (double (*)(double))std::exp, -80., 80.),
        std::tuple("log", (double (*)(double))std::log, 1e-30, 1e30),
        std::tuple("tanh", (double (*)(double))std::tanh, -12., 12.),
        std::tuple("erf", (double (*)(double))std::erf, -5., 5.),
        std::tuple("expm1", (double (*)(double))std::expm1, -1., 1.),
        std::tuple("log1p", (double (*)(double))std::log1p, -.5, 1.),
        std::tuple("sin", (double (*)(double))std::sin, -100., 100.),
        std::tuple("tan", (double (*)(double))std::tan, -1., 1.),
        std::tuple("atan", (double (*)(double))std::atan, -9., 9.),
        std::tuple("sinh", (double (*)(double))std::sinh, -5., 5.)}) {
    std::string text = R"(
    func.func @kernel(%x: memref<1000xf32>, %y: memref<1000xf32> {llvm.noalias}, %task: index)
        attributes {dnn.vectorize_loops} {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]}
          ins(%x : memref<1000xf32>) outs(%y : memref<1000xf32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = math.)" + std::string(name) +
                       R"( %a : f32
        linalg.yield %0 : f32
      }
      return
    })";
    FailureOr<std::vector<char>> bytes = compile(text);
    ASSERT_TRUE(succeeded(bytes)) << name << ": " << errors;
    SharedLibrary library(*bytes);
    SharedLibrary::Kernel kernel = library.lookup("kernel");
    ASSERT_NE(kernel, nullptr);
    std::vector<float> x(1000), y(1000, NAN);
    for (float &value : x)
      value = std::uniform_real_distribution<float>(low, high)(random);
    void *arguments[] = {x.data(), y.data()};
    kernel(arguments, 0, 1);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
      double expected = function(x[i]);
      worst = std::max(worst,
                       std::abs(y[i] - expected) / std::max(std::abs(expected), 1e-30) * (1 << 23));
    }
    EXPECT_LT(worst, 6) << name << ", seed " << seed;
  }
}

/// The nearest number with 11 significant bits, ties to even, as a double.
static double roundToHalf(double value) {
  if (value == 0)
    return value;
  double unit = std::ldexp(1.0, std::max(std::ilogb(value), -14) - 10);
  double rounded = std::nearbyint(value / unit) * unit;
  return std::abs(rounded) >= 65520 ? std::copysign(INFINITY, value) : rounded;
}

static double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

/// f64 is rounded once on its way to f16, also next to the middle of two numbers.
TEST_F(CompileTest, TruncatesDoubles) {
  FailureOr<std::vector<char>> bytes = compile(R"(
    func.func @kernel(%x: memref<1000xf64>, %y: memref<1000xf16> {llvm.noalias}, %task: index)
        attributes {dnn.vectorize_loops} {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]}
          ins(%x : memref<1000xf64>) outs(%y : memref<1000xf16>) {
      ^bb0(%a: f64, %b: f16):
        %0 = arith.truncf %a : f64 to f16
        linalg.yield %0 : f16
      }
      return
    })");
  ASSERT_TRUE(succeeded(bytes)) << errors;
  SharedLibrary library(*bytes);
  std::vector<double> x(1000);
  std::vector<uint16_t> y(1000);
  for (int i = 0; i < 1000; ++i) {
    double value =
        std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random), int(random() % 44) - 26);
    // Half of them lie almost in the middle between two numbers of f16.
    double unit = std::ldexp(1.0, std::max(std::ilogb(value), -14) - 10);
    double middle = (std::floor(value / unit) + 0.5) * unit;
    x[i] = i % 2 ? value : middle * (1 + (int(i % 3) - 1) * 1e-14);
  }
  void *arguments[] = {x.data(), y.data()};
  library.lookup("kernel")(arguments, 0, 1);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(fromHalf(y[i]), roundToHalf(x[i])) << x[i] << ", seed " << seed;
}

#ifdef __x86_64__
/// Processors without f16 get the conversions as code: all numbers of f16 to f32, and numbers of
/// f32 of all sizes to f16.
TEST_F(CompileTest, ConvertsHalfOnOldProcessors) {
  FailureOr<std::vector<char>> bytes = compile(R"(
    func.func @kernel(%x: memref<65536xf16>, %y: memref<65536xf32>, %z: memref<65536xf16>,
                      %task: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %end = arith.constant 65536 : index
      scf.for %i = %c0 to %end step %c1 {
        %a = memref.load %y[%i] : memref<65536xf32>
        %b = arith.truncf %a : f32 to f16
        memref.store %b, %z[%i] : memref<65536xf16>
        %c = memref.load %x[%i] : memref<65536xf16>
        %d = arith.extf %c : f16 to f32
        memref.store %d, %y[%i] : memref<65536xf32>
      }
      return
    })",
                                               "x86-64-v2");
  ASSERT_TRUE(succeeded(bytes)) << errors;
  SharedLibrary library(*bytes);
  std::vector<uint16_t> x(65536), z(65536);
  std::vector<float> y(65536);
  for (int i = 0; i < 65536; ++i) {
    x[i] = i;
    uint32_t bits = random();
    // Half of them near numbers of f16 and near the middles between two; the others anywhere.
    float half =
        std::ldexp(std::round(std::ldexp(float(random() % 4096), -1)), int(random() % 32) - 26);
    std::memcpy(&y[i], &bits, 4);
    if (i % 2)
      y[i] = i % 4 == 1 ? half : std::nextafter(half, i % 8 == 3 ? INFINITY : -INFINITY);
  }
  const float edges[] = {0.0f,     -0.0f,    INFINITY, -INFINITY,       NAN,      65519.996f,
                         65520.0f, 65536.0f, 0x1p-25f, 0x1.000002p-25f, 0x1p-149f};
  std::copy(std::begin(edges), std::end(edges), y.begin());
  std::vector<float> given = y;
  void *arguments[] = {x.data(), y.data(), z.data()};
  library.lookup("kernel")(arguments, 0, 1);
  for (int i = 0; i < 65536; ++i) {
    bool isNan = (i & 0x7fff) > 0x7c00;
    double expected = isNan ? NAN : fromHalf(i);
    ASSERT_TRUE(std::isnan(expected) ? std::isnan(y[i]) : y[i] == expected) << i;
    if (std::isnan(given[i])) {
      ASSERT_GT(z[i] & 0x7fff, 0x7c00) << given[i];
      continue;
    }
    ASSERT_EQ(z[i] >> 15, int(std::signbit(given[i])));
    double limit = std::abs(given[i]) >= 65520 ? INFINITY : std::abs(roundToHalf(given[i]));
    ASSERT_EQ(std::abs(fromHalf(z[i])), limit) << given[i] << ", seed " << seed;
  }
}
#endif

/// What the run time lacks is an error at compile time.
TEST_F(CompileTest, RejectsUnknownFunctions) {
  EXPECT_TRUE(failed(compile(R"(
    func.func private @puts(memref<4xi8>)
    func.func @kernel(%x: memref<4xi8>, %task: index) {
      call @puts(%x) : (memref<4xi8>) -> ()
      return
    })")));
  EXPECT_NE(errors.find("kernel code calls 'puts'"), std::string::npos) << errors;
}

/// Heap memory is not for kernels.
TEST_F(CompileTest, RejectsAllocation) {
  EXPECT_TRUE(failed(compile(R"(
    func.func @kernel(%x: memref<100xf32>, %task: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c99 = arith.constant 99 : index
      %c100 = arith.constant 100 : index
      %0 = memref.alloc() : memref<100xf32>
      scf.for %i = %c0 to %c100 step %c1 {
        %1 = memref.load %x[%i] : memref<100xf32>
        memref.store %1, %0[%i] : memref<100xf32>
      }
      scf.for %i = %c0 to %c100 step %c1 {
        %1 = arith.subi %c99, %i : index
        %2 = memref.load %0[%1] : memref<100xf32>
        memref.store %2, %x[%i] : memref<100xf32>
      }
      return
    })")));
  EXPECT_NE(errors.find("kernel code calls 'malloc'"), std::string::npos) << errors;
}

TEST_F(CompileTest, RejectsUnknownCpu) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>("func.func @k(%t: index) { return }", &context);
  auto device = cast<dnn::DeviceAttr>(parseAttribute(
      R"(#dnn.device<kind = "cpu", arch = "abacus", features = "", cores = 1, vector_bits = 128,
         gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>)",
      &context));
  EXPECT_TRUE(failed(compileModuleToSharedLibrary(*module, device)));
  EXPECT_NE(errors.find("got 'abacus'"), std::string::npos) << errors;
}
