//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Reads and writes .npy files (numpy.lib.format, versions 1 to 3).
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
    {"f4", ElementType::Float},   {"f8", ElementType::Double},   {"f2", ElementType::Float16},
    {"V2", ElementType::BFloat16}, {"b1", ElementType::Bool},    {"u1", ElementType::Uint8},
    {"i1", ElementType::Int8},    {"u2", ElementType::Uint16},   {"i2", ElementType::Int16},
    {"u4", ElementType::Uint32},  {"i4", ElementType::Int32},    {"u8", ElementType::Uint64},
    {"i8", ElementType::Int64},
};

static constexpr char kNpyMagic[] = "\x93NUMPY";
static constexpr size_t kNpyMagicBytes = 6;

/// The text after `'key':` in the header's dictionary, without leading blanks; empty without it.
static std::string getField(const std::string &header, const std::string &key) {
  size_t at = header.find("'" + key + "':");
  if (at == std::string::npos)
    return "";
  at = header.find_first_not_of(' ', at + key.size() + 3);
  return at == std::string::npos ? "" : header.substr(at);
}

static Status parseType(const std::string &field, ElementType &out_type) {
  size_t end = field.empty() || field[0] != '\'' ? std::string::npos : field.find('\'', 1);
  if (end == std::string::npos)
    return Status::failure("header has no simple 'descr'");
  std::string text = field.substr(1, end - 1);
  bool isNative = !text.empty() && (text[0] == '<' || text[0] == '|' || text[0] == '=');
  for (const NpyType &candidate : kNpyTypes) {
    if (!isNative || text.compare(1, std::string::npos, candidate.name) != 0)
      continue;
    out_type = candidate.type;
    return Status::success();
  }
  return Status::failure("element type '" + text + "' is not supported");
}

/// Parses "(1, 3, 224)".
static Status parseShape(const std::string &field, std::vector<int64_t> &out_shape) {
  size_t end = field.find(')');
  if (field.empty() || field[0] != '(' || end == std::string::npos)
    return Status::failure("header has no 'shape'");
  const char *next = field.c_str() + 1;
  while (true) {
    next += strspn(next, " ,");
    if (*next == ')')
      return Status::success();
    char *after;
    errno = 0;
    long long size = strtoll(next, &after, 10);
    if (after == next || errno != 0 || size < 0)
      return Status::failure("header has the shape '" + field.substr(0, end + 1) + "'");
    out_shape.push_back(size);
    next = after;
  }
}

Status run::parseNpy(const std::string &bytes, HostTensor &out_tensor) {
  if (bytes.compare(0, kNpyMagicBytes, kNpyMagic) != 0 || bytes.size() < 12)
    return Status::failure("not an .npy file");
  // Version 1 has a 16-bit header size, the later ones 32 bits.
  bool isFirst = bytes[6] == 1;
  uint32_t headerBytes = 0;
  size_t start = isFirst ? 10 : 12;
  memcpy(&headerBytes, bytes.data() + 8, start - 8);
  if (headerBytes > bytes.size() - start)
    return Status::failure("header is truncated");
  std::string header = bytes.substr(start, headerBytes);
  if (Status status = parseType(getField(header, "descr"), out_tensor.type); status.failed())
    return status;
  if (getField(header, "fortran_order").compare(0, 5, "False") != 0)
    return Status::failure("column-major order is not supported");
  out_tensor.shape.clear();
  if (Status status = parseShape(getField(header, "shape"), out_tensor.shape); status.failed())
    return status;
  uint64_t expected, found = bytes.size() - start - headerBytes;
  if (!getTensorBytes(out_tensor.type, out_tensor.shape, expected) || expected != found)
    return Status::failure("expects the bytes of " + out_tensor.getTypeText() + ", got " +
                           std::to_string(found));
  if (Status status = allocate(out_tensor); status.failed())
    return status;
  memcpy(out_tensor.data.get(), bytes.data() + start + headerBytes, found);
  return Status::success();
}

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
