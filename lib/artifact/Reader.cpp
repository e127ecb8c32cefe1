//===- Reader.cpp - read a model.udnn file --------------------------------===//
//
// Maps an artifact and checks header, metadata and digests.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Artifact/Reader.h"

#include "Header.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace udnn;
using namespace udnn::artifact;

Reader::~Reader() {
  if (mapped)
    munmap(const_cast<uint8_t *>(data), size);
}

Status Reader::openFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return Status::failure("cannot open '" + path + "': " + strerror(errno));
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(file);
    return Status::failure("cannot open '" + path + "': not a regular file");
  }
  if (info.st_size == 0) {
    close(file);
    return Status::failure("'" + path + "': file is empty");
  }
  void *address = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  int error = errno;
  close(file);
  if (address == MAP_FAILED)
    return Status::failure("cannot map '" + path + "': " + strerror(error));
  data = static_cast<const uint8_t *>(address);
  size = info.st_size;
  mapped = true;
  if (Status status = parse(); status.failed())
    return Status::failure("'" + path + "': " + status.message());
  return Status::success();
}

Status Reader::openMemory(const void *bytes, uint64_t byteCount) {
  if (reinterpret_cast<uintptr_t>(bytes) % kConstantAlignment != 0)
    return Status::failure("expects an artifact in memory to be aligned to " +
                           std::to_string(kConstantAlignment) + " bytes");
  data = static_cast<const uint8_t *>(bytes);
  size = byteCount;
  return parse();
}

static Status checkVersion(const char *what, uint32_t expected, uint32_t found) {
  if (expected == found)
    return Status::success();
  return Status::failure(std::string("expects ") + what + " version " + std::to_string(expected) +
                         ", got " + std::to_string(found) +
                         (found > expected ? " (made by a newer udnn)" : " (compile it again)"));
}

/// Checks all that the header says; `size` is that of the file.
static Status checkHeader(const Header &header, uint64_t size) {
  if (memcmp(header.magic, kMagic, sizeof(kMagic)) != 0)
    return Status::failure("not a udnn artifact");
  if (Status status = checkVersion("format", kFormatVersion, header.formatVersion); status.failed())
    return status;
  if (header.headerDigest != getDigest(&header, offsetof(Header, headerDigest)))
    return Status::failure("header is damaged");
  if (Status status = checkVersion("ABI", kAbiVersion, header.abiVersion); status.failed())
    return status;
  if (header.fileBytes != size)
    return Status::failure("expects " + std::to_string(header.fileBytes) + " bytes, got " +
                           std::to_string(size) + (size < header.fileBytes ? " (truncated)" : ""));
  if (header.metadataOffset % kSegmentAlignment != 0 || header.metadataOffset < sizeof(Header) ||
      header.metadataOffset > size || header.metadataBytes > size - header.metadataOffset)
    return Status::failure("metadata lies outside the file");
  return Status::success();
}

Status Reader::parse() {
  if (size < sizeof(Header))
    return Status::failure(size >= sizeof(kMagic) && memcmp(data, kMagic, sizeof(kMagic)) == 0
                               ? "header is truncated"
                               : "not a udnn artifact");
  Header header;
  memcpy(&header, data, sizeof(header));
  if (Status status = checkHeader(header, size); status.failed())
    return status;
  const uint8_t *metadata = data + header.metadataOffset;
  if (getDigest(metadata, header.metadataBytes) != header.metadataDigest)
    return Status::failure("metadata is damaged");
  if (Status status = decodeMetadata(metadata, header.metadataBytes, artifact); status.failed())
    return status;
  return check(artifact, size);
}

Status Reader::verifySegment(uint32_t index) const {
  const Segment &segment = artifact.segments[index];
  if (getDigest(getSegmentData(index), segment.size) != segment.digest)
    return Status::failure("segment " + std::to_string(index) + " is damaged");
  return Status::success();
}
