//===- Lowering.h - passes that lower primitives -----------------*- C++ -*-===//
//
// Declares and registers the conversions of dnn primitives to upstream dialects.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_LOWERING_H
#define UDNN_PASSES_LOWERING_H

#include "mlir/Pass/Pass.h"

namespace udnn {

#define GEN_PASS_DECL
#include "udnn/Passes/Lowering.h.inc"

#define GEN_PASS_REGISTRATION
#include "udnn/Passes/Lowering.h.inc"

} // namespace udnn

#endif // UDNN_PASSES_LOWERING_H
