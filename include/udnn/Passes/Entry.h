//===- Entry.h - the function that is compiled -------------------*- C++ -*-===//
//
// From selection on a module has one function, the entry.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_ENTRY_H
#define UDNN_PASSES_ENTRY_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace udnn {

/// Name of the entry function and of the program made from it.
constexpr llvm::StringLiteral kEntry = "main";

/// The entry function of the module; emits an error when there is none or it has several blocks.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);

} // namespace udnn

#endif // UDNN_PASSES_ENTRY_H
