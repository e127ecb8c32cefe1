//===- BuildKernels.cpp - show generated functions -------------------------===//
//
// Appends the functions that the families generate, for reading and for tests.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Codegen/Backend.h"
#include "udnn/Cost/Device.h"
#include "udnn/Passes/Codegen.h"

#include "mlir/IR/Builders.h"

namespace udnn {
#define GEN_PASS_DEF_BUILDKERNELSPASS
#include "udnn/Passes/Codegen.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

namespace {
struct BuildKernelsPass : public udnn::impl::BuildKernelsPassBase<BuildKernelsPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    BuildKernelsPassBase::getDependentDialects(registry);
    registerCodegenDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dnn::DeviceAttr device = getDevice(module);
    for (auto program : module.getOps<dnn::ProgramOp>())
      device = device ? device : program.getTarget();
    if (!device) {
      module.emitError("expects a program or 'dnn.device'");
      return signalPassFailure();
    }
    const Backend *backend = lookupBackend(device);
    if (!backend) {
      module.emitError("no code generator for devices of kind '")
          << device.getKind().getValue() << "'";
      return signalPassFailure();
    }
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc(), "kernels");
    for (auto kernel : module.getOps<dnn::KernelOp>())
      if (llvm::all_of(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>) &&
          failed(backend->buildKernel(kernel, device, *kernels)))
        return signalPassFailure();
    module.push_back(kernels.release());
  }
};
} // namespace
