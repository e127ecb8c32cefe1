//===- MappedFile.cpp - a file mapped into memory --------------------------===//
//
// open, fstat, mmap, with errors that name the file.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace udnn::onnx;

MappedFile::~MappedFile() {
  if (length)
    munmap(const_cast<char *>(start), length);
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path, std::string &error) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error = path + ": cannot open: " + std::strerror(errno);
    return nullptr;
  }
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    error = path + ": expects a regular file";
    close(fd);
    return nullptr;
  }
  size_t length = status.st_size;
  // An empty file cannot be mapped.
  void *start = length ? mmap(nullptr, length, PROT_READ, MAP_PRIVATE, fd, 0) : nullptr;
  int mapError = errno;
  close(fd);
  if (start == MAP_FAILED) {
    error = path + ": cannot map into memory: " + std::strerror(mapError);
    return nullptr;
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const char *>(start), length));
}
