//===- Plan.h - passes that decide -------------------------------*- C++ -*-===//
//
// Declares the passes of the plan stage.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_PLAN_H
#define UDNN_PASSES_PLAN_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace udnn {

/// Attribute of a module: the limits under which it was planned, a `#dnn.limits`.
inline constexpr llvm::StringLiteral kLimitsAttrName = "dnn.limits";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "udnn/Passes/Plan.h.inc"

} // namespace udnn

#endif // UDNN_PASSES_PLAN_H
