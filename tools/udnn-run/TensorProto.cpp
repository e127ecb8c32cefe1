//===- TensorProto.cpp - ONNX's tensors -----------------------------------===//
//
// Reads a serialized onnx.TensorProto from its wire format: raw data and typed fields.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"

#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::run;

namespace {
/// Field numbers of onnx.TensorProto.
enum Field : uint32_t {
  kDims = 1,
  kDataType = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kDataLocation = 14,
};

/// Wire types of protobuf.
enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// A position in serialized bytes.
struct Cursor {
  const char *next, *end;

  bool atEnd() const { return next == end; }

  bool readVarint(uint64_t &out_value) {
    out_value = 0;
    for (int shift = 0; shift < 64 && next != end; shift += 7) {
      uint8_t byte = *next++;
      out_value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return true;
    }
    return false;
  }

  bool readFixed(uint64_t bytes, uint64_t &out_value) {
    if (uint64_t(end - next) < bytes)
      return false;
    out_value = 0;
    memcpy(&out_value, next, bytes);
    next += bytes;
    return true;
  }

  bool readBytes(Cursor &out_bytes) {
    uint64_t size;
    if (!readVarint(size) || size > uint64_t(end - next))
      return false;
    out_bytes = {next, next + size};
    next += size;
    return true;
  }
};

/// What the fields of a TensorProto hold.
struct Fields {
  std::vector<uint64_t> dims;
  uint64_t type = 0, location = 0;
  std::string name, raw;
  bool hasRaw = false;
  /// Elements of the typed field, as bits.
  std::vector<uint64_t> elements;
};
} // namespace

/// Bytes of one element of a repeated field when it is not a varint, else 0.
static uint64_t getFixedBytes(uint32_t field) {
  return field == kFloatData ? 4 : field == kDoubleData ? 8 : 0;
}

/// Reads a repeated number, packed or not.
static bool readNumbers(Cursor &cursor, uint32_t field, uint32_t wire,
                        std::vector<uint64_t> &out_numbers) {
  uint64_t fixed = getFixedBytes(field), value;
  auto readOne = [&](Cursor &from) {
    if (!(fixed ? from.readFixed(fixed, value) : from.readVarint(value)))
      return false;
    out_numbers.push_back(value);
    return true;
  };
  if (wire != kBytes)
    return readOne(cursor);
  Cursor packed;
  if (!cursor.readBytes(packed))
    return false;
  while (!packed.atEnd())
    if (!readOne(packed))
      return false;
  return true;
}

static bool skip(Cursor &cursor, uint32_t wire) {
  uint64_t value;
  Cursor bytes;
  switch (wire) {
  case kVarint:
    return cursor.readVarint(value);
  case kFixed64:
    return cursor.readFixed(8, value);
  case kBytes:
    return cursor.readBytes(bytes);
  case kFixed32:
    return cursor.readFixed(4, value);
  default:
    return false;
  }
}

static bool readField(Cursor &cursor, uint32_t field, uint32_t wire, Fields &fields) {
  Cursor bytes;
  switch (field) {
  case kDims:
    return readNumbers(cursor, field, wire, fields.dims);
  case kDataType:
    return wire == kVarint && cursor.readVarint(fields.type);
  case kDataLocation:
    return wire == kVarint && cursor.readVarint(fields.location);
  case kFloatData:
  case kInt32Data:
  case kInt64Data:
  case kDoubleData:
  case kUint64Data:
    return readNumbers(cursor, field, wire, fields.elements);
  case kName:
    if (wire != kBytes || !cursor.readBytes(bytes))
      return false;
    fields.name.assign(bytes.next, bytes.end);
    return true;
  case kRawData:
    if (wire != kBytes || !cursor.readBytes(bytes))
      return false;
    fields.raw.assign(bytes.next, bytes.end);
    fields.hasRaw = true;
    return true;
  default:
    return skip(cursor, wire);
  }
}

static bool readFields(const std::string &bytes, Fields &fields) {
  Cursor cursor = {bytes.data(), bytes.data() + bytes.size()};
  while (!cursor.atEnd()) {
    uint64_t tag;
    if (!cursor.readVarint(tag) || !readField(cursor, uint32_t(tag >> 3), tag & 7, fields))
      return false;
  }
  return true;
}

/// Copies the elements, each from the low bytes of its bits.
static Status fill(HostTensor &tensor, const Fields &fields) {
  if (fields.hasRaw) {
    if (fields.raw.size() != tensor.bytes)
      return Status::failure("expects " + std::to_string(tensor.bytes) + " bytes of raw data, got " +
                             std::to_string(fields.raw.size()));
    memcpy(tensor.data.get(), fields.raw.data(), tensor.bytes);
    return Status::success();
  }
  if (fields.elements.size() != tensor.getNumElements())
    return Status::failure("expects " + std::to_string(tensor.getNumElements()) +
                           " elements, got " + std::to_string(fields.elements.size()));
  uint64_t elementBytes = getElementSize(tensor.type);
  for (size_t i = 0; i < fields.elements.size(); ++i)
    memcpy(tensor.data.get() + i * elementBytes, &fields.elements[i], elementBytes);
  return Status::success();
}

Status run::parseTensorProto(const std::string &bytes, HostTensor &out_tensor) {
  Fields fields;
  if (!readFields(bytes, fields))
    return Status::failure("not a serialized onnx.TensorProto");
  if (fields.type == 8)
    return Status::failure("element type 'string' is not supported");
  if (fields.type > 255 || getElementSize(ElementType(fields.type)) == 0)
    return Status::failure("element type " + std::to_string(fields.type) +
                           " of onnx.TensorProto is not supported");
  if (fields.location != 0)
    return Status::failure("external data is not supported");
  out_tensor.type = ElementType(fields.type);
  out_tensor.name = fields.name;
  out_tensor.shape.assign(fields.dims.begin(), fields.dims.end());
  if (Status status = allocate(out_tensor); status.failed())
    return status;
  return fill(out_tensor, fields);
}
