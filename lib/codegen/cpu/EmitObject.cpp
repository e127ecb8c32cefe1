//===- EmitObject.cpp - LLVM dialect to an object file ---------------------===//
//
// Translates to LLVM IR, adds the entry points that the runtime calls, optimizes and emits code.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCpu.h"

#include "../common/Optimize.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir;
using namespace udnn::codegen;

/// Code uses the features that the device names, and none that its model has besides: the runtime
/// looks for those alone. The model only tunes.
static std::unique_ptr<llvm::TargetMachine> createTargetMachine(udnn::dnn::DeviceAttr device,
                                                                Location loc) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(loc) << "no code generator for '" << triple.str() << "': " << error;
    return nullptr;
  }
  StringRef arch = device.getArch().getValue();
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!info || !info->isCPUStringValid(arch)) {
    emitError(loc) << "expects a CPU that LLVM knows for '" << triple.str() << "', got '" << arch
                   << "'";
    return nullptr;
  }
  StringRef baseline = triple.isX86() ? StringRef("x86-64") : arch;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, baseline, device.getFeatures().getValue(), {},
                                  llvm::Reloc::PIC_, {}, llvm::CodeGenOptLevel::Default));
}

/// Lets the model decide which of several ways to do the same is the fastest.
static void tuneFor(udnn::dnn::DeviceAttr device, llvm::Module &module) {
  std::string width = std::to_string(device.getVectorBits());
  for (llvm::Function &function : module) {
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("tune-cpu", device.getArch().getValue());
  }
}

/// Renames the kernel and defines `void name(ptr arguments, i64 begin, i64 end)` around it.
static void addEntryPoint(llvm::Function &kernel) {
  llvm::Module &module = *kernel.getParent();
  llvm::LLVMContext &context = module.getContext();
  std::string name = kernel.getName().str();
  kernel.setName(name + ".task");
  kernel.setLinkage(llvm::GlobalValue::InternalLinkage);
  // A call per task costs next to nothing and keeps what the arguments say about aliasing.
  kernel.addFnAttr(llvm::Attribute::NoInline);
  kernel.addFnAttr(llvm::Attribute::NoUnwind);

  llvm::Type *i64 = llvm::Type::getInt64Ty(context);
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  auto *start = llvm::BasicBlock::Create(context, "start", entry);
  auto *loop = llvm::BasicBlock::Create(context, "loop", entry);
  auto *done = llvm::BasicBlock::Create(context, "done", entry);

  llvm::IRBuilder<> builder(start);
  llvm::Value *begin = entry->getArg(1), *end = entry->getArg(2);
  SmallVector<llvm::Value *> operands;
  for (unsigned i = 0, e = kernel.arg_size() - 1; i < e; ++i)
    operands.push_back(builder.CreateLoad(
        pointer, builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), i)));
  builder.CreateCondBr(builder.CreateICmpSLT(begin, end), loop, done);

  builder.SetInsertPoint(loop);
  llvm::PHINode *task = builder.CreatePHI(i64, 2);
  operands.push_back(task);
  builder.CreateCall(&kernel, operands);
  llvm::Value *next = builder.CreateAdd(task, llvm::ConstantInt::get(i64, 1), "", false, true);
  task->addIncoming(begin, start);
  task->addIncoming(next, loop);
  builder.CreateCondBr(builder.CreateICmpSLT(next, end), loop, done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

static LogicalResult addEntryPoints(llvm::Module &module, Location loc) {
  SmallVector<llvm::Function *> kernels;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      kernels.push_back(&function);
  for (llvm::Function *kernel : kernels) {
    llvm::FunctionType *type = kernel->getFunctionType();
    ArrayRef<llvm::Type *> params = type->params();
    if (params.empty() || !params.back()->isIntegerTy(64) || !type->getReturnType()->isVoidTy() ||
        !llvm::all_of(params.drop_back(), [](llvm::Type *t) { return t->isPointerTy(); }))
      return emitError(loc) << "expects kernel '" << kernel->getName()
                            << "' to take memrefs and the index of a task and to return nothing";
    addEntryPoint(*kernel);
  }
  return success();
}

FailureOr<Object> udnn::codegen::emitObject(ModuleOp module, bool vectorizeLoops,
                                            dnn::DeviceAttr device) {
  Location loc = module.getLoc();
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(device, loc);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return emitError(loc, "cannot translate a kernel to LLVM IR");
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  if (failed(addEntryPoints(*code, loc)))
    return failure();
  tuneFor(device, *code);
  llvm::PipelineTuningOptions options;
  options.SLPVectorization = false;
  options.LoopVectorization = options.LoopUnrolling = options.LoopInterleaving = vectorizeLoops;
  auto level = vectorizeLoops ? llvm::OptimizationLevel::O2 : llvm::OptimizationLevel::O1;
  optimize(*code, *machine, level, options);
  if (failed(addHalfConversions(*code, *machine, loc)))
    return failure();

  Object object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return emitError(loc, "cannot emit object files for this CPU");
  passes.run(*code);
  return object;
}
