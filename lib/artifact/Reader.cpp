//===- Reader.cpp - read a model.udnn file --------------------------------===//
//
// Maps an artifact and checks header, metadata and digests.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Artifact/Reader.h"

#include "Header.h"

#include <cstring>

using namespace udnn;
using namespace udnn::artifact;

Status Reader::openFile(const std::string &path) {
  std::string error;
  file = MappedFile::open(path, error);
  if (!file)
    return Status::failure(error);
  if (file->size() == 0)
    return Status::failure("'" + path + "': file is empty");
  data = reinterpret_cast<const uint8_t *>(file->data());
  size = file->size();
  if (Status status = parse(); status.failed())
    return Status::failure("'" + path + "': " + status.message());
  return Status::success();
}

Status Reader::openMemory(const void *bytes, uint64_t byteCount) {
  if (reinterpret_cast<uintptr_t>(bytes) % kConstantAlignment != 0)
    return Status::failure("expects an artifact in memory to be aligned to " +
                           std::to_string(kConstantAlignment) + " bytes");
  file.reset();
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
  artifact = {};
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
