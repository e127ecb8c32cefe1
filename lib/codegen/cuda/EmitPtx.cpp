//===- EmitPtx.cpp - NVVM to PTX --------------------------------------------===//
//
// Translates to LLVM IR, links the functions of libdevice that are called, optimizes, and emits
// PTX.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCuda.h"

#include "../common/Optimize.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

using namespace mlir;

extern "C" {
void LLVMInitializeNVPTXTargetInfo(void);
void LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void);
void LLVMInitializeNVPTXAsmPrinter(void);
}

/// Prefix of the functions of libdevice.
static constexpr StringLiteral kLibdevicePrefix = "__nv_";

/// True for architectures with all instructions that kernels use: LLVM aborts on those it lacks.
static bool isCovered(StringRef arch) {
  unsigned number;
  return arch.consume_front("sm_") && !arch.consumeInteger(10, number) && number >= 80;
}

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(StringRef arch, Location loc) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(loc) << "LLVM has no code generator for CUDA: " << error;
    return nullptr;
  }
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!isCovered(arch) || !info->isCPUStringValid(arch)) {
    emitError(loc) << "expects a CUDA architecture from 'sm_80' on that LLVM knows, got '" << arch
                   << "'";
    return nullptr;
  }
  // Without features LLVM takes the lowest PTX version that has the architecture, which the largest
  // number of drivers accepts.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, "", {}, std::nullopt, {}, llvm::CodeGenOptLevel::Aggressive));
}

/// A function of libdevice that is called but not there, or null.
static const llvm::Function *getLibdeviceCall(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with(kLibdevicePrefix))
      return &function;
  return nullptr;
}

/// The name of a function that calls `function`.
static StringRef getCaller(const llvm::Function &function) {
  for (const llvm::User *user : function.users())
    if (auto *call = dyn_cast<llvm::CallBase>(user))
      return call->getFunction()->getName();
  return {};
}

/// Links the called functions of libdevice.
static LogicalResult linkLibdevice(llvm::Module &module, Location loc) {
  const llvm::Function *call = getLibdeviceCall(module);
  if (!call)
    return success();
  std::optional<std::string> path =
      udnn::codegen::findToolkitFile("nvvm/libdevice/libdevice.10.bc");
  if (!path)
    return emitError(loc) << "kernel '" << getCaller(*call) << "' calls '" << call->getName()
                          << "' of libdevice, which is not found: install the CUDA toolkit or "
                             "the PyPI package 'nvidia-cuda-nvcc-cu12' and set CUDA_HOME";
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library = llvm::parseIRFile(*path, diagnostic, module.getContext());
  if (!library)
    return emitError(loc) << "cannot read '" << *path << "': " << diagnostic.getMessage();
  library->setDataLayout(module.getDataLayout());
  library->setTargetTriple(module.getTargetTriple());
  bool failed = llvm::Linker::linkModules(
      module, std::move(library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &linked, const llvm::StringSet<> &names) {
        llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
          return !value.hasName() || !names.contains(value.getName());
        });
      });
  if (failed || getLibdeviceCall(module))
    return emitError(loc) << "cannot link '" << *path << "'";
  // Subnormal numbers are kept.
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  return success();
}

namespace {
/// Collects what LLVM reports instead of printing it.
struct CollectErrors : llvm::DiagnosticHandler {
  explicit CollectErrors(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string &text;
};
} // namespace

FailureOr<std::string> udnn::codegen::emitPtx(gpu::GPUModuleOp module, dnn::DeviceAttr device) {
  Location loc = module.getLoc();
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(device.getArch().getValue(), loc);
  if (!machine)
    return failure();
  std::string errors;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<CollectErrors>(errors));
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return emitError(loc, "cannot translate kernels to LLVM IR");
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  if (failed(linkLibdevice(*code, loc)))
    return failure();
  optimize(*code, *machine, llvm::OptimizationLevel::O3);

  SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc, "cannot emit PTX");
  passes.run(*code);
  if (!errors.empty())
    return emitError(loc) << "cannot compile kernels to PTX: " << errors;
  return ptx.str().str();
}
