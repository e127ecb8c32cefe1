//===- Options.h - command line of udnn-run ----------------------*- C++ -*-===//
//
// What the user asked for.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_UDNN_RUN_OPTIONS_H
#define UDNN_TOOLS_UDNN_RUN_OPTIONS_H

#include "Compare.h"

#include <optional>

namespace udnn::run {

/// "NAME=VALUE" of --input and --expected.
struct NamedValue {
  std::string name, value;
};

enum class Profile { None, Table, Json };

struct Options {
  std::string artifact;
  /// Empty: the CPU if the artifact has a program for it, else the first GPU.
  std::string device;
  /// Empty: any.
  std::string entry;
  std::vector<NamedValue> inputs, expected;
  std::string testData, outputDir;
  Tolerance tolerance;
  /// Not set: 1 when there are several iterations, else 0.
  std::optional<uint32_t> warmup;
  uint32_t iterations = 1;
  uint32_t threads = 0;
  Profile profile = Profile::None;
  bool json = false, info = false, help = false, version = false;
};

/// Parses the command line.
Status parseOptions(int argc, const char *const *argv, Options &out_options);

/// The text of --help.
std::string getHelp();

} // namespace udnn::run

#endif // UDNN_TOOLS_UDNN_RUN_OPTIONS_H
