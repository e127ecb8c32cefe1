//===- Optimize.h - LLVM's optimizer -----------------------------*- C++ -*-===//
//
// Runs LLVM's default pipeline on the code of a target.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CODEGEN_COMMON_OPTIMIZE_H
#define UDNN_LIB_CODEGEN_COMMON_OPTIMIZE_H

#include "llvm/Passes/PassBuilder.h"

namespace udnn::codegen {

/// Optimizes `module` for `machine`.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, llvm::OptimizationLevel level,
              const llvm::PipelineTuningOptions &options = {});

} // namespace udnn::codegen

#endif // UDNN_LIB_CODEGEN_COMMON_OPTIMIZE_H
