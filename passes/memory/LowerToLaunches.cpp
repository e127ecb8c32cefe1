//===- LowerToLaunches.cpp - dispatches become launches ---------------------------===//
//
// Writes the program: where every argument is, which launch waits for which.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "udnn/Cost/Device.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Kernels/KernelFamily.h"
#include "udnn/Passes/Entry.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

namespace udnn {
#define GEN_PASS_DEF_LOWERTOLAUNCHESPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

/// The ONNX element type that a tensor has when nothing else is said.
static StringRef getDefaultTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return "bool";
    case 8:
      return "int8";
    case 16:
      return "int16";
    case 32:
      return "int32";
    default:
      return "int64";
    }
  return type.isF64() ? "double" : type.isF16() ? "float16" : type.isBF16() ? "bfloat16" : "float";
}

/// The dictionary that describes an input or output of the program.
static DictionaryAttr describe(func::FuncOp function, unsigned argument, const Twine &defaultName) {
  Builder builder(function.getContext());
  auto type = cast<MemRefType>(function.getArgument(argument).getType());
  NamedAttrList attributes;
  Attribute name = function.getArgAttr(argument, "dnn.name");
  Attribute element = function.getArgAttr(argument, "dnn.type");
  attributes.set("name", name ? name : builder.getStringAttr(defaultName));
  attributes.set("shape", builder.getDenseI64ArrayAttr(type.getShape()));
  attributes.set(
      "type", element ? element : builder.getStringAttr(getDefaultTypeName(type.getElementType())));
  if (Attribute frozen = function.getArgAttr(argument, "dnn.frozen"))
    attributes.set("frozen", frozen);
  return attributes.getDictionary(function.getContext());
}

namespace {

/// A range of bytes that a launch touches.
struct Access {
  dnn::Space space;
  int64_t index, begin, end;
  bool isWrite;

  bool conflicts(const Access &other) const {
    return (isWrite || other.isWrite) && space == other.space && index == other.index &&
           begin < other.end && other.begin < end;
  }
};

/// Builds the program of one module.
class ProgramBuilder {
public:
  explicit ProgramBuilder(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult build();

private:
  LogicalResult numberSpaces();
  FailureOr<Attribute> getArgument(dnn::DispatchOp dispatch, Value operand);
  LogicalResult lower(dnn::DispatchOp dispatch, OpBuilder &builder);
  SmallVector<Value> getDependencies(ArrayRef<Access> accesses);
  dnn::ProgramOp createProgram();

  ModuleOp module;
  SymbolTable symbols;
  func::FuncOp function;
  dnn::DeviceAttr device;
  /// Number of every constant, input and output in its space.
  llvm::DenseMap<StringAttr, int64_t> constants;
  SmallVector<std::pair<dnn::Space, int64_t>> arguments;
  SmallVector<Attribute> inputs, outputs;
  int64_t workerBytes = 0;
  /// For every launch so far: its token, what it touches, and the launches it waits for.
  SmallVector<Value> tokens;
  std::vector<SmallVector<Access>> accessesOf;
  std::vector<llvm::BitVector> predecessors;
};

struct LowerToLaunches : public udnn::impl::LowerToLaunchesPassBase<LowerToLaunches> {
  void runOnOperation() override {
    if (failed(ProgramBuilder(getOperation()).build()))
      signalPassFailure();
  }
};

} // namespace

LogicalResult ProgramBuilder::numberSpaces() {
  for (auto global : module.getOps<memref::GlobalOp>())
    constants.insert({global.getSymNameAttr(), constants.size()});
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = dyn_cast<MemRefType>(function.getArgument(i).getType());
    if (!type || !type.getLayout().isIdentity())
      return function.emitError("expects contiguous buffers as arguments, got ")
             << function.getArgument(i).getType();
    bool isOutput = bool(function.getArgAttr(i, kOutputAttr));
    SmallVector<Attribute> &list = isOutput ? outputs : inputs;
    arguments.push_back({isOutput ? dnn::Space::Output : dnn::Space::Input, list.size()});
    list.push_back(describe(function, i, (isOutput ? "output_" : "input_") + Twine(list.size())));
  }
  return success();
}

FailureOr<Attribute> ProgramBuilder::getArgument(dnn::DispatchOp dispatch, Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type) {
    IntegerAttr value;
    if (!matchPattern(operand, m_Constant(&value)))
      return dispatch.emitError("expects scalar arguments to be constant integers");
    return Attribute(value);
  }
  std::optional<ByteRange> range = getByteRange(type);
  if (!range)
    return dispatch.emitError("expects buffers with static strides, got ") << type;
  auto make = [&](dnn::Space space, int64_t index, int64_t base) -> Attribute {
    return dnn::BufferAttr::get(module.getContext(), space, index, base + range->offset,
                                range->size);
  };
  Value root = getRoot(operand);
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto [space, index] = arguments[argument.getArgNumber()];
    return make(space, index, 0);
  }
  if (auto global = root.getDefiningOp<memref::GetGlobalOp>())
    return make(dnn::Space::Constant, constants[global.getNameAttr().getAttr()], 0);
  auto offset = root.getDefiningOp()->getAttrOfType<IntegerAttr>(kOffsetAttr);
  if (!offset)
    return dispatch.emitError("expects arguments in an argument, a constant or the arena, got ")
           << root;
  return make(dnn::Space::Arena, 0, offset.getInt());
}

/// The launches to wait for: those that touch the same bytes, without those that others of them
/// wait for already.
SmallVector<Value> ProgramBuilder::getDependencies(ArrayRef<Access> accesses) {
  SmallVector<Value> dependencies;
  llvm::BitVector reached(tokens.size() + 1);
  for (int64_t earlier = int64_t(tokens.size()) - 1; earlier >= 0; --earlier) {
    if (reached[earlier])
      continue;
    bool conflict = llvm::any_of(accesses, [&](const Access &access) {
      return llvm::any_of(accessesOf[earlier],
                          [&](const Access &other) { return access.conflicts(other); });
    });
    if (!conflict)
      continue;
    dependencies.push_back(tokens[earlier]);
    reached.set(earlier);
    reached |= predecessors[earlier];
  }
  predecessors.push_back(reached);
  std::reverse(dependencies.begin(), dependencies.end());
  return dependencies;
}

LogicalResult ProgramBuilder::lower(dnn::DispatchOp dispatch, OpBuilder &builder) {
  // A dispatch whose results have no elements computes nothing.
  if (llvm::all_of(dispatch.getInits(), [](Value init) {
        return cast<MemRefType>(init.getType()).getNumElements() == 0;
      }))
    return success();
  auto kernel = symbols.lookup<dnn::KernelOp>(dispatch.getKernel());
  const KernelFamily *family = lookupKernelFamily(kernel.getFamily());
  if (!family)
    return kernel.emitError("unknown kernel family '") << kernel.getFamily() << "'";

  SmallVector<Attribute> args;
  SmallVector<Access> accesses;
  for (OpOperand &operand : dispatch->getOpOperands()) {
    FailureOr<Attribute> arg = getArgument(dispatch, operand.get());
    if (failed(arg))
      return failure();
    args.push_back(*arg);
    if (auto buffer = dyn_cast<dnn::BufferAttr>(*arg))
      accesses.push_back({buffer.getSpace(), buffer.getIndex(), buffer.getOffset(),
                          buffer.getOffset() + buffer.getSize(), dispatch.isDpsInit(&operand)});
  }
  int64_t worker = kernel.getWorkerBytes();
  if (worker > 0)
    args.push_back(dnn::BufferAttr::get(module.getContext(), dnn::Space::Worker, 0, 0, worker));
  workerBytes = std::max(workerBytes, worker);

  LaunchShape shape = family->getLaunchShape(kernel, device);
  SmallVector<Value> dependencies = getDependencies(accesses);
  auto launch = dnn::LaunchOp::create(
      builder, dispatch.getLoc(), dnn::TokenType::get(module.getContext()), dispatch.getNameAttr(),
      dispatch.getKernelAttr(), builder.getDenseI64ArrayAttr(shape.grid),
      builder.getDenseI64ArrayAttr(shape.block), builder.getI64IntegerAttr(shape.sharedBytes),
      builder.getArrayAttr(args), builder.getI64IntegerAttr(0), dependencies);
  tokens.push_back(launch.getToken());
  accessesOf.push_back(std::move(accesses));
  return success();
}

dnn::ProgramOp ProgramBuilder::createProgram() {
  OpBuilder builder(function);
  auto getTotal = [&](StringRef name) {
    auto total = function->getAttrOfType<IntegerAttr>(name);
    return total ? total : builder.getI64IntegerAttr(0);
  };
  auto program = dnn::ProgramOp::create(builder, function.getLoc(), builder.getStringAttr(kEntry),
                                        device, getTotal(kArenaAttr), getTotal(kLiveAttr),
                                        builder.getI64IntegerAttr(0), builder.getArrayAttr(inputs),
                                        builder.getArrayAttr(outputs));
  program.getBody().emplaceBlock();
  return program;
}

LogicalResult ProgramBuilder::build() {
  function = getEntry(module);
  if (!function)
    return failure();
  device = getDevice(module);
  if (!device)
    return module.emitError("expects the attribute '") << kDeviceAttrName << "'";
  if (failed(numberSpaces()))
    return failure();
  dnn::ProgramOp program = createProgram();
  auto builder = OpBuilder::atBlockBegin(&program.getBody().front());
  for (auto dispatch : function.getOps<dnn::DispatchOp>())
    if (failed(lower(dispatch, builder)))
      return failure();
  program.setWorker(workerBytes);
  function.erase();
  return success();
}
