//===- Entry.cpp - the function that is compiled ----------------------------===//
//
// Finds the entry of a module.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Entry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace udnn;

func::FuncOp udnn::getEntry(ModuleOp module) {
  auto entry = module.lookupSymbol<func::FuncOp>(kEntry);
  if (!entry || !llvm::hasSingleElement(entry.getBody())) {
    module.emitError("expects a function '") << kEntry << "' of one block";
    return nullptr;
  }
  return entry;
}
