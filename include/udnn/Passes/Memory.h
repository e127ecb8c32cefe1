//===- Memory.h - from dispatches to launches ---------------------*- C++ -*-===//
//
// The passes of the memory stage and the bufferization of dispatches.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_MEMORY_H
#define UDNN_PASSES_MEMORY_H

#include "mlir/Pass/Pass.h"

namespace udnn {

/// Says how `dnn.dispatch` is bufferized: inits are written, never read.
void registerBufferizableOpInterfaceExternalModels(mlir::DialectRegistry &registry);

#define GEN_PASS_DECL
#include "udnn/Passes/Memory.h.inc"

#define GEN_PASS_REGISTRATION
#include "udnn/Passes/Memory.h.inc"

} // namespace udnn

#endif // UDNN_PASSES_MEMORY_H
