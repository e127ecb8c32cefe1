//===- ElementTypes.cpp - names and sizes of element types -----------------===//
//
// ONNX's element types and kinds of attributes, by name.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Onnx/Model.h"

using namespace udnn::onnx;

std::string udnn::onnx::getElementTypeName(ElementType type) {
  static const char *const names[] = {
      "undefined",      "float",      "uint8",          "int8",       "uint16",    "int16",
      "int32",          "int64",      "string",         "bool",       "float16",   "double",
      "uint32",         "uint64",     "complex64",      "complex128", "bfloat16",  "float8e4m3fn",
      "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",      "float4e2m1",
      "float8e8m0",     "uint2",      "int2",           "float6e2m3", "float6e3m2"};
  int index = int(type);
  if (index >= 0 && index < int(sizeof(names) / sizeof(*names)))
    return names[index];
  return "number " + std::to_string(index);
}

int64_t udnn::onnx::getElementSize(ElementType type) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::Int8:
  case ElementType::UInt8:
    return 1;
  case ElementType::Int16:
  case ElementType::UInt16:
  case ElementType::Float16:
  case ElementType::BFloat16:
    return 2;
  case ElementType::Float:
  case ElementType::Int32:
  case ElementType::UInt32:
    return 4;
  case ElementType::Double:
  case ElementType::Int64:
  case ElementType::UInt64:
    return 8;
  default:
    return 0;
  }
}

int64_t Tensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

const char *udnn::onnx::getKindName(NodeAttribute::Kind kind) {
  switch (kind) {
  case NodeAttribute::Kind::Undefined:
    return "undefined";
  case NodeAttribute::Kind::Float:
    return "float";
  case NodeAttribute::Kind::Int:
    return "int";
  case NodeAttribute::Kind::String:
    return "string";
  case NodeAttribute::Kind::Tensor:
    return "tensor";
  case NodeAttribute::Kind::Graph:
    return "graph";
  case NodeAttribute::Kind::Floats:
    return "floats";
  case NodeAttribute::Kind::Ints:
    return "ints";
  case NodeAttribute::Kind::Strings:
    return "strings";
  case NodeAttribute::Kind::Other:
    return "other";
  }
  return "unknown";
}
