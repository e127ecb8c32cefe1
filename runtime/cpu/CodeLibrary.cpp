//===- CodeLibrary.cpp - machine code from memory -------------------------===//
//
// Hands code to the dynamic loader through an anonymous file.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodeLibrary.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace udnn;
using namespace udnn::runtime;

CodeLibrary::~CodeLibrary() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

static bool writeAll(int file, const char *data, uint64_t size) {
  while (size != 0) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    data += written;
    size -= written;
  }
  return true;
}

Result CodeLibrary::load(const void *data, uint64_t size) {
  // Kernels call libm; it is there for them however this runtime itself was loaded.
  dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  file = memfd_create("udnn-code", MFD_CLOEXEC);
  if (file < 0 || !writeAll(file, static_cast<const char *>(data), size))
    return failure(UDNN_OUT_OF_MEMORY,
                   std::string("cannot copy code into memory: ") + strerror(errno));
  // The file stays open: the loader knows libraries by path, and a reused number would give the
  // library that had it before.
  std::string path = "/proc/self/fd/" + std::to_string(file);
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return failure(UDNN_UNSUPPORTED_DEVICE,
                   std::string("cannot load code: ") + (reason ? reason : "unknown reason"));
  }
  return success();
}

void *CodeLibrary::lookup(const std::string &symbol) const {
  return dlsym(library, symbol.c_str());
}
