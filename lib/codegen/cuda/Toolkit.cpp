//===- Toolkit.cpp - where the CUDA toolkit lies ----------------------------===//
//
// Looks in the places that users of CUDA expect.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCuda.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir;

/// The folder that the user named, where there is one.
static std::optional<std::string> getCudaHome() {
  const char *home = std::getenv("CUDA_HOME");
  if (!home || !*home)
    return std::nullopt;
  return home;
}

/// Where toolkits may lie: only where `CUDA_HOME` says when it is set, so that its user never gets
/// another one.
static SmallVector<std::string> getRoots() {
  if (std::optional<std::string> home = getCudaHome())
    return {*home};
  SmallVector<std::string> roots;
  if (llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas")) {
    SmallString<256> real;
    if (!llvm::sys::fs::real_path(*ptxas, real))
      roots.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str());
  }
  roots.push_back("/usr/local/cuda");
  return roots;
}

LogicalResult udnn::codegen::checkToolkit(Location loc) {
  std::optional<std::string> home = getCudaHome();
  if (!home || llvm::sys::fs::is_directory(*home))
    return success();
  return emitError(loc) << "expects CUDA_HOME to be the folder of a CUDA toolkit, got '" << *home
                        << "'";
}

std::optional<std::string> udnn::codegen::findToolkitFile(StringRef relativePath) {
  for (StringRef root : getRoots()) {
    SmallString<256> path(root);
    llvm::sys::path::append(path, relativePath);
    if (llvm::sys::fs::is_regular_file(path))
      return path.str().str();
  }
  return std::nullopt;
}
