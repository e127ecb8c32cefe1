//===- Options.cpp - the command line of udnn-compile ------------------------------===//
//
// Declares the flags and checks their values.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "udnn/Support/Bytes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace udnn;
using namespace udnn::compile;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kStageNames[] = {"import", "simplify", "plan", "select",
                                                      "memory", "codegen",  "emit"};

llvm::StringRef compile::getStageName(Stage stage) { return kStageNames[int(stage)]; }

namespace {

/// The flags.
struct Flags {
  cl::OptionCategory category{"Options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.onnx, or a module of any stage>"),
                             cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc("Artifact; with --compile-to a module: text with its large constants in "
               "<file>.constants, or bytecode if it ends in .mlirbc"),
      cl::value_desc("file"), cl::cat(category)};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated, cl::value_desc("cpu,cuda:sm_90a"), cl::cat(category),
      cl::desc("Devices to compile for: cpu, cuda:sm_80, cuda:sm_86, cuda:sm_89, cuda:sm_90, "
               "cuda:sm_90a (default: cpu)")};
  cl::opt<std::string> cpu{"cpu", cl::init("native"), cl::value_desc("name"), cl::cat(category),
                           cl::desc("CPU by LLVM's name, such as haswell (default: native)")};
  cl::opt<std::string> workspaceLimit{"workspace-limit", cl::value_desc("64MiB"), cl::cat(category),
                                      cl::desc("Largest workspace of a layer (default: no limit)")};
  cl::opt<std::string> precision{
      "precision", cl::init("f32"), cl::value_desc("f32|tf32|f16"), cl::cat(category),
      cl::desc("Error class that algorithms may reach, as relative RMS error: f32 (1e-5, the "
               "default), tf32 (1e-3), f16 (5e-3)")};
  cl::opt<std::string> maxRelativeError{
      "max-rel-error", cl::value_desc("1e-5"), cl::cat(category),
      cl::desc(
          "Largest relative RMS error that an algorithm may add (default: that of --precision)")};
  cl::list<std::string> families{
      "families", cl::CommaSeparated, cl::value_desc("list"), cl::cat(category),
      cl::desc("Kernel families that may be chosen, such as cpu.direct_conv (default: all)")};
  cl::list<std::string> forceFamily{"force-family", cl::CommaSeparated,
                                    cl::value_desc("node=family"), cl::cat(category),
                                    cl::desc("Kernel family of one layer")};
  cl::list<std::string> markOutputs{
      "mark-output", cl::value_desc("name"), cl::cat(category),
      cl::desc("Makes the result of the ONNX node of this name an output, too")};
  cl::opt<std::string> compileTo{
      "compile-to", cl::init("emit"), cl::value_desc("stage"), cl::cat(category),
      cl::desc("Prints the module after this stage: import, simplify, plan, select, memory or "
               "codegen (default: emit, which writes the artifact)")};
  cl::opt<std::string> report{"report", cl::value_desc("file.json"), cl::cat(category),
                              cl::desc("Writes what was chosen for every layer, and all sizes")};
};

} // namespace

/// The error bound of a precision class, or a negative number.
static double getErrorOfPrecision(llvm::StringRef precision) {
  return llvm::StringSwitch<double>(precision)
      .Case("f32", 1e-5)
      .Case("tf32", 1e-3)
      .Case("f16", 5e-3)
      .Default(-1);
}

/// Notes which flags were given that must come before a stage.
static void noteFlags(const Flags &flags, Options &options) {
  const OnnxImportOptions &import = options.import;
  for (auto [name, given] :
       {std::pair("dim", !import.dims.empty()), std::pair("shape", !import.shapes.empty()),
        std::pair("example-data", !import.exampleData.empty()),
        std::pair("freeze", !import.freezes.empty())})
    if (given)
      options.importFlags.push_back(name);
  auto note = [&](const cl::Option &flag) {
    if (flag.getNumOccurrences())
      options.planFlags.push_back(flag.ArgStr.str());
  };
  note(flags.targets);
  note(flags.cpu);
  note(flags.families);
  note(flags.forceFamily);
  note(flags.workspaceLimit);
  note(flags.precision);
  note(flags.maxRelativeError);
}

/// The name of a flag that was given without a value, or an empty string.
static llvm::StringRef findEmptyFlag(const Flags &flags) {
  for (const cl::opt<std::string> *flag :
       {&flags.output, &flags.cpu, &flags.workspaceLimit, &flags.precision, &flags.maxRelativeError,
        &flags.compileTo, &flags.report})
    if (flag->getNumOccurrences() && flag->empty())
      return flag->ArgStr;
  for (const auto &flag : {std::ref(flags.targets), std::ref(flags.families),
                           std::ref(flags.forceFamily), std::ref(flags.markOutputs)}) {
    const cl::list<std::string> &list = flag.get();
    if (list.getNumOccurrences() && (list.empty() || llvm::is_contained(list, "")))
      return list.ArgStr;
  }
  return "";
}

/// The number that `text` is, if it is at least 0 and finite.
static std::optional<double> parseBound(llvm::StringRef text) {
  double number;
  if (text.getAsDouble(number) || !(number >= 0) || std::isinf(number))
    return std::nullopt;
  return number;
}

/// Copies the flags into `options` and checks them.
static LogicalResult convert(const Flags &flags, Options &options, std::string &error) {
  auto fail = [&](const llvm::Twine &message) {
    error = message.str();
    return failure();
  };
  if (flags.input.empty())
    return fail("expects a model: udnn-compile model.onnx -o model.udnn");
  if (llvm::StringRef name = findEmptyFlag(flags); !name.empty())
    return fail("expects a value for " + llvm::Twine(name.size() == 1 ? "-" : "--") + name +
                ", got an empty one");
  const auto *stage = llvm::find(kStageNames, llvm::StringRef(flags.compileTo));
  if (stage == std::end(kStageNames))
    return fail("expects --compile-to to be one of " +
                llvm::join(std::begin(kStageNames), std::end(kStageNames), ", ") + ", got '" +
                flags.compileTo + "'");
  options.lastStage = Stage(stage - kStageNames);
  if (flags.output.empty() && options.lastStage == Stage::Emit)
    return fail("expects an output: -o model.udnn");
  if (flags.output == "-" && options.lastStage == Stage::Emit)
    return fail("expects -o to be a file, got '-': only modules (--compile-to) are written to the "
                "standard output");
  double bound = getErrorOfPrecision(flags.precision);
  if (bound < 0)
    return fail("expects --precision to be f32, tf32 or f16, got '" + flags.precision + "'");
  if (flags.maxRelativeError.getNumOccurrences()) {
    std::optional<double> given = parseBound(flags.maxRelativeError);
    if (!given)
      return fail("expects --max-rel-error to be a number of at least 0, such as 1e-5, got '" +
                  flags.maxRelativeError + "'");
    bound = *given;
  }
  if (!flags.workspaceLimit.empty() && !parseBytes(flags.workspaceLimit.getValue()))
    return fail("expects --workspace-limit to be a size such as 64MiB, got '" +
                flags.workspaceLimit + "'");
  for (llvm::StringRef pair : flags.forceFamily)
    if (pair.split('=').first.empty() || pair.split('=').second.empty())
      return fail("expects --force-family to be NODE=FAMILY, got '" + pair + "'");

  noteFlags(flags, options);
  options.input = flags.input;
  options.output = flags.output.empty() ? std::string("-") : flags.output.getValue();
  options.report = flags.report;
  options.cpu = flags.cpu;
  options.targets = {flags.targets.begin(), flags.targets.end()};
  if (options.targets.empty())
    options.targets.push_back("cpu");
  for (size_t i = 0; i < options.targets.size(); ++i)
    if (llvm::is_contained(llvm::ArrayRef(options.targets).take_front(i), options.targets[i]))
      return fail("expects every --target once, got '" + options.targets[i] + "' twice");
  options.markedOutputs = {flags.markOutputs.begin(), flags.markOutputs.end()};
  options.plan.maxRelativeError = bound;
  options.plan.workspaceLimit = flags.workspaceLimit;
  options.plan.families.assign(flags.families.begin(), flags.families.end());
  options.plan.forceFamily.assign(flags.forceFamily.begin(), flags.forceFamily.end());
  return success();
}

LogicalResult compile::parseOptions(int argc, char **argv, Options &options, std::string &error) {
  llvm::SmallVector<const char *> args(argv, argv + argc);
  if (failed(takeOnnxImportFlags(args, options.import, error)))
    return failure();
  // Options stay registered, and the linker in this process looks at all of them.
  static Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "udnn-compile " UDNN_VERSION "\n"; });
  std::string overview = "Compiles an ONNX model to an artifact for udnn-run.\n\n"
                         "  udnn-compile model.onnx --dim N=1 -o model.udnn\n\n"
                         "Shapes of the model's inputs:\n" +
                         getOnnxImportFlagsHelp().str() +
                         "\nCUDA: targets become PTX, which the driver compiles and later GPUs run "
                         "as well.\nOnly sm_90a becomes machine code where ptxas is found: in "
                         "CUDA_HOME alone when that is\nset, else on PATH or in /usr/local/cuda.\n";
  std::string messages;
  llvm::raw_string_ostream os(messages);
  if (!cl::ParseCommandLineOptions(args.size(), args.data(), overview, &os)) {
    error = llvm::StringRef(messages).trim().str();
    return failure();
  }
  return convert(flags, options, error);
}
