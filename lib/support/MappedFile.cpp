//===- MappedFile.cpp - a file mapped into memory --------------------------===//
//
// open, fstat, mmap, with errors that name the file.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Support/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace udnn;

MappedFile::~MappedFile() {
  if (length)
    munmap(const_cast<char *>(start), length);
}

/// Maps what is open as `fd`; returns why that fails, or null.
static const char *map(int fd, const char *&out_start, size_t &out_length) {
  struct stat status;
  if (fstat(fd, &status) != 0)
    return strerror(errno);
  if (!S_ISREG(status.st_mode))
    return "not a regular file";
  // An empty file cannot be mapped.
  if (status.st_size == 0)
    return nullptr;
  void *address = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED)
    return strerror(errno);
  out_start = static_cast<const char *>(address);
  out_length = status.st_size;
  return nullptr;
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path, std::string &error) {
  // A pipe would block until somebody opens it for writing.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::shared_ptr<MappedFile> file(new MappedFile);
  const char *problem = fd < 0 ? strerror(errno) : map(fd, file->start, file->length);
  if (fd >= 0)
    close(fd);
  if (!problem)
    return file;
  error = "cannot open '" + path + "': " + problem;
  return nullptr;
}
