//===- Header.h - the first bytes of a model.udnn file -----------*- C++ -*-===//
//
// The fixed part of the format, shared by the writer and the reader.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ARTIFACT_HEADER_H
#define UDNN_LIB_ARTIFACT_HEADER_H

#include "udnn/Artifact/Artifact.h"

#include <cstddef>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "artifacts are little-endian");

namespace udnn::artifact {

/// Like PNG's magic: a byte above 127 and both kinds of line ends show damage by text transfer.
constexpr unsigned char kMagic[8] = {0x89, 'U', 'D', 'N', 'N', '\r', '\n', 0x1a};

/// Stands at offset 0. `headerDigest` covers all bytes before it.
struct Header {
  unsigned char magic[8];
  uint32_t formatVersion;
  uint32_t abiVersion;
  uint64_t fileBytes;
  uint64_t metadataOffset;
  uint64_t metadataBytes;
  uint64_t metadataDigest;
  uint64_t reserved;
  uint64_t headerDigest;
};
static_assert(sizeof(Header) == 64 && offsetof(Header, headerDigest) == 56);

/// XXH3 of 64 bits.
uint64_t getDigest(const void *data, uint64_t size);

/// The FlatBuffers metadata that describes `artifact`.
std::vector<uint8_t> encodeMetadata(const Artifact &artifact);
/// The opposite; `size` bytes at `data` (aligned to 8) are checked for being well-formed.
Status decodeMetadata(const void *data, uint64_t size, Artifact &out_artifact);

} // namespace udnn::artifact

#endif // UDNN_LIB_ARTIFACT_HEADER_H
