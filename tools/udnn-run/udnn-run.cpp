//===- udnn-run.cpp - run a compiled model --------------------------------===//
//
// The launcher: loads an artifact, feeds it, checks and measures it. Uses the runtime's C API only.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Session.h"

#include <cstdio>

using namespace udnn;
using namespace udnn::run;

/// Prints to the standard output; false when that fails (a closed pipe, a full disk).
static bool print(const std::string &text) {
  return fwrite(text.data(), 1, text.size(), stdout) == text.size() && fflush(stdout) == 0;
}

static int fail(const Status &status) {
  fprintf(stderr, "udnn-run: error: %s\n", status.message().c_str());
  return 1;
}

static int printVersion() {
  const char *version;
  uint32_t format, abi;
  if (udnn_version(&version, &format, &abi))
    return fail(getLastError());
  return !print(std::string("udnn-run ") + version + " (artifact format " + std::to_string(format) +
                ", ABI " + std::to_string(abi) + ")\n");
}

static int printInfo(const Session &session, const Options &options) {
  return !print(options.json ? formatInfoJson(session.getModel())
                             : formatInfo(session.getModel(), options.artifact));
}

/// Runs, writes and compares outputs, reports. Returns the exit code.
static int runModel(Session &session, const Options &options) {
  if (Status status = session.prepare(options); status.failed())
    return fail(status);
  if (Status status = session.bind(options); status.failed())
    return fail(status);
  Timing timing;
  if (Status status = session.run(options, timing); status.failed())
    return fail(status);
  if (!options.outputDir.empty())
    if (Status status = session.writeOutputs(options.outputDir); status.failed())
      return fail(status);
  std::string text, json;
  size_t differing = compareOutputs(session, options.tolerance, text, json);
  if (options.json || options.profile == Profile::Json) {
    text = formatRunJson(session, timing, json, differing == 0);
  } else {
    if (options.profile == Profile::Table)
      text = formatProfile(session, timing) + text;
    text += formatTiming(session, timing);
  }
  if (!print(text))
    return 1;
  return differing ? fail(Status::failure(std::to_string(differing) +
                                          (differing == 1 ? " output differs" : " outputs differ") +
                                          " from what is expected"))
                   : 0;
}

int main(int argc, char **argv) {
  Options options;
  if (Status status = parseOptions(argc, argv, options); status.failed())
    return fail(status);
  if (options.help)
    return !print(getHelp());
  if (options.version)
    return printVersion();
  Session session;
  if (Status status = session.load(options.artifact); status.failed())
    return fail(status);
  return options.info ? printInfo(session, options) : runModel(session, options);
}
