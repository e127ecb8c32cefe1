//===- MappedFile.h - a file mapped into memory ------------------*- C++ -*-===//
//
// Read-only mapping of a whole file.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_READER_MAPPEDFILE_H
#define UDNN_LIB_ONNX_READER_MAPPEDFILE_H

#include <memory>
#include <string>

namespace udnn::onnx {

class MappedFile {
public:
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  /// Maps a regular file. On failure returns null and says why in `error`, naming the file.
  static std::shared_ptr<const MappedFile> open(const std::string &path, std::string &error);

  const char *data() const { return start; }
  size_t size() const { return length; }

private:
  MappedFile(const char *start, size_t length) : start(start), length(length) {}
  const char *start;
  size_t length;
};

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_READER_MAPPEDFILE_H
