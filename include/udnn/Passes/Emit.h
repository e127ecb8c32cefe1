//===- Emit.h - from modules to a file -----------------------------*- C++ -*-===//
//
// Writes compiled modules as one artifact.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_EMIT_H
#define UDNN_PASSES_EMIT_H

#include "mlir/IR/BuiltinOps.h"

namespace udnn {

/// What the written file holds.
struct EmittedSizes {
  /// Bytes of all different constants, of all code, and of the file.
  int64_t constantBytes = 0, codeBytes = 0, fileBytes = 0;
};

/// Writes the programs of all modules, each after the codegen stage, into the artifact `path`.
/// Constants are written from where they are and shared by their contents. The same modules make
/// the same bytes. On failure no file is left behind.
mlir::FailureOr<EmittedSizes> emitArtifact(llvm::ArrayRef<mlir::ModuleOp> modules,
                                           llvm::StringRef path, llvm::StringRef producer);

} // namespace udnn

#endif // UDNN_PASSES_EMIT_H
