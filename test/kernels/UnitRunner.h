//===- UnitRunner.h - expand, compile and run one unit ----------*- C++ -*-===//
//
// Takes the text of a unit, has a family expand it, compiles the kernels and runs the dispatches
// on buffers, as the passes and the runtime do for whole models.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_KERNELS_UNITRUNNER_H
#define UDNN_TEST_KERNELS_UNITRUNNER_H

#include "../codegen/SharedLibrary.h"

#include "udnn/Codegen/Backend.h"
#include "udnn/Cost/Device.h"
#include "udnn/Dialect/Storage.h"
#include "udnn/Kernels/KernelFamily.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstring>
#include <optional>
#include <random>

namespace udnn::test {

/// Bytes of a tensor, row-major.
using Bytes = std::vector<char>;

template <typename T>
Bytes toBytes(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> fromBytes(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class UnitRunner : public testing::Test {
protected:
  UnitRunner() {
    mlir::DialectRegistry registry;
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    seed = std::random_device()();
    random.seed(seed);
    handler.emplace(&context, [this](mlir::Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return mlir::success();
    });
    auto found = getDevice(&context, "cpu", "native",
                           [&] { return mlir::emitError(mlir::UnknownLoc::get(&context)); });
    device = *found;
  }

  std::vector<float> randomFloats(size_t count, float low = -2, float high = 2) {
    std::uniform_real_distribution<float> distribution(low, high);
    std::vector<float> values(count);
    for (float &value : values)
      value = distribution(random);
    return values;
  }

  /// Runs `func.func @main`, whose body is one unit on its arguments and `tensor.empty`s, with the
  /// family's `candidate`-th way, and returns the results. Outputs are poisoned first; with
  /// `inPlace` they start as copies of the inputs that they may overwrite, at the same address.
  std::vector<Bytes> run(llvm::StringRef text, llvm::StringRef family, std::vector<Bytes> inputs,
                         bool inPlace = false, size_t candidate = 0) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << errors;
      return {};
    }
    (*module)->setAttr(kDeviceAttrName, device);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    if (mlir::failed(expand(*module, function, family, candidate))) {
      ADD_FAILURE() << errors;
      return {};
    }
    for (auto [argument, bytes] : llvm::zip(function.getArguments(), inputs))
      buffers[argument] = bytes;
    return runDispatches(*module, function, inPlace);
  }

  mlir::MLIRContext context;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
  dnn::DeviceAttr device;
  std::string errors;
  unsigned seed;
  std::mt19937 random;
  /// Tasks of the last run's largest grid.
  int64_t tasks = 0;

private:
  mlir::LogicalResult expand(mlir::ModuleOp module, mlir::func::FuncOp function,
                             llvm::StringRef familyName, size_t candidate) {
    dnn::UnitOp unit = *function.getOps<dnn::UnitOp>().begin();
    const KernelFamily *family = lookupKernelFamily(familyName);
    CandidateList list;
    family->getCandidates(unit, device, list);
    if (list.candidates.size() <= candidate) {
      errors += "no candidate: " + list.reason;
      return mlir::failure();
    }
    mlir::IRRewriter rewriter(&context);
    rewriter.setInsertionPoint(unit);
    KernelTable kernels(module);
    DispatchBuilder builder(rewriter, unit, familyName, kernels);
    auto results = family->expand(unit, list.candidates[candidate].parameters, device, builder);
    if (mlir::failed(results))
      return mlir::failure();
    rewriter.replaceOp(unit, *results);
    return mlir::success();
  }

  std::vector<Bytes> runDispatches(mlir::ModuleOp module, mlir::func::FuncOp function,
                                   bool inPlace) {
    std::vector<LaunchedKernel> kernels;
    for (auto kernel : module.getOps<dnn::KernelOp>()) {
      llvm::SmallVector<mlir::Type> types;
      for (mlir::Type type : kernel.getArgumentTypes()) {
        auto shaped = mlir::cast<mlir::ShapedType>(type);
        types.push_back(mlir::MemRefType::get(shaped.getShape(), shaped.getElementType()));
      }
      kernel.setFunctionType(mlir::FunctionType::get(&context, types, {}));
      kernels.push_back({kernel, "test"});
    }
    mlir::FailureOr<TargetCode> code = lookupBackend(device)->compile(kernels, device);
    if (mlir::failed(code)) {
      ADD_FAILURE() << errors;
      return {};
    }
    SharedLibrary library(code->bytes);
    for (auto dispatch : function.getOps<dnn::DispatchOp>()) {
      auto kernel = module.lookupSymbol<dnn::KernelOp>(dispatch.getKernel());
      runDispatch(dispatch, kernel, library.lookup(dispatch.getKernel().str().c_str()), inPlace);
    }
    std::vector<Bytes> results;
    for (mlir::Value value : function.getBody().front().getTerminator()->getOperands())
      results.push_back(buffers[value]);
    buffers.clear();
    return results;
  }

  void runDispatch(dnn::DispatchOp dispatch, dnn::KernelOp kernel, SharedLibrary::Kernel code,
                   bool inPlace) {
    ASSERT_NE(code, nullptr);
    std::vector<void *> arguments;
    for (mlir::Value input : dispatch.getInputs())
      arguments.push_back(buffers[input].data());
    for (auto [i, init] : llvm::enumerate(dispatch.getInits())) {
      Bytes &output = buffers[dispatch.getResult(i)];
      int64_t shared = inPlace && !kernel.getInPlace().empty() ? kernel.getInPlace()[i] : -1;
      if (shared >= 0) {
        output = buffers[dispatch.getInputs()[shared]];
        arguments[shared] = output.data();
      } else {
        output.assign(*getStorageBytes(mlir::cast<mlir::ShapedType>(init.getType())), char(0x7f));
      }
      arguments.push_back(output.data());
    }
    Bytes scratch(kernel.getWorkerBytes(), char(0x7f));
    arguments.push_back(scratch.data());
    LaunchShape shape = lookupKernelFamily(kernel.getFamily())->getLaunchShape(kernel, device);
    tasks = std::max(tasks, shape.grid[0]);
    // The order of tasks must not matter.
    int64_t half = shape.grid[0] / 2;
    code(arguments.data(), half, shape.grid[0]);
    code(arguments.data(), 0, half);
  }

  llvm::DenseMap<mlir::Value, Bytes> buffers;
};

} // namespace udnn::test

#endif // UDNN_TEST_KERNELS_UNITRUNNER_H
