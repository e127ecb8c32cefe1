//===- CodegenCpu.h - the steps of CPU code generation -----------*- C++ -*-===//
//
// Shared by the files of this folder: MLIR to the LLVM dialect, LLVM IR to an object, objects to
// a shared library.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CODEGEN_CPU_CODEGENCPU_H
#define UDNN_LIB_CODEGEN_CPU_CODEGENCPU_H

#include "udnn/Codegen/Cpu.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace udnn::codegen {

using Object = llvm::SmallVector<char, 0>;

/// Registers what CPU code generation loads.
void registerCpuDialects(mlir::DialectRegistry &registry);

/// Lowers the kernel functions of `module` to the LLVM dialect: pointers instead of memrefs,
/// approximations or libm calls instead of `math`.
llvm::LogicalResult lowerToLLVM(mlir::ModuleOp module);

/// Replaces `math` operations by arithmetic where a polynomial is accurate to a few units in the
/// last place, and by calls of libm where LLVM has no intrinsic.
llvm::LogicalResult lowerMath(mlir::ModuleOp module);

/// Translates a module in the LLVM dialect, adds the entry points, and compiles it.
mlir::FailureOr<Object> emitObject(mlir::ModuleOp module, bool vectorizeLoops,
                                   dnn::DeviceAttr device);

/// Defines the conversions between f16 and f32 that LLVM calls in `module`, where `machine` lacks
/// them.
llvm::LogicalResult addHalfConversions(llvm::Module &module, const llvm::TargetMachine &machine,
                                       mlir::Location loc);

/// Links objects to a shared library. Undefined symbols that neither libm nor the C library's
/// memory functions define are errors.
mlir::FailureOr<std::vector<char>> linkObjects(llvm::ArrayRef<Object> objects, mlir::Location loc);

} // namespace udnn::codegen

#endif // UDNN_LIB_CODEGEN_CPU_CODEGENCPU_H
