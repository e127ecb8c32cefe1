//===- Assemble.cpp - PTX to a cubin ----------------------------------------===//
//
// Runs ptxas on temporary files.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCuda.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {
/// A temporary file that is removed at the end.
struct TemporaryFile {
  SmallString<128> path;
  llvm::FileRemover remover;

  std::error_code create(StringRef extension) {
    std::error_code error = llvm::sys::fs::createTemporaryFile("udnn", extension, path);
    if (!error)
      remover.setFile(path);
    return error;
  }
};
} // namespace

static std::error_code write(StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return error;
  stream << text;
  stream.close();
  error = stream.error();
  stream.clear_error();
  return error;
}

/// The beginning of a file, for messages.
static std::string readStart(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().take_front(2000).rtrim().str() : "";
}

FailureOr<std::vector<char>> udnn::codegen::assemble(StringRef ptx, StringRef ptxas, StringRef arch,
                                                     Location loc) {
  TemporaryFile input, output, log;
  for (auto [file, extension] : {std::pair(&input, "ptx"), {&output, "cubin"}, {&log, "log"}})
    if (std::error_code error = file->create(extension))
      return emitError(loc) << "cannot create a temporary file: " << error.message();
  if (std::error_code error = write(input.path, ptx))
    return emitError(loc) << "cannot write '" << input.path << "': " << error.message();
  SmallVector<StringRef> arguments = {ptxas,           "--gpu-name", arch,
                                      "--output-file", output.path,  input.path};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log.path), StringRef(log.path)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status != 0)
    return emitError(loc) << "'" << ptxas << "' failed for '" << arch << "' (status " << status
                          << "): " << message << readStart(log.path);
  auto cubin = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!cubin)
    return emitError(loc) << "cannot read '" << output.path << "': " << cubin.getError().message();
  StringRef bytes = (*cubin)->getBuffer();
  return std::vector<char>(bytes.begin(), bytes.end());
}
