//===- Toolkit.cpp - where the CUDA toolkit lies ----------------------------===//
//
// Looks in the places that users of CUDA expect.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCuda.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir;

std::optional<std::string> udnn::codegen::findToolkitFile(StringRef relativePath) {
  SmallVector<std::string> roots;
  if (const char *home = std::getenv("CUDA_HOME"))
    roots.push_back(home);
  if (llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas")) {
    SmallString<256> real;
    if (!llvm::sys::fs::real_path(*ptxas, real))
      roots.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str());
  }
  roots.push_back("/usr/local/cuda");
  for (StringRef root : roots) {
    SmallString<256> path(root);
    llvm::sys::path::append(path, relativePath);
    if (llvm::sys::fs::is_regular_file(path))
      return path.str().str();
  }
  return std::nullopt;
}
