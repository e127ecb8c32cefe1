//===- ExpandMath.h - arithmetic that no target has --------------*- C++ -*-===//
//
// Rewrites of scalar arithmetic that all targets need before they lower it to LLVM.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CODEGEN_COMMON_EXPANDMATH_H
#define UDNN_LIB_CODEGEN_COMMON_EXPANDMATH_H

#include "mlir/IR/Operation.h"
#include "mlir/Pass/PassManager.h"

namespace udnn::codegen {

/// Replaces divisions that round up or down, and truncations from f64 to 16 bits, which LLVM lacks.
llvm::LogicalResult expandArithmetic(mlir::Operation *root);

/// Replaces functions of f32 by polynomials where those are accurate to a few units in the last
/// place over the whole range.
llvm::LogicalResult approximateMath(mlir::Operation *root);

/// Adds the passes that compute bf16 in f32.
void addBFloat16Passes(mlir::OpPassManager &passes);

} // namespace udnn::codegen

#endif // UDNN_LIB_CODEGEN_COMMON_EXPANDMATH_H
