//===- Options.cpp - command line of udnn-run -----------------------------===//
//
// One table of options gives the parser and the help text.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>

using namespace udnn;
using namespace udnn::run;

namespace {
struct OptionInfo {
  const char *name;
  /// What stands behind '=' in the help; null for a flag. In brackets when it may be left out.
  const char *value;
  const char *help;
  Status (*apply)(Options &options, const std::string &value);
};
} // namespace

static Status parseNumber(const std::string &text, uint32_t minimum, uint32_t &out_number) {
  char *end;
  errno = 0;
  long long number = strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno != 0 || number < minimum || number > INT32_MAX)
    return Status::failure("expects a number from " + std::to_string(minimum) + " to " +
                           std::to_string(INT32_MAX) + ", got '" + text + "'");
  out_number = number;
  return Status::success();
}

static Status parseTolerance(const std::string &text, std::optional<double> &out_number) {
  char *end;
  double number = strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(number) || number < 0)
    return Status::failure("expects a number of at least 0, got '" + text + "'");
  out_number = number;
  return Status::success();
}

static Status parseNamed(const std::string &text, std::vector<NamedValue> &out_values) {
  // Names may hold '=', files hardly ever do.
  size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    return Status::failure("expects NAME=VALUE, got '" + text + "'");
  out_values.push_back({text.substr(0, at), text.substr(at + 1)});
  return Status::success();
}

static Status parseText(const std::string &text, std::string &out_text) {
  if (text.empty())
    return Status::failure("expects a value");
  out_text = text;
  return Status::success();
}

static Status parseProfile(const std::string &text, Profile &out_profile) {
  if (!text.empty() && text != "table" && text != "json")
    return Status::failure("expects 'table' or 'json', got '" + text + "'");
  out_profile = text == "json" ? Profile::Json : Profile::Table;
  return Status::success();
}

static Status setFlag(bool &out_flag) {
  out_flag = true;
  return Status::success();
}

using O = Options;
using V = const std::string;

static const OptionInfo kOptions[] = {
    {"input", "NAME=FILE",
     "input from an .npy or .pb file, or NAME=random:SEED for random numbers (the default, with\n"
     "seed 0): floats in [-1, 1), integers and booleans 0 or 1",
     [](O &o, V &v) { return parseNamed(v, o.inputs); }},
    {"test-data", "DIR",
     "inputs and expected outputs from an ONNX test data set: input_*.pb, output_*.pb",
     [](O &o, V &v) { return parseText(v, o.testData); }},
    {"expected", "NAME=FILE",
     "compare output NAME with an .npy or .pb file; exit code 1 when they differ",
     [](O &o, V &v) { return parseNamed(v, o.expected); }},
    {"rtol", "NUMBER",
     "relative tolerance of comparisons (default 1e-3, for integers and booleans 0)",
     [](O &o, V &v) { return parseTolerance(v, o.tolerance.relative); }},
    {"atol", "NUMBER",
     "absolute tolerance of comparisons (default 1e-7, for integers and booleans 0); an element\n"
     "passes when |output - expected| <= atol + rtol * |expected|",
     [](O &o, V &v) { return parseTolerance(v, o.tolerance.absolute); }},
    {"output-dir", "DIR",
     "write the outputs as output_0.npy, output_1.npy, ... in the model's order",
     [](O &o, V &v) { return parseText(v, o.outputDir); }},
    {"device", "DEVICE",
     "cpu or cuda:N, the GPU with number N, which needs the NVIDIA driver (default: cpu if the\n"
     "artifact has code for it, else cuda:0)",
     [](O &o, V &v) { return parseText(v, o.device); }},
    {"entry", "NAME", "entry to run when the artifact has several (default: the first)",
     [](O &o, V &v) { return parseText(v, o.entry); }},
    {"threads", "N", "number of threads on the CPU (default: all CPUs of this process)",
     [](O &o, V &v) { return parseNumber(v, 1, o.threads); }},
    {"warmup", "N", "runs that are not timed (default 1 when --iterations is above 1, else 0)",
     [](O &o, V &v) { return parseNumber(v, 0, o.warmup.emplace()); }},
    {"iterations", "N", "runs that are timed (default 1)",
     [](O &o, V &v) { return parseNumber(v, 1, o.iterations); }},
    {"profile", "[table|json]",
     "print the time of every launch (median over the iterations): a table, or part of the\n"
     "object that --json prints",
     [](O &o, V &v) { return parseProfile(v, o.profile); }},
    {"json", nullptr, "print one JSON object (times in ms, sizes in bytes) instead of text",
     [](O &o, V &) { return setFlag(o.json); }},
    {"info", nullptr, "print what the artifact holds, and do not run it",
     [](O &o, V &) { return setFlag(o.info); }},
    {"version", nullptr, "print the versions of this program and of the artifacts that it reads",
     [](O &o, V &) { return setFlag(o.version); }},
    {"help", nullptr, "print this text", [](O &o, V &) { return setFlag(o.help); }},
};

static const OptionInfo *lookup(const std::string &name) {
  for (const OptionInfo &info : kOptions)
    if (name == info.name)
      return &info;
  return nullptr;
}

static bool isOptional(const OptionInfo &info) { return info.value && info.value[0] == '['; }

static Status parseOption(const std::string &argument, int argc, const char *const *argv, int &i,
                          Options &options) {
  size_t equals = argument.find('=');
  std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
  const OptionInfo *info = lookup(name);
  if (!info)
    return Status::failure("unknown option '--" + name + "'; see --help");
  std::string value;
  if (equals != std::string::npos) {
    if (!info->value)
      return Status::failure("option '--" + name + "' takes no value");
    value = argument.substr(equals + 1);
  } else if (info->value && !isOptional(*info)) {
    if (i + 1 >= argc)
      return Status::failure("option '--" + name + "' needs a value: " + info->value);
    value = argv[++i];
  }
  if (Status status = info->apply(options, value); status.failed())
    return Status::failure("option '--" + name + "': " + status.message());
  return Status::success();
}

Status run::parseOptions(int argc, const char *const *argv, Options &out_options) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "-h")
      argument = "--help";
    if (argument.size() > 2 && argument.compare(0, 2, "--") == 0) {
      if (Status status = parseOption(argument, argc, argv, i, out_options); status.failed())
        return status;
      continue;
    }
    if (argument.size() > 1 && argument[0] == '-')
      return Status::failure("unknown option '" + argument + "'; see --help");
    if (!out_options.artifact.empty())
      return Status::failure("expects one artifact, got '" + out_options.artifact + "' and '" +
                             argument + "'");
    out_options.artifact = argument;
  }
  if (out_options.artifact.empty() && !out_options.help && !out_options.version)
    return Status::failure("expects an artifact; see --help");
  return Status::success();
}

std::string run::getHelp() {
  std::string text = "usage: udnn-run MODEL.udnn [options]\n\n"
                     "Runs a model that udnn-compile made, checks its outputs, and measures it.\n"
                     "An artifact holds machine code: run only those that you trust.\n\n"
                     "options:\n";
  for (const OptionInfo &info : kOptions) {
    std::string left = std::string("  --") + info.name;
    if (info.value)
      left +=
          isOptional(info) ? std::string("[=") + (info.value + 1) : std::string("=") + info.value;
    left.resize(std::max<size_t>(left.size() + 2, 26), ' ');
    text += left;
    for (const char *next = info.help; *next; ++next) {
      text += *next;
      if (*next == '\n')
        text.append(26, ' ');
    }
    text += '\n';
  }
  return text + "\nexit code: 0 when all went well, 1 after an error or a mismatch\n";
}
