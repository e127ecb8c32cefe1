//===- Compiler.cpp - runs the stages ----------------------------------------------===//
//
// Loads a model or a module of any stage, runs the pipelines, writes the result.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "udnn/Cost/Device.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Module/ModuleFile.h"
#include "udnn/Onnx/Import.h"
#include "udnn/Passes/Emit.h"
#include "udnn/Passes/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::compile;

/// The last stage that a module has been through, by what it holds.
static Stage getStage(ModuleOp module) {
  if (!module.getOps<dnn::CodeOp>().empty())
    return Stage::Codegen;
  if (!module.getOps<dnn::ProgramOp>().empty())
    return Stage::Memory;
  if (!module.getOps<dnn::KernelOp>().empty())
    return Stage::Select;
  bool hasUnit = false, hasPlan = false;
  module.walk([&](dnn::UnitOp unit) {
    hasUnit = true;
    hasPlan |= bool(unit.getPlanAttr());
  });
  // Where nothing is to be planned, the device shows that the plan stage has been.
  hasPlan |= !hasUnit && getDevice(module);
  return hasPlan ? Stage::Plan : hasUnit ? Stage::Simplify : Stage::Import;
}

/// The target that a module is for, as `--target` names it.
static std::string getTargetName(ModuleOp module) {
  dnn::DeviceAttr device = getDevice(module);
  if (device.getKind() == "cpu")
    return "cpu";
  return (device.getKind().getValue() + ":" + device.getArch().getValue()).str();
}

InFlightDiagnostic Compiler::emitError() { return mlir::emitError(UnknownLoc::get(&context)); }

LogicalResult Compiler::load() {
  OwningOpRef<ModuleOp> module;
  if (llvm::StringRef(options.input).ends_with(".onnx")) {
    FailureOr<OwningOpRef<ModuleOp>> imported = importOnnx(options.input, options.import, &context);
    if (failed(imported))
      return failure();
    module = std::move(*imported);
  } else {
    module = readModule(options.input, &context);
    if (!module)
      return failure();
    loadedStage = getStage(*module);
    if (failed(checkFlags()))
      return failure();
    if (loadedStage >= Stage::Plan && !requireDevice(*module))
      return failure();
  }
  modules.push_back(std::move(module));
  return loadedStage == Stage::Import ? markOutputs() : success();
}

/// The values that the node of this name gives to other nodes or to the results. A node may have
/// become several operations, whose values among one another do not count.
static llvm::SetVector<Value> getNodeOutputs(func::FuncOp entry, llvm::StringRef name) {
  Block &body = entry.getBody().front();
  auto isOfNode = [&](Operation &op) {
    auto loc = op.getLoc()->findInstanceOf<NameLoc>();
    return !op.hasTrait<OpTrait::IsTerminator>() && loc && loc.getName() == name;
  };
  llvm::SetVector<Value> outputs;
  for (Operation &op : body)
    if (isOfNode(op))
      for (OpOperand &use : op.getUses())
        if (!isOfNode(*body.findAncestorOpInBlock(*use.getOwner())))
          outputs.insert(use.get());
  return outputs;
}

/// Refuses flags of stages that the loaded module has been through: nobody would read them.
LogicalResult Compiler::checkFlags() {
  auto refuse = [&](const llvm::Twine &what, Stage stage) -> LogicalResult {
    return emitError() << "expects " << what << " before the " << getStageName(stage)
                       << " stage, got a module after " << getStageName(loadedStage);
  };
  if (!options.importFlags.empty())
    return refuse("--" + options.importFlags.front(), Stage::Import);
  if (!options.markedOutputs.empty() && loadedStage >= Stage::Simplify)
    return refuse("--mark-output", Stage::Simplify);
  if (!options.planFlags.empty() && loadedStage >= Stage::Plan)
    return refuse("--" + options.planFlags.front(), Stage::Plan);
  if (options.lastStage < loadedStage)
    return emitError() << "expects a module before the " << getStageName(loadedStage)
                       << " stage with --compile-to=" << getStageName(options.lastStage)
                       << ", got a module after " << getStageName(loadedStage);
  return success();
}

/// Returns the results of the named nodes from the entry, too.
LogicalResult Compiler::markOutputs() {
  auto entry = modules.front()->lookupSymbol<func::FuncOp>("main");
  if (!entry || entry.isExternal())
    return emitError() << "expects a function 'main' in '" << options.input << "'";
  llvm::StringSet<> names;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (auto name = entry.getResultAttrOfType<StringAttr>(i, "dnn.name"))
      names.insert(name.getValue());
  for (llvm::StringRef name : options.markedOutputs) {
    llvm::SetVector<Value> found = getNodeOutputs(entry, name);
    if (found.empty())
      return emitError() << "expects --mark-output to name a node of the model, got '" << name
                         << "'";
    if (found.size() > 1)
      return emitError()
             << "expects --mark-output to name a node with one output that is used, got '" << name
             << "' with " << found.size();
    if (!names.insert(name).second)
      return emitError() << "expects --mark-output to give an output a new name, got '" << name
                         << "'";
    Operation *terminator = entry.getBody().front().getTerminator();
    terminator->insertOperands(terminator->getNumOperands(), found.front());
    Builder builder(&context);
    auto attributes =
        builder.getDictionaryAttr(builder.getNamedAttr("dnn.name", builder.getStringAttr(name)));
    if (failed(entry.insertResult(entry.getNumResults(), found.front().getType(), attributes)))
      return failure();
  }
  return success();
}

/// Makes one module per target, each with its device's facts.
LogicalResult Compiler::createTargets() {
  if (options.targets.size() > 1 && options.lastStage != Stage::Emit)
    return emitError() << "expects one target with --compile-to, got " << options.targets.size();
  while (modules.size() < options.targets.size())
    modules.push_back(modules.front()->clone());
  for (auto [module, target] : llvm::zip(modules, options.targets)) {
    FailureOr<dnn::DeviceAttr> device =
        getDevice(&context, target, options.cpu, [&] { return emitError(); });
    if (failed(device))
      return failure();
    (*module)->setAttr(kDeviceAttrName, *device);
  }
  return success();
}

LogicalResult Compiler::runStage(Stage stage) {
  if (stage == Stage::Plan && failed(createTargets()))
    return failure();
  for (auto [i, module] : llvm::enumerate(modules)) {
    PassManager manager(&context);
    switch (stage) {
    case Stage::Simplify:
      buildSimplifyPipeline(manager);
      break;
    case Stage::Plan:
      buildPlanPipeline(manager, options.plan);
      break;
    case Stage::Select:
      buildSelectPipeline(manager);
      break;
    case Stage::Memory:
      buildMemoryPipeline(manager);
      break;
    case Stage::Codegen:
      buildCodegenPipeline(manager);
      break;
    case Stage::Import:
    case Stage::Emit:
      llvm_unreachable("not a pipeline");
    }
    if (failed(manager.run(*module)))
      return failure();
    if (stage == Stage::Plan)
      report.addPlan(i, getTargetName(*module), *module);
    if (stage == Stage::Memory)
      report.addProgram(i, getTargetName(*module), *module);
    if (stage == Stage::Codegen)
      report.addCode(i, getTargetName(*module), *module);
  }
  return success();
}

LogicalResult Compiler::emit() {
  std::vector<ModuleOp> all;
  for (OwningOpRef<ModuleOp> &module : modules)
    all.push_back(*module);
  FailureOr<EmittedSizes> sizes = emitArtifact(all, options.output, "udnn-compile " UDNN_VERSION);
  if (failed(sizes))
    return failure();
  report.setSizes(*sizes);
  return success();
}

/// Finds out before the work whether a file can be written.
static std::string checkWritable(llvm::StringRef path) {
  if (path.empty() || path == "-")
    return "";
  if (llvm::sys::fs::is_directory(path))
    return ("cannot write '" + path + "': it is a folder").str();
  llvm::SmallString<128> folder(path);
  llvm::sys::path::remove_filename(folder);
  if (folder.empty())
    folder = ".";
  if (!llvm::sys::fs::is_directory(folder))
    return ("cannot write '" + path + "': the folder '" + folder + "' does not exist").str();
  if (llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
    return ("cannot write '" + path + "': no permission to write in '" + folder + "'").str();
  return "";
}

LogicalResult Compiler::run() {
  for (const std::string &path : {options.output, options.report})
    if (std::string problem = checkWritable(path); !problem.empty())
      return emitError() << problem;
  auto timed = [&](Stage stage, llvm::function_ref<LogicalResult()> action) {
    report.beginStage(stage);
    LogicalResult result = action();
    report.endStage();
    return result;
  };
  if (failed(timed(Stage::Import, [&] { return load(); })))
    return failure();
  for (int next = int(loadedStage) + 1;
       next <= std::min(int(options.lastStage), int(Stage::Codegen)); ++next)
    if (failed(timed(Stage(next), [&] { return runStage(Stage(next)); })))
      return failure();
  if (options.lastStage != Stage::Emit)
    return writeModule(*modules.front(), options.output);
  return timed(Stage::Emit, [&] { return emit(); });
}
