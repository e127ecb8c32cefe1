//===- ExternalData.cpp - tensor data in files beside a model ---------------===//
//
// Checks where an external file lies before it is opened.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"

#include <algorithm>
#include <filesystem>

using namespace udnn;
using namespace udnn::onnx;
namespace fs = std::filesystem;

/// True when `path` is below `folder`; both are canonical.
static bool isInside(const fs::path &path, const fs::path &folder) {
  auto [rest, it] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end() && it != path.end();
}

std::shared_ptr<const MappedFile> ExternalData::open(const std::string &location,
                                                     std::string &error) {
  auto known = files.find(location);
  if (known != files.end())
    return known->second;
  std::string what = "external data '" + location + "'";
  fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute() ||
      !isInside(("/folder" / relative).lexically_normal(), "/folder")) {
    error = what + " is refused: expects a path inside the model's folder";
    return nullptr;
  }
  std::error_code code;
  fs::path folder = fs::canonical(fs::absolute(modelPath, code).parent_path(), code);
  fs::path path = code ? fs::path() : fs::canonical(folder / relative, code);
  if (code) {
    error = what + " cannot be opened: " + code.message();
    return nullptr;
  }
  if (!isInside(path, folder)) {
    error = what + " is refused: it leaves the model's folder";
    return nullptr;
  }
  auto file = MappedFile::open(path.string(), error);
  if (!file) {
    error = what + ": " + error;
    return nullptr;
  }
  return files[location] = file;
}
