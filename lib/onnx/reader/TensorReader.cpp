//===- TensorReader.cpp - tensors from their encodings ---------------------===//
//
// Every encoding ends as row-major little-endian bytes, without a copy where that is possible.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TensorReader.h"
#include "TensorSize.h"

#include <cstring>
#include <limits>

using namespace udnn::onnx;
using ::onnx::TensorProto;

bool udnn::onnx::computeTensorSize(const std::vector<int64_t> &dims, ElementType type,
                                   size_t &size) {
  std::optional<int64_t> bytes = computeTensorBytes(dims, getElementSize(type));
  size = bytes.value_or(0);
  return bytes.has_value();
}

/// A buffer that owns its bytes.
static std::shared_ptr<std::string> makeBuffer(std::string bytes) {
  return std::make_shared<std::string>(std::move(bytes));
}

static void setOwnData(Tensor &tensor, std::string bytes) {
  auto buffer = makeBuffer(std::move(bytes));
  tensor.data = buffer->data();
  tensor.size = buffer->size();
  tensor.owner = buffer;
}

void udnn::onnx::setTensorData(Tensor &tensor, const char *data, size_t size,
                               std::shared_ptr<const void> owner) {
  size_t alignment = std::max<int64_t>(getElementSize(tensor.type), 1);
  bool isBool = tensor.type == ElementType::Bool;
  bool hasOtherBools = isBool && std::any_of(data, data + size, [](char c) { return c & ~1; });
  if (reinterpret_cast<uintptr_t>(data) % alignment == 0 && !hasOtherBools) {
    tensor.data = data;
    tensor.size = size;
    tensor.owner = std::move(owner);
    return;
  }
  std::string bytes(data, size);
  if (hasOtherBools)
    for (char &c : bytes)
      c = c != 0;
  setOwnData(tensor, std::move(bytes));
}

namespace {

/// Decodes one tensor.
class Decoder {
public:
  Decoder(TensorProto &proto, ExternalData &external, Tensor &tensor, std::string &error)
      : proto(proto), external(external), tensor(tensor), error(error) {}

  bool run() {
    tensor.name = proto.name();
    tensor.type = ElementType(proto.data_type());
    tensor.dims.assign(proto.dims().begin(), proto.dims().end());
    if (!computeTensorSize(tensor.dims, tensor.type, size))
      return fail("expects dimensions of 0 or more whose product fits, got [" + printDims() + "]");
    if (proto.has_segment())
      return fail("tensors in segments are not supported");
    // Nothing can be read of a type that is not covered; whoever needs the tensor says so.
    if (getElementSize(tensor.type) == 0)
      return true;
    if (proto.data_location() == TensorProto::EXTERNAL)
      return readExternal();
    if (proto.has_raw_data())
      return readRaw();
    return readTyped();
  }

private:
  bool fail(const std::string &message) {
    error = "tensor '" + tensor.name + "': " + message;
    return false;
  }

  std::string printDims() const {
    std::string text;
    for (int64_t dim : tensor.dims)
      text += (text.empty() ? "" : ", ") + std::to_string(dim);
    return text;
  }

  bool readRaw() {
    if (proto.raw_data().size() != size)
      return fail("expects " + std::to_string(size) + " bytes of raw data, got " +
                  std::to_string(proto.raw_data().size()));
    auto buffer = makeBuffer(std::move(*proto.mutable_raw_data()));
    setTensorData(tensor, buffer->data(), buffer->size(), buffer);
    return true;
  }

  bool parseNumber(const std::string &key, const std::string &text, size_t &number) {
    if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != text.npos)
      return fail("expects a number in the external data's '" + key + "', got '" + text + "'");
    number = std::stoull(text);
    return true;
  }

  bool readExternal() {
    std::string location;
    size_t offset = 0, length = size;
    for (const auto &entry : proto.external_data()) {
      if (entry.key() == "location")
        location = entry.value();
      else if (entry.key() == "offset" && !parseNumber("offset", entry.value(), offset))
        return false;
      else if (entry.key() == "length" && !parseNumber("length", entry.value(), length))
        return false;
    }
    if (length != size)
      return fail("expects " + std::to_string(size) + " bytes of external data, got length " +
                  std::to_string(length));
    auto file = external.open(location, error);
    if (!file)
      return fail(error);
    if (offset > file->size() || size > file->size() - offset)
      return fail("expects " + std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                  " of external data '" + location + "', which has " +
                  std::to_string(file->size()));
    setTensorData(tensor, file->data() + offset, size, file);
    return true;
  }

  /// Writes the elements of a typed field as T; each must be a value of T.
  template <typename T, typename Field>
  bool readField(const Field &field) {
    size_t count = size / sizeof(T);
    if (size_t(field.size()) != count)
      return fail("expects " + std::to_string(count) + " elements of type " +
                  getElementTypeName(tensor.type) + ", got " + std::to_string(field.size()));
    std::string bytes(size, '\0');
    for (size_t i = 0; i < count; ++i) {
      T element = static_cast<T>(field[i]);
      if constexpr (std::is_integral_v<T>)
        if (static_cast<std::decay_t<decltype(field[i])>>(element) != field[i])
          return fail("expects elements of type " + getElementTypeName(tensor.type) + ", got " +
                      std::to_string(field[i]));
      std::memcpy(&bytes[i * sizeof(T)], &element, sizeof(T));
    }
    auto buffer = makeBuffer(std::move(bytes));
    setTensorData(tensor, buffer->data(), buffer->size(), buffer);
    return true;
  }

  bool readTyped() {
    switch (tensor.type) {
    case ElementType::Float:
      return readField<float>(proto.float_data());
    case ElementType::Double:
      return readField<double>(proto.double_data());
    case ElementType::Int64:
      return readField<int64_t>(proto.int64_data());
    case ElementType::UInt64:
      return readField<uint64_t>(proto.uint64_data());
    case ElementType::UInt32:
      return readField<uint32_t>(proto.uint64_data());
    case ElementType::Int32:
      return readField<int32_t>(proto.int32_data());
    case ElementType::Int16:
      return readField<int16_t>(proto.int32_data());
    case ElementType::Int8:
      return readField<int8_t>(proto.int32_data());
    case ElementType::UInt8:
    case ElementType::Bool:
      return readField<uint8_t>(proto.int32_data());
    default:
      // uint16, and the bits of float16 and bfloat16
      return readField<uint16_t>(proto.int32_data());
    }
  }

  TensorProto &proto;
  ExternalData &external;
  Tensor &tensor;
  std::string &error;
  size_t size = 0;
};

} // namespace

bool udnn::onnx::decodeTensor(TensorProto &proto, ExternalData &external, Tensor &tensor,
                              std::string &error) {
  return Decoder(proto, external, tensor, error).run();
}
