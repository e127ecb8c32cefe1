//===- Report.h - what udnn-run prints ---------------------------*- C++ -*-===//
//
// The artifact's contents, results of comparisons and times, as text or as JSON.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_UDNN_RUN_REPORT_H
#define UDNN_TOOLS_UDNN_RUN_REPORT_H

#include "Session.h"

namespace udnn::run {

/// The text of --info.
std::string formatInfo(const udnn_model *model, const std::string &path);
/// The object of --info --json.
std::string formatInfoJson(const udnn_model *model);

/// Compares all outputs for which something is expected; one line each in `out_text`, one object
/// each in `out_json` (an array). Returns the number of outputs that differ.
size_t compareOutputs(const Session &session, Tolerance tolerance, std::string &out_text,
                      std::string &out_json);

/// The table of --profile.
std::string formatProfile(const Session &session, const Timing &timing);

/// "median 19.2 ms, min 19.0 ms, iterations 10, threads 2, arena 1.5 MiB"; a GPU by its name
/// instead of the threads.
std::string formatTiming(const Session &session, const Timing &timing);

/// The object of --json; `comparisons` is the array of `compareOutputs`.
std::string formatRunJson(const Session &session, const Timing &timing,
                          const std::string &comparisons, bool passed);

} // namespace udnn::run

#endif // UDNN_TOOLS_UDNN_RUN_REPORT_H
