//===- Link.cpp - objects to a shared library ------------------------------===//
//
// Runs lld in process and checks what the library needs from outside.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCpu.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace udnn::codegen;

namespace {
/// A folder for lld's files, removed with all that is in it.
struct TemporaryFolder {
  SmallString<128> path;

  LogicalResult create(Location loc) {
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("udnn", path))
      return emitError(loc) << "cannot create a temporary folder: " << error.message();
    return success();
  }
  ~TemporaryFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(const Twine &name) const {
    SmallString<128> result(path);
    llvm::sys::path::append(result, name);
    return std::string(result);
  }
};
} // namespace

/// Functions of libm that lowered kernels may call, each also with the suffix `f`.
static bool isLibmFunction(StringRef name) {
  static const llvm::StringSet<> names = {
      "acos",  "acosh",     "asin",      "asinh",  "atan",  "atan2", "atanh", "cbrt",      "ceil",
      "cos",   "cosh",      "erf",       "erfc",   "exp",   "exp2",  "expm1", "fabs",      "floor",
      "fma",   "fmod",      "log",       "log10",  "log1p", "log2",  "pow",   "remainder", "rint",
      "round", "roundeven", "sin",       "sinh",   "sqrt",  "tan",   "tanh",  "trunc",     "fmin",
      "fmax",  "ldexp",     "nearbyint", "sincos", "exp10"};
  return names.contains(name) || (name.consume_back("f") && names.contains(name));
}

static bool isMemoryFunction(StringRef name) {
  return name == "memcpy" || name == "memset" || name == "memmove" || name == "bzero";
}

/// Sorts the undefined symbols of all objects; fails on one that nothing will define at run time.
static LogicalResult checkUndefined(ArrayRef<Object> objects, bool &needsLibm, Location loc) {
  llvm::StringSet<> defined, undefined;
  for (const Object &object : objects) {
    llvm::MemoryBufferRef buffer(StringRef(object.data(), object.size()), "kernel");
    llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
        llvm::object::ObjectFile::createObjectFile(buffer);
    if (!file)
      return emitError(loc) << "cannot read an object: " << llvm::toString(file.takeError());
    for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
      llvm::Expected<uint32_t> flags = symbol.getFlags();
      llvm::Expected<StringRef> name = symbol.getName();
      if (!flags || !name)
        return emitError(loc) << "cannot read the symbols of an object";
      bool isUndefined = *flags & llvm::object::SymbolRef::SF_Undefined;
      (isUndefined ? undefined : defined).insert(*name);
    }
  }
  for (const auto &entry : undefined) {
    StringRef name = entry.getKey();
    if (name.empty() || defined.contains(name) || isMemoryFunction(name))
      continue;
    if (!isLibmFunction(name))
      return emitError(loc) << "kernel code calls '" << name
                            << "', which the run time does not provide";
    needsLibm = true;
  }
  return success();
}

static LogicalResult writeFile(StringRef path, ArrayRef<char> data, Location loc) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream.write(data.data(), data.size());
  stream.close();
  if (!error)
    error = stream.error();
  stream.clear_error();
  if (error)
    return emitError(loc) << "cannot write '" << path << "': " << error.message();
  return success();
}

/// Runs lld on `inputs`. It has global state, so one call at a time.
static LogicalResult runLinker(ArrayRef<std::string> arguments, Location loc) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  SmallVector<const char *> list = {"ld.lld", "-shared", "--threads=1", "--hash-style=gnu",
                                    "--build-id=none"};
  for (const std::string &argument : arguments)
    list.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream stream(text);
  lld::Result result = lld::lldMain(list, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode)
    return emitError(loc) << "linking failed: " << StringRef(text).trim();
  return success();
}

FailureOr<std::vector<char>> udnn::codegen::linkObjects(ArrayRef<Object> objects, Location loc) {
  bool needsLibm = false;
  TemporaryFolder folder;
  if (failed(checkUndefined(objects, needsLibm, loc)) || failed(folder.create(loc)))
    return failure();
  SmallVector<std::string> arguments;
  for (auto [index, object] : llvm::enumerate(objects)) {
    arguments.push_back(folder.file(Twine(index) + ".o"));
    if (failed(writeFile(arguments.back(), object, loc)))
      return failure();
  }
  if (needsLibm) {
    // An empty library of that name stands for the target's libm, which need not be here.
    std::string stub = folder.file("libm.so.6"), nothing = folder.file("nothing");
    llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
    std::string emulation = triple.isAArch64() ? "aarch64linux" : "elf_x86_64";
    if (failed(writeFile(nothing, {}, loc)) ||
        failed(runLinker(
            {"-m", emulation, "-soname=libm.so.6", "-o", stub, "-b", "binary", nothing}, loc)))
      return failure();
    arguments.insert(arguments.end(), {"--no-as-needed", stub});
  }
  std::string output = folder.file("kernels.so");
  arguments.insert(arguments.end(),
                   {"-soname=kernels.so", "-z", "noexecstack", "-s", "-o", output});
  if (failed(runLinker(arguments, loc)))
    return failure();
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return emitError(loc) << "cannot read '" << output << "': " << buffer.getError().message();
  return std::vector<char>((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
}
