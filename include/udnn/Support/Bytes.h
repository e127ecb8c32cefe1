//===- Bytes.h - sizes with units --------------------------------*- C++ -*-===//
//
// Reads and writes sizes such as "64MiB" in command lines, reports and messages.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_SUPPORT_BYTES_H
#define UDNN_SUPPORT_BYTES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace udnn {

/// Reads "4096", "64KiB", "64MiB", "2GiB" or "1TiB" (also with a space before the unit, and "B").
/// Nothing for other text, negative numbers and sizes beyond 63 bits.
std::optional<int64_t> parseBytes(std::string_view text);

/// Writes a size with the largest unit that keeps three digits: "0 B", "784 KiB", "1.53 MiB".
std::string formatBytes(uint64_t bytes);

} // namespace udnn

#endif // UDNN_SUPPORT_BYTES_H
