//===- Optimize.cpp - LLVM's optimizer --------------------------------------===//
//
// Sets up the analyses of the pipeline.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

void udnn::codegen::optimize(llvm::Module &module, llvm::TargetMachine &machine,
                             llvm::OptimizationLevel level,
                             const llvm::PipelineTuningOptions &options) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, options);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}
