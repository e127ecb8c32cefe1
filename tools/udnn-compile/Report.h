//===- Report.h - what was compiled ---------------------------------*- C++ -*-===//
//
// Gathers times, choices and sizes, and prints them for people and as JSON.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_COMPILE_REPORT_H
#define UDNN_TOOLS_COMPILE_REPORT_H

#include "Options.h"

#include "udnn/Passes/Emit.h"

#include "mlir/IR/BuiltinOps.h"

#include <chrono>
#include <map>

namespace udnn::compile {

/// What the planner chose for one unit.
struct Layer {
  std::string name, family, parameters;
  int64_t predictedNs = 0, workspaceBytes = 0, workerBytes = 0, errorPpb = 0;
};

/// What one target's program holds.
struct TargetReport {
  std::string target;
  std::vector<Layer> layers;
  int64_t launches = 0, kernels = 0, arenaBytes = 0, liveBytes = 0, workerBytes = 0;
  /// Number of launches by family, in the order of their names.
  std::map<std::string, int64_t> launchesOfFamily;
  /// "elf", "cubin" or "ptx"; empty where nothing is launched.
  std::string codeFormat;
};

class Report {
public:
  /// Shows on a terminal which stage runs.
  void beginStage(Stage stage);
  void endStage();

  /// Remembers the plan of a module after the plan stage.
  void addPlan(size_t target, llvm::StringRef name, mlir::ModuleOp module);
  /// Remembers what the program of a module holds.
  void addProgram(size_t target, llvm::StringRef name, mlir::ModuleOp module);
  /// Remembers what its code is.
  void addCode(size_t target, llvm::StringRef name, mlir::ModuleOp module);
  void setSizes(const EmittedSizes &emitted) { sizes = emitted; }

  /// Layers, kernels, arena, constants and times, a line each.
  void printSummary(llvm::raw_ostream &os, const Options &options) const;
  void writeJson(llvm::raw_ostream &os, const Options &options) const;

private:
  TargetReport &getTarget(size_t target, llvm::StringRef name);

  std::vector<TargetReport> targets;
  EmittedSizes sizes;
  /// Stages that ran, with their time in seconds.
  std::vector<std::pair<Stage, double>> times;
  std::chrono::steady_clock::time_point start;
};

} // namespace udnn::compile

#endif // UDNN_TOOLS_COMPILE_REPORT_H
