//===- Select.h - passes that turn units into dispatches ---------*- C++ -*-===//
//
// Declares the passes of the select stage.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_SELECT_H
#define UDNN_PASSES_SELECT_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace udnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "udnn/Passes/Select.h.inc"

} // namespace udnn

#endif // UDNN_PASSES_SELECT_H
