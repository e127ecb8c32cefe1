//===- Text.cpp - sizes, tables and JSON ----------------------------------===//
//
// How numbers and tables are printed.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace udnn;

std::string run::formatFixed(double number, int digits) {
  char buffer[400];
  snprintf(buffer, sizeof(buffer), "%.*f", digits, number);
  return buffer;
}

std::string run::formatNumber(double number) {
  char buffer[64];
  snprintf(buffer, sizeof(buffer), "%.9g", number);
  return buffer;
}

/// Characters, not bytes: UTF-8's continuation bytes take no room.
static size_t getWidth(const std::string &text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string run::formatTable(const std::vector<std::vector<std::string>> &rows, size_t indent) {
  std::vector<size_t> widths;
  std::vector<bool> right;
  for (const std::vector<std::string> &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      bool isHeading = &row == &rows.front();
      if (isHeading) {
        widths.push_back(0);
        right.push_back(!row[i].empty() && row[i][0] == '>');
      }
      widths[i] = std::max(widths[i], getWidth(row[i]) - (isHeading && right[i]));
    }
  }
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      std::string cell = &row == &rows.front() && right[i] ? row[i].substr(1) : row[i];
      std::string blanks(widths[i] - getWidth(cell), ' ');
      line += (i ? "  " : "") + (right[i] ? blanks + cell : cell + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string run::quoteJson(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    char buffer[8];
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (uint8_t(c) < 32)
      quoted.append(buffer, snprintf(buffer, sizeof(buffer), "\\u%04x", c));
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string run::numberJson(double number) {
  return std::isfinite(number) ? formatNumber(number) : "null";
}
