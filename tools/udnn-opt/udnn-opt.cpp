//===- udnn-opt.cpp - see and transform a model at any stage ----------------===//
//
// mlir-opt with the dnn dialect, its passes, and ONNX files as input.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/InitAll.h"
#include "udnn/Module/ModuleFile.h"
#include "udnn/Onnx/Import.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "udnn-opt: error: " << message << "\n";
  return EXIT_FAILURE;
}

/// The location is the ONNX node's name, which the message holds already.
static void print(Diagnostic &diagnostic) {
  StringRef severity = "note: ";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    severity = "error: ";
  else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    severity = "warning: ";
  llvm::errs() << "udnn-opt: " << severity << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}

/// Imports an ONNX file, or reads text and the constants beside it, and returns the module as
/// bytecode, or null after printing what is wrong.
static std::unique_ptr<llvm::MemoryBuffer>
readInput(StringRef path, const DialectRegistry &registry, const udnn::OnnxImportOptions &options) {
  MLIRContext context(registry);
  ScopedDiagnosticHandler handler(&context, print);
  FailureOr<OwningOpRef<ModuleOp>> module = failure();
  if (path.ends_with(".onnx"))
    module = udnn::importOnnx(path, options, &context);
  else
    module = udnn::readModule(path, &context);
  if (failed(module) || !*module)
    return nullptr;
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(writeBytecodeToFile(**module, stream)))
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(bytecode, path);
}

/// True for text with constants beside it; what the text itself is needed for has none.
static bool hasConstantsBeside(StringRef input, const MlirOptMainConfig &config) {
  return config.inputSplitMarker().empty() && !config.shouldVerifyDiagnostics() &&
         llvm::sys::fs::exists(udnn::getConstantsPath(input));
}

static int run(int argc, char **argv, DialectRegistry &registry,
               const udnn::OnnxImportOptions &options) {
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "udnn optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!StringRef(input).ends_with(".onnx") && !hasConstantsBeside(input, config))
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> outputFile = openOutputFile(output, &error);
  if (!outputFile)
    return fail(error);
  std::unique_ptr<llvm::MemoryBuffer> buffer = readInput(input, registry, options);
  if (!buffer || failed(MlirOptMain(outputFile->os(), std::move(buffer), registry, config)))
    return EXIT_FAILURE;
  outputFile->keep();
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  SmallVector<const char *> args(argv, argv + argc);
  for (StringRef arg : llvm::drop_begin(args)) {
    if (arg == "--list-onnx-operators") {
      udnn::printOnnxOperators(llvm::outs());
      return EXIT_SUCCESS;
    }
  }
  udnn::OnnxImportOptions options;
  std::string error;
  if (failed(udnn::takeOnnxImportFlags(args, options, error)))
    return fail(error);
  DialectRegistry registry;
  udnn::registerAllDialects(registry);
  mlir::registerAllPasses();
  udnn::registerAllPasses();
  return run(args.size(), const_cast<char **>(args.data()), registry, options);
}
