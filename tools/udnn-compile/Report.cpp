//===- Report.cpp - what was compiled ------------------------------------------------===//
//
// Gathers and prints times, choices and sizes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "udnn/Dialect/Dnn.h"
#include "udnn/Support/Bytes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::compile;

void Report::beginStage(Stage stage) {
  start = std::chrono::steady_clock::now();
  times.push_back({stage, 0});
  if (llvm::errs().is_displayed())
    llvm::errs() << "[" << int(stage) + 1 << "/" << int(Stage::Emit) + 1 << "] "
                 << getStageName(stage) << " ...";
}

void Report::endStage() {
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  times.back().second = time.count();
  if (llvm::errs().is_displayed())
    llvm::errs() << llvm::format(" %.2f s\n", time.count());
}

TargetReport &Report::getTarget(size_t target, llvm::StringRef name) {
  if (targets.size() <= target)
    targets.resize(target + 1);
  targets[target].target = name.str();
  return targets[target];
}

void Report::addPlan(size_t target, llvm::StringRef name, ModuleOp module) {
  TargetReport &report = getTarget(target, name);
  module.walk([&](dnn::UnitOp unit) {
    Layer layer;
    layer.name = unit.getName().str();
    dnn::PlanAttr plan = unit.getPlanAttr();
    if (!plan)
      return;
    for (auto piece : plan.getPieces().getAsRange<dnn::PieceAttr>()) {
      layer.family = piece.getFamily().str();
      layer.parameters.clear();
      llvm::raw_string_ostream(layer.parameters) << piece.getParameters();
      layer.predictedNs += piece.getCount() * piece.getTime();
      layer.workspaceBytes = std::max(layer.workspaceBytes, piece.getWorkspace());
      layer.workerBytes = std::max(layer.workerBytes, piece.getWorker());
      layer.errorPpb = std::max(layer.errorPpb, piece.getError());
    }
    report.layers.push_back(std::move(layer));
  });
}

void Report::addProgram(size_t target, llvm::StringRef name, ModuleOp module) {
  TargetReport &report = getTarget(target, name);
  SymbolTable symbols(module);
  report.kernels = llvm::range_size(module.getOps<dnn::KernelOp>());
  for (auto program : module.getOps<dnn::ProgramOp>()) {
    report.arenaBytes = std::max<int64_t>(report.arenaBytes, program.getArena());
    report.liveBytes = std::max<int64_t>(report.liveBytes, program.getLive());
    report.workerBytes = std::max<int64_t>(report.workerBytes, program.getWorker());
    for (auto launch : program.getOps<dnn::LaunchOp>()) {
      ++report.launches;
      auto kernel = symbols.lookup<dnn::KernelOp>(launch.getKernel());
      ++report.launchesOfFamily[kernel.getFamily().str()];
    }
  }
}

void Report::addCode(size_t target, llvm::StringRef name, ModuleOp module) {
  for (auto code : module.getOps<dnn::CodeOp>())
    getTarget(target, name).codeFormat = code.getFormat().str();
}

/// "1 launch", "2 launches".
static std::string count(int64_t number, llvm::StringRef one, llvm::StringRef many) {
  return (llvm::Twine(number) + " " + (number == 1 ? one : many)).str();
}

void Report::printSummary(llvm::raw_ostream &os, const Options &options) const {
  os << options.output << ": " << formatBytes(sizes.fileBytes) << ", constants "
     << formatBytes(sizes.constantBytes) << ", code " << formatBytes(sizes.codeBytes) << "\n";
  for (const TargetReport &target : targets) {
    os << "  " << target.target << ": ";
    if (!target.layers.empty())
      os << count(target.layers.size(), "layer", "layers") << ", ";
    os << count(target.launches, "launch", "launches") << " of "
       << count(target.kernels, "kernel", "kernels");
    if (!target.codeFormat.empty())
      os << ", code as " << target.codeFormat;
    os << "\n";
    for (const auto &[family, launches] : target.launchesOfFamily)
      os << "    " << family << ": " << launches << "\n";
    os << "    arena " << formatBytes(target.arenaBytes) << " (largest live set "
       << formatBytes(target.liveBytes) << "), scratch " << formatBytes(target.workerBytes)
       << (llvm::StringRef(target.target).starts_with("cpu") ? " per worker" : " on the device")
       << "\n";
  }
  double total = 0;
  os << "  time:";
  for (const auto &[stage, seconds] : times) {
    os << " " << getStageName(stage) << llvm::format(" %.2f s,", seconds);
    total += seconds;
  }
  os << llvm::format(" total %.2f s\n", total);
}

static llvm::json::Object toJson(const TargetReport &target) {
  llvm::json::Array layers;
  for (const Layer &layer : target.layers)
    layers.push_back(llvm::json::Object{{"name", layer.name},
                                        {"family", layer.family},
                                        {"parameters", layer.parameters},
                                        {"predicted_ns", layer.predictedNs},
                                        {"workspace_bytes", layer.workspaceBytes},
                                        {"worker_bytes", layer.workerBytes},
                                        {"error_ppb", layer.errorPpb}});
  llvm::json::Object families;
  for (const auto &[family, launches] : target.launchesOfFamily)
    families[family] = launches;
  return llvm::json::Object{
      {"target", target.target},           {"layers", std::move(layers)},
      {"launches", target.launches},       {"launches_of_family", std::move(families)},
      {"kernels", target.kernels},         {"code_format", target.codeFormat},
      {"arena_bytes", target.arenaBytes},  {"live_bytes", target.liveBytes},
      {"worker_bytes", target.workerBytes}};
}

void Report::writeJson(llvm::raw_ostream &os, const Options &options) const {
  llvm::json::Array programs;
  for (const TargetReport &target : targets)
    programs.push_back(toJson(target));
  llvm::json::Array stages;
  for (const auto &[stage, seconds] : times)
    stages.push_back(llvm::json::Object{{"stage", getStageName(stage)}, {"seconds", seconds}});
  llvm::json::Object report{
      {"version", UDNN_VERSION},       {"input", options.input},
      {"output", options.output},      {"targets", std::move(programs)},
      {"stages", std::move(stages)},   {"constant_bytes", sizes.constantBytes},
      {"code_bytes", sizes.codeBytes}, {"file_bytes", sizes.fileBytes}};
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(report))) << "\n";
}
