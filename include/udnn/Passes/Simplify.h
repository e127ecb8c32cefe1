//===- Simplify.h - passes that fold and fuse --------------------*- C++ -*-===//
//
// Declares the passes of the simplify stage.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_SIMPLIFY_H
#define UDNN_PASSES_SIMPLIFY_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace udnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "udnn/Passes/Simplify.h.inc"

} // namespace udnn

#endif // UDNN_PASSES_SIMPLIFY_H
