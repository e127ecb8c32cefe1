//===- Artifact.cpp - names and sizes -------------------------------------===//
//
// Element types, code formats and shapes: names and sizes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Header.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace udnn;
using namespace udnn::artifact;

namespace {
struct ElementTypeInfo {
  ElementType type;
  const char *name;
  uint64_t size;
};
} // namespace

static constexpr ElementTypeInfo kElementTypes[] = {
    {ElementType::Float, "float", 4},       {ElementType::Uint8, "uint8", 1},
    {ElementType::Int8, "int8", 1},         {ElementType::Uint16, "uint16", 2},
    {ElementType::Int16, "int16", 2},       {ElementType::Int32, "int32", 4},
    {ElementType::Int64, "int64", 8},       {ElementType::Bool, "bool", 1},
    {ElementType::Float16, "float16", 2},   {ElementType::Double, "double", 8},
    {ElementType::Uint32, "uint32", 4},     {ElementType::Uint64, "uint64", 8},
    {ElementType::BFloat16, "bfloat16", 2},
};

static const ElementTypeInfo *lookup(ElementType type) {
  for (const ElementTypeInfo &info : kElementTypes)
    if (info.type == type)
      return &info;
  return nullptr;
}

uint64_t artifact::getElementSize(ElementType type) {
  const ElementTypeInfo *info = lookup(type);
  return info ? info->size : 0;
}

const char *artifact::getElementTypeName(ElementType type) {
  const ElementTypeInfo *info = lookup(type);
  return info ? info->name : "unknown";
}

bool artifact::parseElementType(const std::string &name, ElementType &out_type) {
  for (const ElementTypeInfo &info : kElementTypes) {
    if (name != info.name)
      continue;
    out_type = info.type;
    return true;
  }
  return false;
}

bool artifact::getTensorBytes(ElementType type, const std::vector<int64_t> &shape,
                              uint64_t &out_bytes) {
  int64_t bytes = getElementSize(type);
  if (bytes == 0)
    return false;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
      return false;
  out_bytes = bytes;
  return true;
}

std::string artifact::formatShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

const char *artifact::getCodeFormatName(CodeFormat format) {
  switch (format) {
  case CodeFormat::Elf:
    return "elf";
  case CodeFormat::Cubin:
    return "cubin";
  case CodeFormat::Ptx:
    return "ptx";
  }
  return "unknown";
}

uint64_t artifact::getDigest(const void *data, uint64_t size) { return XXH3_64bits(data, size); }
