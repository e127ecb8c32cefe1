//===- Emit.cpp - from modules to a file ------------------------------------------===//
//
// Walks programs, constants and code, and hands them to the artifact writer.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Emit.h"

#include "udnn/Artifact/Writer.h"
#include "udnn/Constants/Evaluate.h"
#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace udnn;

namespace {

/// Writes one module after the other.
class Emitter {
public:
  LogicalResult open(ModuleOp module, StringRef path) {
    return check(module, writer.open(path.str()));
  }
  LogicalResult addModule(ModuleOp module);
  FailureOr<EmittedSizes> finish(ModuleOp module, StringRef path, StringRef producer);

private:
  LogicalResult addProgram(dnn::ProgramOp op);
  LogicalResult addCodes(dnn::ProgramOp op, artifact::Program &program);
  LogicalResult addTensors(dnn::ProgramOp op, ArrayAttr list, std::vector<artifact::Tensor> &out);
  FailureOr<artifact::Launch> convert(dnn::LaunchOp op);
  FailureOr<uint32_t> addConstant(Operation *op, Attribute attribute);
  FailureOr<artifact::Argument> convert(dnn::LaunchOp op, Attribute argument);

  LogicalResult check(Operation *op, const Status &status) {
    return status.failed() ? op->emitError(status.message()) : success();
  }

  artifact::Writer writer;
  std::vector<artifact::Program> programs;
  int64_t codeBytes = 0;
  /// Of the current module: its constants, and the writer's number of those that are written.
  SmallVector<memref::GlobalOp> globals;
  llvm::DenseMap<int64_t, uint32_t> constants;
  llvm::DenseMap<Operation *, uint32_t> launchNumbers;
  /// The writer's numbers of code that is written.
  llvm::DenseMap<Operation *, uint32_t> codes;
};

} // namespace

FailureOr<uint32_t> Emitter::addConstant(Operation *op, Attribute attribute) {
  auto elements = dyn_cast_or_null<ElementsAttr>(attribute);
  FailureOr<ConstantBytes> bytes = failure();
  if (elements)
    bytes = getConstantBytes(elements);
  if (failed(bytes))
    return op->emitError("expects a constant with a known value of at most 8 GiB, got ")
           << (elements ? Type(elements.getShapedType()) : NoneType::get(op->getContext()));
  uint32_t index = 0;
  if (failed(check(op, writer.addConstant(bytes->data.data(), bytes->data.size(), index))))
    return failure();
  return index;
}

LogicalResult Emitter::addTensors(dnn::ProgramOp op, ArrayAttr list,
                                  std::vector<artifact::Tensor> &out) {
  for (Attribute attribute : list) {
    auto dictionary = dyn_cast<DictionaryAttr>(attribute);
    auto get = [&](StringRef name) { return dictionary ? dictionary.get(name) : Attribute(); };
    auto name = dyn_cast_or_null<StringAttr>(get("name"));
    auto type = dyn_cast_or_null<StringAttr>(get("type"));
    auto shape = dyn_cast_or_null<DenseI64ArrayAttr>(get("shape"));
    artifact::Tensor tensor;
    if (!name || !shape || !type || !artifact::parseElementType(type.str(), tensor.type))
      return op.emitError(
                 "expects 'name', 'shape' and a known 'type' of every input and output, got ")
             << attribute;
    tensor.name = name.str();
    tensor.shape.assign(shape.asArrayRef().begin(), shape.asArrayRef().end());
    if (Attribute frozen = get("frozen")) {
      FailureOr<uint32_t> constant = addConstant(op, frozen);
      if (failed(constant))
        return failure();
      tensor.frozenConstant = *constant;
    }
    out.push_back(std::move(tensor));
  }
  return success();
}

FailureOr<artifact::Argument> Emitter::convert(dnn::LaunchOp op, Attribute argument) {
  if (auto integer = dyn_cast<IntegerAttr>(argument))
    return artifact::Argument::integer(integer.getValue().sextOrTrunc(64).getSExtValue());
  auto buffer = cast<dnn::BufferAttr>(argument);
  int64_t index = buffer.getIndex();
  if (buffer.getSpace() == dnn::Space::Constant) {
    if (index < 0 || index >= int64_t(globals.size()))
      return op.emitError("expects constant ") << index << " to exist";
    auto [known, isNew] = constants.insert({index, 0});
    if (isNew) {
      FailureOr<uint32_t> constant =
          addConstant(op, globals[index].getInitialValue().value_or(Attribute()));
      if (failed(constant))
        return failure();
      known->second = *constant;
    }
    index = known->second;
  }
  return artifact::Argument::buffer(artifact::Space(buffer.getSpace()), index, buffer.getOffset(),
                                    buffer.getSize());
}

FailureOr<artifact::Launch> Emitter::convert(dnn::LaunchOp op) {
  artifact::Launch launch;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<dnn::KernelOp>(op, op.getKernelAttr());
  launch.kernel = op.getKernel().str();
  launch.layer = op.getName().str();
  launch.family = kernel.getFamily().str();
  llvm::copy(op.getGrid(), launch.grid.begin());
  llvm::copy(op.getBlock(), launch.block.begin());
  launch.sharedBytes = op.getShared();
  launch.queue = op.getQueue();
  for (Value token : op.getDependencies())
    launch.dependencies.push_back(launchNumbers.lookup(token.getDefiningOp()));
  for (Attribute attribute : op.getArgs()) {
    FailureOr<artifact::Argument> argument = convert(op, attribute);
    if (failed(argument))
      return failure();
    launch.arguments.push_back(*argument);
  }
  return launch;
}

LogicalResult Emitter::addCodes(dnn::ProgramOp op, artifact::Program &program) {
  for (auto code : op->getParentOfType<ModuleOp>().getOps<dnn::CodeOp>()) {
    if (code.getTarget() != op.getTarget())
      continue;
    auto [known, isNew] = codes.insert({code, 0});
    if (isNew) {
      artifact::CodeFormat format;
      if (code.getFormat() == "elf")
        format = artifact::CodeFormat::Elf;
      else if (code.getFormat() == "cubin")
        format = artifact::CodeFormat::Cubin;
      else if (code.getFormat() == "ptx")
        format = artifact::CodeFormat::Ptx;
      else
        return code.emitError("unknown code format '") << code.getFormat() << "'";
      FailureOr<ConstantBytes> bytes = getConstantBytes(code.getData());
      if (failed(bytes))
        return code.emitError("expects code with known bytes");
      std::vector<std::string> kernels;
      for (auto symbol : code.getKernels().getAsRange<FlatSymbolRefAttr>())
        kernels.push_back(symbol.getValue().str());
      if (failed(check(code, writer.addCode(format, bytes->data.data(), bytes->data.size(),
                                            std::move(kernels), known->second))))
        return failure();
      codeBytes += bytes->data.size();
    }
    program.codes.push_back(known->second);
  }
  return success();
}

LogicalResult Emitter::addProgram(dnn::ProgramOp op) {
  artifact::Program program;
  dnn::DeviceAttr target = op.getTarget();
  program.entry = op.getSymName().str();
  program.device.kind = target.getKind().str();
  program.device.arch = target.getArch().str();
  for (StringRef feature : llvm::split(target.getFeatures().getValue(), ','))
    if (feature.consume_front("+"))
      program.device.features.push_back(feature.str());
  program.arenaBytes = op.getArena();
  program.liveBytes = op.getLive();
  program.workerBytes = op.getWorker();
  if (failed(addTensors(op, op.getInputs(), program.inputs)) ||
      failed(addTensors(op, op.getOutputs(), program.outputs)))
    return failure();
  for (auto launch : op.getOps<dnn::LaunchOp>()) {
    launchNumbers[launch] = program.launches.size();
    FailureOr<artifact::Launch> converted = convert(launch);
    if (failed(converted))
      return failure();
    program.launches.push_back(std::move(*converted));
  }
  if (failed(addCodes(op, program)))
    return failure();
  programs.push_back(std::move(program));
  return success();
}

LogicalResult Emitter::addModule(ModuleOp module) {
  globals.assign(module.getOps<memref::GlobalOp>().begin(),
                 module.getOps<memref::GlobalOp>().end());
  constants.clear();
  if (module.getOps<dnn::ProgramOp>().empty())
    return module.emitError("expects a program");
  for (auto program : module.getOps<dnn::ProgramOp>())
    if (failed(addProgram(program)))
      return failure();
  return success();
}

FailureOr<EmittedSizes> Emitter::finish(ModuleOp module, StringRef path, StringRef producer) {
  EmittedSizes sizes;
  sizes.constantBytes = writer.getConstantBytes();
  sizes.codeBytes = codeBytes;
  if (failed(check(module, writer.finish(std::move(programs), producer.str()))))
    return failure();
  uint64_t bytes = 0;
  if (!llvm::sys::fs::file_size(path, bytes))
    sizes.fileBytes = bytes;
  return sizes;
}

FailureOr<EmittedSizes> udnn::emitArtifact(ArrayRef<ModuleOp> modules, StringRef path,
                                           StringRef producer) {
  assert(!modules.empty() && "nothing to emit");
  Emitter emitter;
  if (failed(emitter.open(modules.front(), path)))
    return failure();
  for (ModuleOp module : modules)
    if (failed(emitter.addModule(module)))
      return failure();
  return emitter.finish(modules.front(), path, producer);
}
