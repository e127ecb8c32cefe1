//===- Cpu.h - functions compiled for the CPU --------------------*- C++ -*-===//
//
// What families say to the CPU backend, and compilation without kernels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_CODEGEN_CPU_H
#define UDNN_CODEGEN_CPU_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace udnn {

/// Unit attribute of a kernel function: LLVM's loop vectorizer and unroller run on it. Functions
/// without it are vectorized by hand and only simplified.
inline constexpr llvm::StringLiteral kVectorizeLoopsAttrName = "dnn.vectorize_loops";

/// Compiles every public function of `kernels` to
/// `void name(void *const *arguments, int64_t begin, int64_t end)` and returns the bytes of one
/// shared library that needs at most libm. The functions have static memref arguments, then the
/// task's index; outputs that alias nothing may carry `llvm.noalias`. `kernels` is lowered in
/// place.
mlir::FailureOr<std::vector<char>> compileModuleToSharedLibrary(mlir::ModuleOp kernels,
                                                                dnn::DeviceAttr device);

} // namespace udnn

#endif // UDNN_CODEGEN_CPU_H
