//===- Codegen.cpp - generate and compile kernels --------------------------===//
//
// One `dnn.code` for each target, from the kernels that its programs launch.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Codegen.h"

#include "udnn/Codegen/Backend.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace udnn {
#define GEN_PASS_DEF_CODEGENPASS
#include "udnn/Passes/Codegen.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

namespace {
/// The kernels of one target in the order of their first launch, with the name of that launch.
using Kernels = llvm::MapVector<dnn::KernelOp, StringRef>;

/// A target: its first program, and its kernels.
struct Target {
  dnn::ProgramOp program;
  Kernels kernels;
};
using Targets = llvm::MapVector<dnn::DeviceAttr, Target>;

struct CodegenPass : public udnn::impl::CodegenPassBase<CodegenPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    CodegenPassBase::getDependentDialects(registry);
    registerCodegenDialects(registry);
  }
  void runOnOperation() override;
};
} // namespace

/// Collects the launched kernels by target.
static LogicalResult collectKernels(ModuleOp module, Targets &targets) {
  SymbolTableCollection tables;
  for (auto program : module.getOps<dnn::ProgramOp>()) {
    Target &target = targets[program.getTarget()];
    if (!target.program)
      target.program = program;
    for (auto launch : program.getBody().getOps<dnn::LaunchOp>()) {
      auto kernel = tables.lookupNearestSymbolFrom<dnn::KernelOp>(launch, launch.getKernelAttr());
      if (!kernel)
        return launch.emitOpError("expects '") << launch.getKernel() << "' to name a kernel";
      for (Type type : kernel.getArgumentTypes())
        if (!isa<MemRefType>(type))
          return kernel.emitError() << "expects the arguments of kernel '" << kernel.getSymName()
                                    << "' to be memrefs, got " << type;
      target.kernels.insert({kernel, launch.getName()});
    }
  }
  return success();
}

static FailureOr<TargetCode> compile(dnn::DeviceAttr device, Target &target) {
  if (const Backend *backend = lookupBackend(device))
    return backend->compile(target.kernels.getArrayRef(), device);
  return target.program.emitError()
         << "no code generator for devices of kind '" << device.getKind().getValue() << "'";
}

/// Appends the operation that holds the code.
static void appendCode(ModuleOp module, StringRef name, dnn::DeviceAttr device,
                       const Kernels &kernels, const TargetCode &code) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto type = RankedTensorType::get({int64_t(code.bytes.size())}, builder.getI8Type());
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocateAndCopyWithAlign(ArrayRef<char>(code.bytes), 64);
  auto data = DenseResourceElementsAttr::get(type, name, std::move(blob));
  SmallVector<Attribute> symbols;
  for (dnn::KernelOp kernel : llvm::make_first_range(kernels))
    symbols.push_back(FlatSymbolRefAttr::get(kernel.getSymNameAttr()));
  dnn::CodeOp::create(builder, module.getLoc(), name, device, code.format,
                      builder.getArrayAttr(symbols), data);
}

void CodegenPass::runOnOperation() {
  ModuleOp module = getOperation();
  Targets targets;
  if (failed(collectKernels(module, targets)))
    return signalPassFailure();
  llvm::StringMap<int> counts;
  for (auto &[device, target] : targets) {
    if (target.kernels.empty())
      continue;
    FailureOr<TargetCode> code = compile(device, target);
    if (failed(code))
      return signalPassFailure();
    std::string name = ("code_" + device.getKind().getValue()).str();
    if (int count = counts[name]++)
      name += "_" + std::to_string(count);
    appendCode(module, name, device, target.kernels, *code);
  }
}
