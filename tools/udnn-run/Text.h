//===- Text.h - sizes, tables and JSON ---------------------------*- C++ -*-===//
//
// How numbers and tables are printed.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_UDNN_RUN_TEXT_H
#define UDNN_TOOLS_UDNN_RUN_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace udnn::run {

/// printf's "%.*f" and "%g".
std::string formatFixed(double number, int digits);
std::string formatNumber(double number);

/// Rows of cells in aligned columns, each line after `indent` blanks; columns whose heading starts
/// with '>' are aligned to the right. The first row holds the headings.
std::string formatTable(const std::vector<std::vector<std::string>> &rows, size_t indent);

/// A JSON string with its quotes, a JSON number (null when it is not finite).
std::string quoteJson(const std::string &text);
std::string numberJson(double number);

/// Builds an object or array: `add` puts commas between the members.
class JsonList {
public:
  JsonList(char open, char close) : text(1, open), close(close) {}

  void add(const std::string &value) {
    if (text.size() > 1)
      text += ", ";
    text += value;
  }
  void add(const std::string &key, const std::string &value) { add(quoteJson(key) + ": " + value); }
  std::string str() const { return text + close; }

private:
  std::string text;
  char close;
};

inline JsonList jsonObject() { return JsonList('{', '}'); }
inline JsonList jsonArray() { return JsonList('[', ']'); }

} // namespace udnn::run

#endif // UDNN_TOOLS_UDNN_RUN_TEXT_H
