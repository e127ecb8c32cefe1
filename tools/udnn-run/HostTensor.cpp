//===- HostTensor.cpp - tensors in memory ---------------------------------===//
//
// Allocation, reading, random contents, and elements as doubles.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"

#include "udnn/Onnx/Model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::run;

std::string HostTensor::getTypeText() const {
  return std::string(getElementTypeName(type)) + " " + formatShape(shape);
}

Status run::allocate(HostTensor &tensor) {
  if (!getTensorBytes(tensor.type, tensor.shape, tensor.bytes))
    return Status::failure("shape " + formatShape(tensor.shape) +
                           " has a negative or too large dimension");
  uint64_t rounded = (tensor.bytes / 64 + 1) * 64;
  tensor.data.reset(static_cast<uint8_t *>(aligned_alloc(64, rounded)));
  if (!tensor.data)
    return Status::failure("cannot allocate " + std::to_string(tensor.bytes) + " bytes");
  return Status::success();
}

/// Copies a tensor that was read; `from` is the file or folder.
static Status takeOver(const onnx::Tensor &tensor, const std::string &from,
                       HostTensor &out_tensor) {
  out_tensor.name = tensor.name;
  out_tensor.type = ElementType(tensor.type);
  out_tensor.shape = tensor.dims;
  if (getElementSize(out_tensor.type) == 0)
    return Status::failure("cannot read '" + from + "': element type '" +
                           onnx::getElementTypeName(tensor.type) + "' is not supported");
  if (Status status = allocate(out_tensor); status.failed())
    return Status::failure("cannot read '" + from + "': " + status.message());
  std::copy_n(tensor.data, out_tensor.bytes, out_tensor.data.get());
  return Status::success();
}

Status run::readTensor(const std::string &path, HostTensor &out_tensor) {
  onnx::Tensor tensor;
  std::string error;
  if (!onnx::readTensor(path, tensor, error))
    return Status::failure(error);
  return takeOver(tensor, path, out_tensor);
}

Status run::readTestData(const std::string &folder, const std::string &prefix,
                         std::vector<HostTensor> &out_tensors) {
  std::vector<onnx::Tensor> tensors;
  std::string error;
  if (!onnx::readTestData(folder, prefix, tensors, error))
    return Status::failure(error);
  for (const onnx::Tensor &tensor : tensors)
    if (Status status = takeOver(tensor, folder, out_tensors.emplace_back()); status.failed())
      return status;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static float halfToFloat(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(float(mantissa), -24)
                                : std::ldexp(float(mantissa + 1024), exponent - 25);
  return bits >> 15 ? -value : value;
}

static float bfloatToFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

template <typename T>
static T load(const HostTensor &tensor, uint64_t index) {
  T value;
  memcpy(&value, tensor.data.get() + index * sizeof(T), sizeof(T));
  return value;
}

double run::getElement(const HostTensor &tensor, uint64_t index) {
  switch (tensor.type) {
  case ElementType::Float:
    return load<float>(tensor, index);
  case ElementType::Double:
    return load<double>(tensor, index);
  case ElementType::Float16:
    return halfToFloat(load<uint16_t>(tensor, index));
  case ElementType::BFloat16:
    return bfloatToFloat(load<uint16_t>(tensor, index));
  case ElementType::Bool:
  case ElementType::Uint8:
    return load<uint8_t>(tensor, index);
  case ElementType::Int8:
    return load<int8_t>(tensor, index);
  case ElementType::Uint16:
    return load<uint16_t>(tensor, index);
  case ElementType::Int16:
    return load<int16_t>(tensor, index);
  case ElementType::Uint32:
    return load<uint32_t>(tensor, index);
  case ElementType::Int32:
    return load<int32_t>(tensor, index);
  case ElementType::Uint64:
    return double(load<uint64_t>(tensor, index));
  case ElementType::Int64:
    return double(load<int64_t>(tensor, index));
  }
  return 0;
}

/// SplitMix64: one number per state, the same on every machine.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Half-precision bits of `steps / 1024`, for steps in [-1024, 1024).
static uint16_t getHalf(int steps) {
  uint16_t sign = steps < 0 ? 0x8000 : 0;
  int magnitude = std::abs(steps), exponent = 15;
  if (magnitude == 0)
    return sign;
  while (magnitude < 1024) {
    magnitude *= 2;
    --exponent;
  }
  return sign | exponent << 10 | (magnitude - 1024);
}

void run::fillRandom(HostTensor &tensor, uint64_t seed) {
  uint64_t state = seed, elementBytes = getElementSize(tensor.type);
  memset(tensor.data.get(), 0, tensor.bytes);
  for (uint64_t i = 0; i < tensor.getNumElements(); ++i) {
    uint64_t random = nextRandom(state);
    uint8_t *element = tensor.data.get() + i * elementBytes;
    double value = double(random >> 11) * 0x1p-52 - 1;
    float single = float(int64_t(random >> 40) - (1 << 23)) * 0x1p-23f;
    uint16_t half = getHalf(int(random >> 53) - 1024);
    switch (tensor.type) {
    case ElementType::Float:
      memcpy(element, &single, sizeof(single));
      break;
    case ElementType::Double:
      memcpy(element, &value, sizeof(value));
      break;
    case ElementType::Float16:
      memcpy(element, &half, sizeof(half));
      break;
    case ElementType::BFloat16:
      // The upper half of a float.
      memcpy(element, reinterpret_cast<const char *>(&single) + 2, 2);
      break;
    default:
      *element = random & 1;
    }
  }
}
