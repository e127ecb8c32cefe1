//===- Bytes.cpp - sizes with units -----------------------------------------===//
//
// Reads and writes sizes such as "64MiB".
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Support/Bytes.h"

#include <charconv>
#include <cstdio>

namespace udnn {

std::optional<int64_t> parseBytes(std::string_view text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc())
    return std::nullopt;
  std::string_view unit(end, text.data() + text.size() - end);
  if (!unit.empty() && unit.front() == ' ')
    unit.remove_prefix(1);
  int shift = 0;
  if (unit == "KiB")
    shift = 10;
  else if (unit == "MiB")
    shift = 20;
  else if (unit == "GiB")
    shift = 30;
  else if (unit == "TiB")
    shift = 40;
  else if (!unit.empty() && unit != "B")
    return std::nullopt;
  if (number > (uint64_t(INT64_MAX) >> shift))
    return std::nullopt;
  return int64_t(number << shift);
}

std::string formatBytes(uint64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = double(bytes);
  int unit = 0;
  while (value >= 1000 && unit < 6) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text, sizeof(text), "%.*f %s", digits, value, units[unit]);
  return text;
}

} // namespace udnn
