//===- Half.h - 16-bit floating point numbers --------------------*- C++ -*-===//
//
// Conversion between float and the bits of f16 and bf16, rounding to nearest even.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CONSTANTS_HALF_H
#define UDNN_LIB_CONSTANTS_HALF_H

#include <cstdint>
#include <cstring>

namespace udnn {

inline float floatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint32_t bitsFromFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatFromBFloat16(uint16_t bits) { return floatFromBits(uint32_t(bits) << 16); }

inline uint16_t bfloat16FromFloat(float value) {
  uint32_t bits = bitsFromFloat(value);
  if (value != value)
    return uint16_t(bits >> 16) | 0x40;
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline float floatFromFloat16(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31,
           mantissa = half & 1023;
  if (exponent == 31)
    return floatFromBits(sign | 0x7f800000 | (mantissa << 13));
  if (exponent)
    return floatFromBits(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float magnitude = float(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

inline uint16_t float16FromFloat(float value) {
  uint32_t bits = bitsFromFloat(value), magnitude = bits & 0x7fffffff;
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000) // 65520 and above round to infinity
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Subnormal: adding 0.5 brings the last bit of the half to the last bit of the float.
    uint32_t sum = bitsFromFloat(floatFromBits(magnitude) + 0.5f);
    return sign | uint16_t(sum - 0x3f000000);
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | uint16_t((rounded - (112u << 23)) >> 13);
}

/// Float from double for a later rounding to 16 bits: rounds to odd, so that rounding twice gives
/// what rounding once would.
inline float roundToOdd(double value) {
  float rounded = float(value);
  uint32_t bits = bitsFromFloat(rounded);
  if (double(rounded) == value || value != value || (bits & 0x7f800000) == 0x7f800000)
    return rounded;
  // Inexact: truncate towards zero, then set the last bit.
  double magnitude = value < 0 ? -value : value;
  double back = rounded < 0 ? -double(rounded) : double(rounded);
  if (back > magnitude)
    --bits;
  return floatFromBits(bits | 1);
}

} // namespace udnn

#endif // UDNN_LIB_CONSTANTS_HALF_H
