//===- Options.h - the command line of udnn-compile ----------------*- C++ -*-===//
//
// What the user asks for, checked.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_COMPILE_OPTIONS_H
#define UDNN_TOOLS_COMPILE_OPTIONS_H

#include "udnn/Onnx/Import.h"
#include "udnn/Passes/Plan.h"

#include <string>
#include <vector>

namespace udnn::compile {

/// The stages, in order.
enum class Stage { Import, Simplify, Plan, Select, Memory, Codegen, Emit };

/// "import", "simplify", ...
llvm::StringRef getStageName(Stage stage);

struct Options {
  std::string input, output, report;
  std::vector<std::string> targets, markedOutputs;
  std::string cpu;
  OnnxImportOptions import;
  /// Names of the flags given that only an import, or the plan stage and later ones, read.
  std::vector<std::string> importFlags, planFlags;
  PlanPassOptions plan;
  /// Stage after which the module is printed; `Emit` writes the artifact.
  Stage lastStage = Stage::Emit;
};

/// Reads the command line. Exits for `--help` and `--version`; returns failure with `error` set for
/// what cannot be understood.
mlir::LogicalResult parseOptions(int argc, char **argv, Options &options, std::string &error);

} // namespace udnn::compile

#endif // UDNN_TOOLS_COMPILE_OPTIONS_H
