//===- Import.h - from an ONNX file to a module ------------------*- C++ -*-===//
//
// Imports an ONNX model into the dialects dnn, linalg, tensor, arith and math.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_ONNX_IMPORT_H
#define UDNN_ONNX_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace udnn {

/// What the user says about the shapes and values of a model's inputs.
struct OnnxImportOptions {
  /// Sizes of symbolic dimensions by name (`--dim NAME=VALUE`).
  llvm::SmallVector<std::pair<std::string, int64_t>> dims;
  /// Shapes of inputs by name (`--shape INPUT=1x3x48x320`).
  llvm::SmallVector<std::pair<std::string, llvm::SmallVector<int64_t>>> shapes;
  /// Folder of an ONNX test data set that gives the shapes of all inputs, and the values of those
  /// that decide shapes (`--example-data DIR`).
  std::string exampleData;
  /// Inputs taken as constants, with the file that holds the value (`--freeze INPUT=FILE`).
  llvm::SmallVector<std::pair<std::string, std::string>> freezes;
};

/// Takes the importer's flags (`--dim`, `--shape`, `--example-data`, `--freeze`, each as
/// `--flag=value` or as `--flag value`) out of `args` and adds them to `options`. Fails with
/// `error` set when one of them cannot be understood.
mlir::LogicalResult takeOnnxImportFlags(llvm::SmallVectorImpl<const char *> &args,
                                        OnnxImportOptions &options, std::string &error);

/// Describes the flags above for a tool's help.
llvm::StringRef getOnnxImportFlagsHelp();

/// The dialects that an imported module uses.
void registerOnnxImportDialects(mlir::DialectRegistry &registry);

/// Imports the model in the file `path` into `func.func @main` on static tensors. Arguments and
/// results are in the model's order and carry `dnn.name` and `dnn.type`; an argument whose value
/// was taken as a constant carries it as `dnn.frozen`. Whatever is wrong with the model is a
/// diagnostic at the ONNX node's name.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(llvm::StringRef path, const OnnxImportOptions &options, mlir::MLIRContext *context);

/// Prints the operators that the importer covers, with opsets and types, as a table in Markdown.
void printOnnxOperators(llvm::raw_ostream &os);

} // namespace udnn

#endif // UDNN_ONNX_IMPORT_H
