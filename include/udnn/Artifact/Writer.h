//===- Writer.h - write a model.udnn file ------------------------*- C++ -*-===//
//
// Streams an artifact to disk: bytes of constants and code as they come, the description last.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_ARTIFACT_WRITER_H
#define UDNN_ARTIFACT_WRITER_H

#include "udnn/Artifact/Artifact.h"

#include <memory>

namespace udnn::artifact {

/// Writes one artifact. Until `finish` succeeds the bytes are in a temporary file beside the
/// target, which every failure and the destructor remove. The same calls make the same bytes.
///
///   Writer writer;
///   if (Status s = writer.open("model.udnn"); s.failed()) ...
///   uint32_t weights; writer.addConstant(data, size, weights);
///   uint32_t code; writer.addCode(CodeFormat::Elf, elf, elfSize, {"k0"}, code);
///   writer.finish(programs, "udnn 0.1.0");
class Writer {
public:
  Writer();
  ~Writer();
  Writer(const Writer &) = delete;
  Writer &operator=(const Writer &) = delete;

  /// Creates the temporary file.
  Status open(const std::string &path);

  /// Writes `size` bytes of a constant unless equal bytes are there already; `out_index` is what
  /// arguments and frozen inputs name. The bytes are not kept and not copied.
  Status addConstant(const void *data, uint64_t size, uint32_t &out_index);

  /// Writes compiled kernels; `out_index` is what `Program::codes` names.
  Status addCode(CodeFormat format, const void *data, uint64_t size,
                 std::vector<std::string> symbols, uint32_t &out_index);

  /// Checks the programs, writes the description, and moves the file to its place.
  Status finish(std::vector<Program> programs, std::string producer);

  /// Bytes of all different constants so far.
  uint64_t getConstantBytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace udnn::artifact

#endif // UDNN_ARTIFACT_WRITER_H
