//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Writes .npy files (numpy.lib.format, version 1).
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::run;

namespace {
struct NpyType {
  /// NumPy's name without the byte order; bfloat16 has none and is stored as two raw bytes.
  const char *name;
  ElementType type;
};
} // namespace

static constexpr NpyType kNpyTypes[] = {
    {"f4", ElementType::Float},    {"f8", ElementType::Double}, {"f2", ElementType::Float16},
    {"V2", ElementType::BFloat16}, {"b1", ElementType::Bool},   {"u1", ElementType::Uint8},
    {"i1", ElementType::Int8},     {"u2", ElementType::Uint16}, {"i2", ElementType::Int16},
    {"u4", ElementType::Uint32},   {"i4", ElementType::Int32},  {"u8", ElementType::Uint64},
    {"i8", ElementType::Int64},
};

static constexpr char kNpyMagic[] = "\x93NUMPY";
static constexpr size_t kNpyMagicBytes = 6;

/// Magic, version 1.0, size and dictionary, padded to a multiple of 64 bytes.
static std::string getNpyHeader(const HostTensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.shape)
    shape += std::to_string(size) + ",";
  std::string name;
  for (const NpyType &candidate : kNpyTypes)
    if (candidate.type == tensor.type)
      name = candidate.name;
  std::string dictionary = "{'descr': '" + std::string(name.back() == '1' ? "|" : "<") + name +
                           "', 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t start = kNpyMagicBytes + 4;
  dictionary.append(63 - (start + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string header(kNpyMagic, kNpyMagicBytes);
  header += {1, 0, char(dictionary.size() & 255), char(dictionary.size() >> 8)};
  return header + dictionary;
}

Status run::writeNpy(const std::string &path, const HostTensor &tensor) {
  FILE *file = fopen(path.c_str(), "wb");
  if (!file)
    return Status::failure("cannot write '" + path + "': " + strerror(errno));
  std::string header = getNpyHeader(tensor);
  bool written = fwrite(header.data(), 1, header.size(), file) == header.size() &&
                 fwrite(tensor.data.get(), 1, tensor.bytes, file) == tensor.bytes;
  int error = errno;
  if (fclose(file) != 0 && written) {
    written = false;
    error = errno;
  }
  if (written)
    return Status::success();
  remove(path.c_str());
  return Status::failure("cannot write '" + path + "': " + strerror(error));
}
