//===- SharedLibrary.h - run compiled kernels in tests -----------*- C++ -*-===//
//
// Loads the bytes of a shared library and calls its kernels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_CODEGEN_SHAREDLIBRARY_H
#define UDNN_TEST_CODEGEN_SHAREDLIBRARY_H

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace udnn::test {

/// A loaded shared library; closed with the object.
class SharedLibrary {
public:
  using Kernel = void (*)(void *const *arguments, int64_t begin, int64_t end);

  explicit SharedLibrary(const std::vector<char> &bytes) {
    file = memfd_create("kernels", 0);
    if (file < 0 || write(file, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
      return;
    handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      std::fprintf(stderr, "%s\n", dlerror());
  }
  SharedLibrary(const SharedLibrary &) = delete;
  SharedLibrary &operator=(const SharedLibrary &) = delete;
  ~SharedLibrary() {
    if (handle)
      dlclose(handle);
    if (file >= 0)
      close(file);
  }

  /// The kernel with this name, or null.
  Kernel lookup(const char *name) const {
    return handle ? reinterpret_cast<Kernel>(dlsym(handle, name)) : nullptr;
  }

private:
  // The loader knows libraries by path: the file stays open as long as the library is loaded.
  int file = -1;
  void *handle = nullptr;
};

} // namespace udnn::test

#endif // UDNN_TEST_CODEGEN_SHAREDLIBRARY_H
