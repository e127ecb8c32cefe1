//===- Report.cpp - what udnn-run prints ----------------------------------===//
//
// The artifact's contents, results of comparisons and times, as text or as JSON.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Text.h"

#include "udnn/Support/Bytes.h"

#include <algorithm>
#include <cmath>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::run;

/// Elements of a frozen input that are printed; longer ones end in "...".
static constexpr uint64_t kFrozenElements = 16;

using Rows = std::vector<std::vector<std::string>>;
using TensorQuery = udnn_status (*)(const udnn_model *, size_t, size_t, udnn_tensor_info *);

/// " = [1, 2]", or nothing for an input that is not frozen.
static std::string formatFrozen(const udnn_tensor_info &info) {
  HostTensor tensor = makeTensor(info);
  if (!info.frozen || allocate(tensor).failed())
    return "";
  std::copy_n(static_cast<const uint8_t *>(info.frozen), tensor.bytes, tensor.data.get());
  std::string text;
  uint64_t count = tensor.getNumElements();
  for (uint64_t i = 0; i < std::min(count, kFrozenElements); ++i)
    text += (i ? ", " : "") + formatNumber(getElement(tensor, i));
  return "frozen = [" + text + (count > kFrozenElements ? ", ...]" : "]");
}

static std::string formatTensors(const udnn_model *model, size_t program, size_t count,
                                 TensorQuery query) {
  Rows rows = {{"", "", "", ">", ""}};
  for (size_t i = 0; i < count; ++i) {
    udnn_tensor_info info = {};
    query(model, program, i, &info);
    rows.push_back({info.name, info.type_name, formatShape(makeTensor(info).shape),
                    formatBytes(info.bytes), formatFrozen(info)});
  }
  std::string table = formatTable(rows, 4);
  return table.substr(table.find('\n') + 1);
}

static std::string formatDims(const int64_t (&dims)[3]) {
  size_t rank = dims[2] != 1 ? 3 : dims[1] != 1 ? 2 : 1;
  return formatShape({dims, dims + rank});
}

static std::string formatLaunches(const udnn_model *model, size_t program, size_t count) {
  Rows rows = {{">index", "layer", "family", "kernel", "grid", "block", ">shared"}};
  for (size_t i = 0; i < count; ++i) {
    udnn_launch_info info = {};
    udnn_model_get_launch(model, program, i, &info);
    rows.push_back({std::to_string(i), info.layer, info.family, info.kernel, formatDims(info.grid),
                    formatDims(info.block), formatBytes(info.shared_bytes)});
  }
  return formatTable(rows, 4);
}

static std::string formatFeatures(const udnn_program_info &info) {
  std::string text;
  for (size_t i = 0; i < info.num_device_features; ++i)
    text += (i ? " " : "") + std::string(info.device_features[i]);
  return text.empty() ? "none" : text;
}

/// Scratch memory: workers of a CPU have one each, blocks of a GPU share one.
static std::string formatScratch(const udnn_program_info &info) {
  bool isCpu = info.device_kind == std::string("cpu");
  return formatBytes(info.worker_bytes) + (isCpu ? " per worker" : " on the device");
}

static std::string formatProgram(const udnn_model *model, size_t program) {
  udnn_program_info info = {};
  udnn_model_get_program(model, program, &info);
  std::string text = "\nprogram " + std::to_string(program) + ": " + info.entry + " for " +
                     info.device_kind + " (" + info.device_arch + ")\n";
  text += formatTable({{"", ""},
                       {"code", info.code_format},
                       {"needs", formatFeatures(info)},
                       {"arena", formatBytes(info.arena_bytes) + " (largest live set " +
                                     formatBytes(info.live_bytes) + ")"},
                       {"scratch", formatScratch(info)},
                       {"constants", formatBytes(info.constant_bytes)}},
                      2)
              .substr(1);
  text += "  inputs\n" + formatTensors(model, program, info.num_inputs, udnn_model_get_input);
  text += "  outputs\n" + formatTensors(model, program, info.num_outputs, udnn_model_get_output);
  return text + "  launches\n" + formatLaunches(model, program, info.num_launches);
}

std::string run::formatInfo(const udnn_model *model, const std::string &path) {
  udnn_model_info info = {};
  udnn_model_get_info(model, &info);
  std::string text = path + ": " + formatBytes(info.file_bytes) + ", constants " +
                     formatBytes(info.constant_bytes) + ", code " + formatBytes(info.code_bytes) +
                     "\nmade by " + info.producer + ", format version " +
                     std::to_string(info.format_version) + ", ABI version " +
                     std::to_string(info.abi_version) + "\n";
  for (size_t i = 0; i < info.num_programs; ++i)
    text += formatProgram(model, i);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static std::string formatTensorsJson(const udnn_model *model, size_t program, size_t count,
                                     TensorQuery query) {
  JsonList list = jsonArray();
  for (size_t i = 0; i < count; ++i) {
    udnn_tensor_info info = {};
    query(model, program, i, &info);
    JsonList shape = jsonArray();
    for (size_t j = 0; j < info.rank; ++j)
      shape.add(std::to_string(info.shape[j]));
    JsonList object = jsonObject();
    object.add("name", quoteJson(info.name));
    object.add("type", quoteJson(info.type_name));
    object.add("shape", shape.str());
    object.add("frozen", info.frozen ? "true" : "false");
    list.add(object.str());
  }
  return list.str();
}

/// Launches with their times where `timing` has them.
static std::string formatLaunchesJson(const udnn_model *model, size_t program, size_t count,
                                      const std::vector<double> &ms) {
  JsonList list = jsonArray();
  double total = 0;
  for (double time : ms)
    total += time;
  for (size_t i = 0; i < count; ++i) {
    udnn_launch_info info = {};
    udnn_model_get_launch(model, program, i, &info);
    JsonList grid = jsonArray(), block = jsonArray();
    for (int d = 0; d < 3; ++d) {
      grid.add(std::to_string(info.grid[d]));
      block.add(std::to_string(info.block[d]));
    }
    JsonList object = jsonObject();
    object.add("index", std::to_string(i));
    object.add("layer", quoteJson(info.layer));
    object.add("family", quoteJson(info.family));
    object.add("kernel", quoteJson(info.kernel));
    object.add("grid", grid.str());
    object.add("block", block.str());
    object.add("shared_bytes", std::to_string(info.shared_bytes));
    if (!ms.empty()) {
      object.add("ms", numberJson(ms[i]));
      object.add("share", numberJson(total > 0 ? ms[i] / total : 0));
    }
    list.add(object.str());
  }
  return list.str();
}

static void addProgram(JsonList &object, const udnn_program_info &info) {
  object.add("entry", quoteJson(info.entry));
  object.add("device_kind", quoteJson(info.device_kind));
  object.add("device_arch", quoteJson(info.device_arch));
  object.add("code_format", quoteJson(info.code_format));
  object.add("arena_bytes", std::to_string(info.arena_bytes));
  object.add("live_bytes", std::to_string(info.live_bytes));
  object.add("worker_bytes", std::to_string(info.worker_bytes));
  object.add("constant_bytes", std::to_string(info.constant_bytes));
}

std::string run::formatInfoJson(const udnn_model *model) {
  udnn_model_info info = {};
  udnn_model_get_info(model, &info);
  JsonList programs = jsonArray();
  for (size_t i = 0; i < info.num_programs; ++i) {
    udnn_program_info program = {};
    udnn_model_get_program(model, i, &program);
    JsonList features = jsonArray();
    for (size_t j = 0; j < program.num_device_features; ++j)
      features.add(quoteJson(program.device_features[j]));
    JsonList object = jsonObject();
    addProgram(object, program);
    object.add("device_features", features.str());
    object.add("inputs", formatTensorsJson(model, i, program.num_inputs, udnn_model_get_input));
    object.add("outputs", formatTensorsJson(model, i, program.num_outputs, udnn_model_get_output));
    object.add("launches", formatLaunchesJson(model, i, program.num_launches, {}));
    programs.add(object.str());
  }
  JsonList object = jsonObject();
  object.add("producer", quoteJson(info.producer));
  object.add("format_version", std::to_string(info.format_version));
  object.add("abi_version", std::to_string(info.abi_version));
  object.add("file_bytes", std::to_string(info.file_bytes));
  object.add("constant_bytes", std::to_string(info.constant_bytes));
  object.add("code_bytes", std::to_string(info.code_bytes));
  object.add("programs", programs.str());
  return object.str() + "\n";
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static std::string formatComparison(const HostTensor &expected, const Comparison &result) {
  std::string text = "output '" + expected.name + "': ";
  uint64_t count = expected.getNumElements();
  if (count == 0)
    return text + "ok, no elements\n";
  text += result.mismatches == 0 ? "ok" : "MISMATCH";
  text += ", " + std::to_string(result.mismatches) + " of " + std::to_string(count) +
          " elements differ; worst at " + formatIndex(expected.shape, result.worstIndex) +
          ": got " + formatNumber(result.output) + ", expected " + formatNumber(result.expected) +
          "; largest difference " + formatNumber(result.maxDifference) + ", largest expected " +
          formatNumber(result.maxExpected) + "\n";
  return text;
}

size_t run::compareOutputs(const Session &session, Tolerance tolerance, std::string &out_text,
                           std::string &out_json) {
  size_t differing = 0;
  JsonList list = jsonArray();
  for (size_t i = 0; i < session.getOutputs().size(); ++i) {
    const HostTensor &expected = session.getExpected()[i];
    if (!expected.data)
      continue;
    Comparison result = compare(session.getOutputs()[i], expected, tolerance);
    differing += result.mismatches != 0;
    out_text += formatComparison(expected, result);
    JsonList object = jsonObject();
    object.add("output", quoteJson(expected.name));
    object.add("mismatches", std::to_string(result.mismatches));
    object.add("elements", std::to_string(expected.getNumElements()));
    object.add("worst_index", std::to_string(result.worstIndex));
    object.add("worst_output", numberJson(result.output));
    object.add("worst_expected", numberJson(result.expected));
    object.add("max_difference", numberJson(result.maxDifference));
    object.add("max_expected", numberJson(result.maxExpected));
    list.add(object.str());
  }
  out_json = list.str();
  return differing;
}

std::string run::formatProfile(const Session &session, const Timing &timing) {
  double total = 0;
  for (double time : timing.launchMs)
    total += time;
  Rows rows = {{">index", "layer", "family", ">ms", ">share"}};
  for (size_t i = 0; i < timing.launchMs.size(); ++i) {
    udnn_launch_info info = {};
    udnn_model_get_launch(session.getModel(), session.getProgram(), i, &info);
    double share = total > 0 ? 100 * timing.launchMs[i] / total : 0;
    rows.push_back({std::to_string(i), info.layer, info.family, formatFixed(timing.launchMs[i], 4),
                    formatFixed(share, 1) + "%"});
  }
  rows.push_back({"", "total", "", formatFixed(total, 4), "100.0%"});
  return formatTable(rows, 0);
}

static uint32_t getThreads(const Session &session) {
  uint32_t threads = 0;
  udnn_context_get_threads(session.getContext(), &threads);
  return threads;
}

static std::string getDeviceName(const Session &session) {
  const char *name = "";
  udnn_context_get_device(session.getContext(), &name);
  return name;
}

/// "threads 2", or the name of a GPU, which has too many to tell.
static std::string formatWorkers(const Session &session) {
  if (session.getProgramInfo().device_kind == std::string("cpu"))
    return "threads " + std::to_string(getThreads(session));
  return "device " + getDeviceName(session);
}

std::string run::formatTiming(const Session &session, const Timing &timing) {
  return "median " + formatFixed(timing.getMedian(), 3) + " ms, min " +
         formatFixed(timing.getMin(), 3) + " ms, iterations " +
         std::to_string(timing.runMs.size()) + ", " + formatWorkers(session) + ", arena " +
         formatBytes(session.getProgramInfo().arena_bytes) + "\n";
}

std::string run::formatRunJson(const Session &session, const Timing &timing,
                               const std::string &comparisons, bool passed) {
  udnn_program_info info = session.getProgramInfo();
  JsonList object = jsonObject();
  object.add("min_ms", numberJson(timing.getMin()));
  object.add("median_ms", numberJson(timing.getMedian()));
  object.add("iterations", std::to_string(timing.runMs.size()));
  object.add("threads", std::to_string(getThreads(session)));
  object.add("device", quoteJson(session.getDevice()));
  object.add("device_name", quoteJson(getDeviceName(session)));
  addProgram(object, info);
  object.add("passed", passed ? "true" : "false");
  object.add("comparisons", comparisons);
  if (!timing.launchMs.empty())
    object.add("launches", formatLaunchesJson(session.getModel(), session.getProgram(),
                                              info.num_launches, timing.launchMs));
  return object.str() + "\n";
}
