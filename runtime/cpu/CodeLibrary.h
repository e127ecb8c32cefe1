//===- CodeLibrary.h - machine code from memory ------------------*- C++ -*-===//
//
// Loads a shared library whose bytes are in memory.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CPU_CODELIBRARY_H
#define UDNN_RUNTIME_CPU_CODELIBRARY_H

#include "../Device.h"

namespace udnn::runtime {

/// A loaded shared library, unloaded with this object.
class CodeLibrary {
public:
  CodeLibrary() = default;
  ~CodeLibrary();
  CodeLibrary(const CodeLibrary &) = delete;
  CodeLibrary &operator=(const CodeLibrary &) = delete;

  Result load(const void *data, uint64_t size);

  /// Address of a symbol, or null.
  void *lookup(const std::string &symbol) const;

private:
  int file = -1;
  void *library = nullptr;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CPU_CODELIBRARY_H
