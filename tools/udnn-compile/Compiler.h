//===- Compiler.h - runs the stages ---------------------------------*- C++ -*-===//
//
// Takes a model through the stages, once per target after simplification.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_COMPILE_COMPILER_H
#define UDNN_TOOLS_COMPILE_COMPILER_H

#include "Options.h"
#include "Report.h"

#include "mlir/IR/MLIRContext.h"

namespace udnn::compile {

/// One compilation. Errors are diagnostics.
class Compiler {
public:
  Compiler(mlir::MLIRContext &context, const Options &options)
      : context(context), options(options) {}

  /// Runs all stages up to the last one asked for and writes what they made.
  mlir::LogicalResult run();

  const Report &getReport() const { return report; }

private:
  mlir::LogicalResult load();
  mlir::LogicalResult checkFlags();
  mlir::LogicalResult markOutputs();
  mlir::LogicalResult createTargets();
  mlir::LogicalResult runStage(Stage stage);
  mlir::LogicalResult emit();
  mlir::InFlightDiagnostic emitError();

  mlir::MLIRContext &context;
  const Options &options;
  Report report;
  /// The stage that the input went through last.
  Stage loadedStage = Stage::Import;
  /// One module, then one per target from the plan stage on.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

} // namespace udnn::compile

#endif // UDNN_TOOLS_COMPILE_COMPILER_H
