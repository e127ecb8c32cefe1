//===- Writer.cpp - write a model.udnn file -------------------------------===//
//
// Streams segments into a temporary file and renames it when all is written.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Artifact/Writer.h"

#include "Header.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace udnn;
using namespace udnn::artifact;

/// A segment of constants takes no more of them once it has this many bytes. Several segments let
/// the loader check digests in parallel, and only those that it needs.
static constexpr uint64_t kConstantSegmentBytes = 16 << 20;

static uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

struct Writer::Impl {
  std::string path, temporaryPath;
  int file = -1;
  uint64_t position = 0;
  Artifact artifact;
  uint64_t constantBytes = 0;
  /// True while the last segment is one of constants that takes more of them.
  bool inConstants = false;
  XXH3_state_t *digest = XXH3_createState();
  /// Constants by size and 128 bits of digest.
  std::map<std::array<uint64_t, 3>, uint32_t> known;

  ~Impl() {
    discard();
    XXH3_freeState(digest);
  }

  /// Removes what was written so far.
  void discard() {
    if (file >= 0)
      close(file);
    file = -1;
    if (!temporaryPath.empty())
      unlink(temporaryPath.c_str());
    temporaryPath.clear();
  }

  /// Discards the file; the failure names what was done and why it failed.
  Status fail(const std::string &what, int error) {
    discard();
    return Status::failure("cannot " + what + " '" + path + "': " + strerror(error));
  }

  Status write(const void *data, uint64_t size) {
    if (file < 0)
      return Status::failure("no file is open for writing");
    const char *next = static_cast<const char *>(data);
    for (uint64_t left = size; left != 0;) {
      ssize_t written = ::write(file, next, std::min<uint64_t>(left, 1 << 30));
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return fail("write", errno);
      next += written;
      left -= written;
    }
    position += size;
    return Status::success();
  }

  /// Writes zeros up to a multiple of `alignment`.
  Status pad(uint64_t alignment) {
    static const char zeros[kSegmentAlignment] = {};
    return write(zeros, alignTo(position, alignment) - position);
  }

  Status beginSegment() {
    endSegment();
    if (Status status = pad(kSegmentAlignment); status.failed())
      return status;
    artifact.segments.push_back({position, 0, 0});
    XXH3_64bits_reset(digest);
    return Status::success();
  }

  /// Appends to the last segment.
  Status append(const void *data, uint64_t size, uint64_t alignment) {
    static const char zeros[kConstantAlignment] = {};
    uint64_t padding = alignTo(position, alignment) - position;
    if (Status status = write(zeros, padding); status.failed())
      return status;
    if (Status status = write(data, size); status.failed())
      return status;
    XXH3_64bits_update(digest, zeros, padding);
    XXH3_64bits_update(digest, data, size);
    artifact.segments.back().size += padding + size;
    return Status::success();
  }

  void endSegment() {
    if (!artifact.segments.empty())
      artifact.segments.back().digest = XXH3_64bits_digest(digest);
    inConstants = false;
  }

  Status writeDescription();
  Status moveToPlace();
};

Writer::Writer() : impl(std::make_unique<Impl>()) {}
Writer::~Writer() = default;

/// Creates a file of a new name in the folder of `path`, or returns -1 with `errno` set. Unlike
/// those of mkstemp it is an ordinary file, which others may read when the umask says so.
static int createBeside(const std::string &path, std::string &out_path) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    uint32_t number;
    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
      return -1;
    out_path = path + "." + std::to_string(number);
    int file = ::open(out_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

Status Writer::open(const std::string &path) {
  impl->path = path;
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status::failure("cannot write '" + path + "': not a regular file");
  std::string temporaryPath;
  impl->file = createBeside(path, temporaryPath);
  if (impl->file < 0)
    return impl->fail("create", errno);
  impl->temporaryPath = temporaryPath;
  Header header = {};
  return impl->write(&header, sizeof(header));
}

Status Writer::addConstant(const void *data, uint64_t size, uint32_t &out_index) {
  XXH128_hash_t hash = XXH3_128bits(data, size);
  std::array<uint64_t, 3> key = {size, hash.low64, hash.high64};
  if (auto it = impl->known.find(key); it != impl->known.end()) {
    out_index = it->second;
    return Status::success();
  }
  Artifact &artifact = impl->artifact;
  if (!impl->inConstants || artifact.segments.back().size >= kConstantSegmentBytes) {
    if (Status status = impl->beginSegment(); status.failed())
      return status;
    impl->inConstants = true;
  }
  if (Status status = impl->append(data, size, kConstantAlignment); status.failed())
    return status;
  out_index = artifact.constants.size();
  const Segment &segment = artifact.segments.back();
  artifact.constants.push_back({uint32_t(artifact.segments.size() - 1), segment.size - size, size});
  impl->known[key] = out_index;
  impl->constantBytes += size;
  return Status::success();
}

Status Writer::addCode(CodeFormat format, const void *data, uint64_t size,
                       std::vector<std::string> symbols, uint32_t &out_index) {
  if (Status status = impl->beginSegment(); status.failed())
    return status;
  if (Status status = impl->append(data, size, 1); status.failed())
    return status;
  Artifact &artifact = impl->artifact;
  out_index = artifact.codes.size();
  artifact.codes.push_back({format, uint32_t(artifact.segments.size() - 1), std::move(symbols)});
  return Status::success();
}

uint64_t Writer::getConstantBytes() const { return impl->constantBytes; }

Status Writer::finish(std::vector<Program> programs, std::string producer) {
  impl->artifact.programs = std::move(programs);
  impl->artifact.producer = std::move(producer);
  impl->endSegment();
  if (Status status = check(impl->artifact, impl->position); status.failed()) {
    impl->discard();
    return Status::failure("cannot write '" + impl->path + "': " + status.message());
  }
  if (Status status = impl->writeDescription(); status.failed())
    return status;
  return impl->moveToPlace();
}

/// Writes the metadata behind the segments, and the header that points to it.
Status Writer::Impl::writeDescription() {
  if (Status status = pad(kSegmentAlignment); status.failed())
    return status;
  Header header = {};
  memcpy(header.magic, kMagic, sizeof(kMagic));
  header.formatVersion = kFormatVersion;
  header.abiVersion = kAbiVersion;
  std::vector<uint8_t> metadata = encodeMetadata(artifact);
  header.metadataOffset = position;
  header.metadataBytes = metadata.size();
  header.metadataDigest = getDigest(metadata.data(), metadata.size());
  if (Status status = write(metadata.data(), metadata.size()); status.failed())
    return status;
  header.fileBytes = position;
  header.headerDigest = getDigest(&header, offsetof(Header, headerDigest));
  if (pwrite(file, &header, sizeof(header), 0) != ssize_t(sizeof(header)))
    return fail("write", errno);
  return Status::success();
}

Status Writer::Impl::moveToPlace() {
  // Some file systems report a full disk only here.
  int closed = close(file);
  file = -1;
  if (closed != 0)
    return fail("write", errno);
  if (rename(temporaryPath.c_str(), path.c_str()) != 0)
    return fail("write", errno);
  temporaryPath.clear();
  return Status::success();
}
