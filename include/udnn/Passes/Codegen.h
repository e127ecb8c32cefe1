//===- Codegen.h - kernels to machine code -----------------------*- C++ -*-===//
//
// The passes of the stage between launches and the artifact.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_CODEGEN_H
#define UDNN_PASSES_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace udnn {

#define GEN_PASS_DECL
#include "udnn/Passes/Codegen.h.inc"

#define GEN_PASS_REGISTRATION
#include "udnn/Passes/Codegen.h.inc"

} // namespace udnn

#endif // UDNN_PASSES_CODEGEN_H
