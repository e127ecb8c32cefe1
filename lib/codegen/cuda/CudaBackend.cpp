//===- CudaBackend.cpp - kernels to a cubin or PTX --------------------------===//
//
// Runs all steps of CUDA code generation on the kernels of one target together.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CudaBackend.h"

#include "CodegenCuda.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::codegen;

static gpu::GPUModuleOp getGpuModule(ModuleOp module) {
  auto modules = module.getOps<gpu::GPUModuleOp>();
  return modules.empty() ? gpu::GPUModuleOp() : *modules.begin();
}

namespace {
class CudaBackend : public Backend {
public:
  StringRef getDeviceKind() const override { return "cuda"; }
  void registerDialects(DialectRegistry &registry) const override {
    registerCudaDialects(registry);
  }
  FailureOr<TargetCode> compile(ArrayRef<LaunchedKernel> kernels,
                                dnn::DeviceAttr device) const override;

protected:
  LogicalResult finishKernel(dnn::KernelOp kernel, ModuleOp module) const override;
};
} // namespace

LogicalResult CudaBackend::finishKernel(dnn::KernelOp kernel, ModuleOp module) const {
  gpu::GPUModuleOp gpuModule = getGpuModule(module);
  size_t arguments = kernel.getArgumentTypes().size() + (kernel.getWorkerBytes() ? 1 : 0);
  auto function =
      gpuModule ? gpuModule.lookupSymbol<gpu::GPUFuncOp>(kernel.getSymName()) : gpu::GPUFuncOp();
  if (!function || function.getNumArguments() != arguments)
    return kernel.emitError() << "expects family '" << kernel.getFamily()
                              << "' to build a kernel of " << arguments << " arguments";
  return success();
}

/// True for architectures such as sm_90a, whose code runs on no other one.
static bool isSpecific(StringRef arch) { return arch.ends_with("a"); }

FailureOr<TargetCode> CudaBackend::compile(ArrayRef<LaunchedKernel> kernels,
                                           dnn::DeviceAttr device) const {
  if (kernels.empty())
    return TargetCode{"ptx", {}};
  Location loc = kernels.front().first->getParentOp()->getLoc();
  if (failed(checkToolkit(loc)))
    return failure();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  for (auto [kernel, layer] : kernels)
    if (failed(buildKernel(kernel, device, *module)))
      return kernel.emitError() << "cannot generate kernel '" << kernel.getSymName()
                                << "' of family '" << kernel.getFamily() << "' for layer '" << layer
                                << "'";
  if (failed(lowerToNVVM(*module)))
    return failure();
  FailureOr<std::string> ptx = emitPtx(getGpuModule(*module), device);
  if (failed(ptx))
    return failure();
  StringRef arch = device.getArch().getValue();
  std::optional<std::string> ptxas;
  if (isSpecific(arch))
    ptxas = findToolkitFile("bin/ptxas");
  if (!ptxas)
    return TargetCode{"ptx", std::vector<char>(ptx->begin(), ptx->end())};
  FailureOr<std::vector<char>> cubin = assemble(*ptx, *ptxas, arch, loc);
  if (failed(cubin))
    return failure();
  return TargetCode{"cubin", std::move(*cubin)};
}

std::unique_ptr<Backend> codegen::createCudaBackend() { return std::make_unique<CudaBackend>(); }
