//===- NumpyReader.cpp - tensors from .npy files ---------------------------===//
//
// NumPy's format, versions 1 to 3: magic, header (a Python dictionary), data.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TensorReader.h"

#include <cstring>

using namespace udnn;
using namespace udnn::onnx;

static ElementType getNumpyType(const std::string &descr) {
  static const std::map<std::string, ElementType> types = {{"|b1", ElementType::Bool},
                                                           {"|u1", ElementType::UInt8},
                                                           {"|i1", ElementType::Int8},
                                                           {"<u2", ElementType::UInt16},
                                                           {"<i2", ElementType::Int16},
                                                           {"<u4", ElementType::UInt32},
                                                           {"<i4", ElementType::Int32},
                                                           {"<u8", ElementType::UInt64},
                                                           {"<i8", ElementType::Int64},
                                                           {"<f2", ElementType::Float16},
                                                           {"<f4", ElementType::Float},
                                                           {"<f8", ElementType::Double},
                                                           // NumPy has no bfloat16: two raw bytes.
                                                           {"<V2", ElementType::BFloat16},
                                                           {"|V2", ElementType::BFloat16}};
  auto it = types.find(descr);
  return it == types.end() ? ElementType::Undefined : it->second;
}

/// The text behind `'key':` in the header, up to what ends the value.
static std::string getField(const std::string &header, const std::string &key) {
  size_t at = header.find("'" + key + "':");
  if (at == header.npos)
    return "";
  at = header.find_first_not_of(' ', at + key.size() + 3);
  if (at == header.npos)
    return "";
  char close = header[at] == '(' ? ')' : header[at] == '\'' ? '\'' : ',';
  size_t end = header.find(close, at + 1);
  if (end == header.npos)
    return "";
  bool isQuoted = close != ',';
  return header.substr(at + isQuoted, end - at - isQuoted);
}

static bool parseShape(const std::string &text, std::vector<int64_t> &dims) {
  for (size_t at = 0; (at = text.find_first_not_of(", ", at)) != text.npos;) {
    size_t end = text.find_first_not_of("0123456789", at);
    if (end == at || (end == text.npos ? text.size() : end) - at > 15)
      return false;
    dims.push_back(std::stoll(text.substr(at)));
    if (end == text.npos)
      break;
    at = end;
  }
  return true;
}

/// Reads the header; `offset` is where the data starts.
static bool readHeader(const MappedFile &file, Tensor &tensor, size_t &offset, std::string &error) {
  if (file.size() < 12 || std::memcmp(file.data(), "\x93NUMPY", 6) != 0) {
    error = "expects a NumPy array";
    return false;
  }
  bool isVersion1 = file.data()[6] == 1;
  offset = isVersion1 ? 10 : 12;
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, isVersion1 ? 2 : 4);
  if (length > file.size() - offset) {
    error = "the header is cut off";
    return false;
  }
  std::string header(file.data() + offset, length);
  offset += length;
  std::string descr = getField(header, "descr");
  tensor.type = getNumpyType(descr);
  if (tensor.type == ElementType::Undefined) {
    error = "element type '" + descr + "' is not supported";
    return false;
  }
  if (getField(header, "fortran_order") != "False") {
    error = "expects elements in C order";
    return false;
  }
  if (!parseShape(getField(header, "shape"), tensor.dims)) {
    error = "expects a shape in the header";
    return false;
  }
  return true;
}

bool udnn::onnx::readNumpy(const std::string &path, Tensor &tensor, std::string &error) {
  auto file = MappedFile::open(path, error);
  if (!file)
    return false;
  size_t offset = 0, size = 0;
  std::string problem;
  if (readHeader(*file, tensor, offset, problem)) {
    if (!computeTensorSize(tensor.dims, tensor.type, size))
      problem = "the shape is too large";
    else if (file->size() - offset != size)
      problem = "expects " + std::to_string(size) + " bytes of data, got " +
                std::to_string(file->size() - offset);
  }
  if (!problem.empty()) {
    error = path + ": " + problem;
    return false;
  }
  setTensorData(tensor, file->data() + offset, size, file);
  return true;
}
