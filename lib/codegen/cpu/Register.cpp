//===- Register.cpp - what CPU code generation loads ------------------------===//
//
// Registers dialects and their translation to LLVM IR.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCpu.h"

#include "udnn/Kernels/Dialects.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

void udnn::codegen::registerCpuDialects(DialectRegistry &registry) {
  registerKernelDialects(registry);
  registry.insert<cf::ControlFlowDialect, dnn::DnnDialect, index::IndexDialect, LLVM::LLVMDialect,
                  ub::UBDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}
