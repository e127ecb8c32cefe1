//===- udnn-compile.cpp - from a model to an artifact --------------------------------===//
//
// Reads the command line, compiles, and reports.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "udnn/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace mlir;
using namespace udnn::compile;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "udnn-compile: error: " << message << "\n";
  return EXIT_FAILURE;
}

/// Prints a diagnostic with the name of the ONNX node, or the place in a file, that it is about.
static void print(Diagnostic &diagnostic) {
  llvm::StringRef severity = "note: ";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    severity = "error: ";
  else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    severity = "warning: ";
  llvm::errs() << "udnn-compile: " << severity;
  Location location = diagnostic.getLocation();
  std::string message = diagnostic.str();
  // Line 0 stands for all of a model.
  if (auto file = location->findInstanceOf<FileLineColLoc>()) {
    llvm::errs() << file.getFilename().getValue() << ":";
    if (file.getLine())
      llvm::errs() << file.getLine() << ":";
    llvm::errs() << " ";
  }
  auto node = location->findInstanceOf<NameLoc>();
  if (node && !llvm::StringRef(message).contains(node.getName()))
    llvm::errs() << "'" << node.getName().getValue() << "': ";
  llvm::errs() << message << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}

static LogicalResult writeReport(const Compiler &compiler, const Options &options) {
  std::error_code error;
  llvm::ToolOutputFile file(options.report, error, llvm::sys::fs::OF_Text);
  if (!error) {
    compiler.getReport().writeJson(file.os(), options);
    file.os().flush();
    error = file.os().error();
  }
  if (error) {
    file.os().clear_error();
    fail("cannot write '" + options.report + "': " + error.message());
    return failure();
  }
  file.keep();
  return success();
}

/// True when both paths lead to one file, there already or not.
static bool isSameFile(llvm::StringRef a, llvm::StringRef b) {
  bool equivalent = false;
  return a == b || (!llvm::sys::fs::equivalent(a, b, equivalent) && equivalent);
}

/// Refuses to overwrite the model, or one result by another.
static LogicalResult checkPaths(const Options &options) {
  for (auto [flag, path, other] : {std::tuple("-o", options.output, options.input),
                                   {"--report", options.report, options.input},
                                   {"--report", options.report, options.output}}) {
    if (path.empty() || path == "-" || path == "/dev/null" || !isSameFile(path, other))
      continue;
    fail(llvm::Twine("expects ") + flag + " to be another file than '" + other + "'");
    return failure();
  }
  return success();
}

/// The exit code when everything else went well: what was printed may not have arrived.
static int finishOutput() {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  return error ? fail("cannot write to the standard output: " + error.message()) : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A file beyond the limit is an error of the write, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  Options options;
  std::string error;
  if (failed(parseOptions(argc, argv, options, error)))
    return fail(error);
  if (failed(checkPaths(options)))
    return EXIT_FAILURE;
  DialectRegistry registry;
  udnn::registerAllDialects(registry);
  MLIRContext context(registry);
  // Users know nodes by name; the operation itself would fill the screen.
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context, print);
  Compiler compiler(context, options);
  if (failed(compiler.run())) {
    llvm::outs().clear_error();
    return EXIT_FAILURE;
  }
  if (options.lastStage == Stage::Emit)
    compiler.getReport().printSummary(llvm::outs(), options);
  if (!options.report.empty() && failed(writeReport(compiler, options)))
    return EXIT_FAILURE;
  return finishOutput();
}
