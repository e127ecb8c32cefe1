//===- MappedFile.h - a file mapped into memory ------------------*- C++ -*-===//
//
// Read-only mapping of a whole file.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_SUPPORT_MAPPEDFILE_H
#define UDNN_SUPPORT_MAPPEDFILE_H

#include <cstddef>
#include <memory>
#include <string>

namespace udnn {

class MappedFile {
public:
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  /// Maps a regular file, at the start of a page. Waits for nobody who would write it. On failure
  /// returns null and says why in `error`, naming the file.
  static std::shared_ptr<const MappedFile> open(const std::string &path, std::string &error);

  /// Null for an empty file.
  const char *data() const { return start; }
  size_t size() const { return length; }

private:
  MappedFile() = default;

  const char *start = nullptr;
  size_t length = 0;
};

} // namespace udnn

#endif // UDNN_SUPPORT_MAPPEDFILE_H
