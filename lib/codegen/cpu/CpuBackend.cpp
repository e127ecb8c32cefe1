//===- CpuBackend.cpp - kernels to a shared library -------------------------===//
//
// Runs all steps of CPU code generation, one kernel at a time on every thread of the context.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuBackend.h"

#include "CodegenCpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::codegen;

/// Lowers and compiles the functions of `module`.
static FailureOr<Object> compileModule(ModuleOp module, dnn::DeviceAttr device) {
  bool vectorizeLoops = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    vectorizeLoops |= function->hasAttr(kVectorizeLoopsAttrName);
    function->removeAttr(kVectorizeLoopsAttrName);
    // Only kernels are visible outside of the library.
    if (function.isPrivate() && !function.isDeclaration())
      function->setAttr("llvm.linkage",
                        LLVM::LinkageAttr::get(module.getContext(), LLVM::Linkage::Internal));
  }
  if (failed(lowerToLLVM(module)))
    return failure();
  return emitObject(module, vectorizeLoops, device);
}

FailureOr<std::vector<char>> udnn::compileModuleToSharedLibrary(ModuleOp kernels,
                                                                dnn::DeviceAttr device) {
  if (failed(verify(kernels)))
    return failure();
  FailureOr<Object> object = compileModule(kernels, device);
  if (failed(object))
    return failure();
  return linkObjects(*object, kernels.getLoc());
}

/// An output aliases no other argument, unless it may share the bytes of an input.
static void markNoAlias(func::FuncOp function, dnn::KernelOp kernel) {
  int64_t outputs = kernel.getNumOutputs();
  int64_t inputs = kernel.getArgumentTypes().size() - outputs;
  for (int64_t i = 0; i < outputs; ++i)
    if (kernel.getInPlace().empty() || kernel.getInPlace()[i] < 0)
      function.setArgAttr(inputs + i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(kernel.getContext()));
}

namespace {
class CpuBackend : public Backend {
public:
  StringRef getDeviceKind() const override { return "cpu"; }
  void registerDialects(DialectRegistry &registry) const override { registerCpuDialects(registry); }
  FailureOr<TargetCode> compile(ArrayRef<LaunchedKernel> kernels,
                                dnn::DeviceAttr device) const override;

protected:
  LogicalResult finishKernel(dnn::KernelOp kernel, ModuleOp module) const override;

private:
  FailureOr<Object> compileKernel(LaunchedKernel launched, dnn::DeviceAttr device) const;
};
} // namespace

LogicalResult CpuBackend::finishKernel(dnn::KernelOp kernel, ModuleOp module) const {
  auto function = module.lookupSymbol<func::FuncOp>(kernel.getSymName());
  size_t arguments = kernel.getArgumentTypes().size() + (kernel.getWorkerBytes() ? 2 : 1);
  if (!function || function.getNumArguments() != arguments)
    return kernel.emitError() << "expects family '" << kernel.getFamily()
                              << "' to build a function of " << arguments << " arguments";
  markNoAlias(function, kernel);
  return success();
}

FailureOr<Object> CpuBackend::compileKernel(LaunchedKernel launched, dnn::DeviceAttr device) const {
  auto [kernel, layer] = launched;
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  FailureOr<Object> object = failure();
  if (succeeded(buildKernel(kernel, device, *module)))
    object = compileModule(*module, device);
  if (failed(object))
    return kernel.emitError() << "cannot compile kernel '" << kernel.getSymName() << "' of family '"
                              << kernel.getFamily() << "' for layer '" << layer << "'";
  return object;
}

FailureOr<TargetCode> CpuBackend::compile(ArrayRef<LaunchedKernel> kernels,
                                          dnn::DeviceAttr device) const {
  TargetCode code{"elf", {}};
  if (kernels.empty())
    return code;
  std::vector<Object> objects(kernels.size());
  auto compileOne = [&](size_t index) {
    FailureOr<Object> object = compileKernel(kernels[index], device);
    if (failed(object))
      return failure();
    objects[index] = std::move(*object);
    return success();
  };
  if (failed(failableParallelForEachN(device.getContext(), 0, kernels.size(), compileOne)))
    return failure();
  FailureOr<std::vector<char>> library =
      linkObjects(objects, kernels.front().first->getParentOp()->getLoc());
  if (failed(library))
    return failure();
  code.bytes = std::move(*library);
  return code;
}

std::unique_ptr<Backend> codegen::createCpuBackend() { return std::make_unique<CpuBackend>(); }
