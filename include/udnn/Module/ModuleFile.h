//===- ModuleFile.h - modules in files ---------------------------*- C++ -*-===//
//
// Modules of any stage as text that a person can read, or as bytecode.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_MODULE_MODULEFILE_H
#define UDNN_MODULE_MODULEFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace udnn {

/// The file beside the text `path` that holds its large constants: bytecode of an empty module.
std::string getConstantsPath(llvm::StringRef path);

/// Reads text, with the constants beside it, or bytecode. Null after a diagnostic, also where a
/// constant has no data.
mlir::OwningOpRef<mlir::ModuleOp> readModule(llvm::StringRef path, mlir::MLIRContext *context);

/// Writes bytecode if `path` ends in ".mlirbc"; else text with locations, and its constants of
/// more than 500 bytes beside it. The standard output ("-"), pipes and devices get all in one. An
/// error is a diagnostic, and files that were there before stay.
llvm::LogicalResult writeModule(mlir::ModuleOp module, llvm::StringRef path);

} // namespace udnn

#endif // UDNN_MODULE_MODULEFILE_H
