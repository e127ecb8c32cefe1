//===- Reader.h - read a model.udnn file -------------------------*- C++ -*-===//
//
// Maps an artifact and checks all of it before anybody uses a byte.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_ARTIFACT_READER_H
#define UDNN_ARTIFACT_READER_H

#include "udnn/Artifact/Artifact.h"
#include "udnn/Support/MappedFile.h"

namespace udnn::artifact {

/// One artifact in memory. Damage by accident is found; a file made by an attacker holds code and
/// must not be run, whatever the checks say.
class Reader {
public:
  Reader() = default;
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;

  /// Maps the file; checks header, metadata and `check`, but not the bytes of the segments.
  Status openFile(const std::string &path);

  /// The same for bytes in memory, which must stay as they are and be aligned to 64 bytes.
  Status openMemory(const void *data, uint64_t size);

  /// Compares the digest of a segment with its bytes.
  Status verifySegment(uint32_t segment) const;

  const Artifact &getArtifact() const { return artifact; }
  uint64_t getFileBytes() const { return size; }
  const uint8_t *getSegmentData(uint32_t segment) const {
    return data + artifact.segments[segment].offset;
  }
  const uint8_t *getConstantData(uint32_t constant) const {
    const Constant &c = artifact.constants[constant];
    return getSegmentData(c.segment) + c.offset;
  }

private:
  Status parse();

  std::shared_ptr<const MappedFile> file;
  const uint8_t *data = nullptr;
  uint64_t size = 0;
  Artifact artifact;
};

} // namespace udnn::artifact

#endif // UDNN_ARTIFACT_READER_H
