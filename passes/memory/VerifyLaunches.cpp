//===- VerifyLaunches.cpp - the contract after the memory stage ------------------===//
//
// Checks what code generation and the runtime rely on.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Dialect/Storage.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace udnn {
#define GEN_PASS_DEF_VERIFYLAUNCHESPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

namespace {

/// Checks the launches of one program.
class ProgramVerifier {
public:
  ProgramVerifier(dnn::ProgramOp program, SymbolTable &symbols, ArrayRef<int64_t> constants)
      : program(program), symbols(symbols), constants(constants) {}

  LogicalResult verify();

private:
  LogicalResult verifyLaunch(dnn::LaunchOp launch);
  LogicalResult verifyBuffer(dnn::LaunchOp launch, dnn::BufferAttr buffer, Type type, bool written);
  /// Bytes of a memory space; none when there is no such space.
  std::optional<int64_t> getSpaceBytes(dnn::BufferAttr buffer);

  dnn::ProgramOp program;
  SymbolTable &symbols;
  ArrayRef<int64_t> constants;
};

struct VerifyLaunches : public udnn::impl::VerifyLaunchesPassBase<VerifyLaunches> {
  void runOnOperation() override {
    if (failed(verify(getOperation())))
      signalPassFailure();
  }

  static LogicalResult verify(ModuleOp module) {
    SymbolTable symbols(module);
    SmallVector<int64_t> constants;
    for (Operation &op : *module.getBody()) {
      if (!isa<dnn::ProgramOp, dnn::KernelOp, dnn::CodeOp, memref::GlobalOp>(op))
        return op.emitError("expects only programs, kernels, constants and code");
      if (auto global = dyn_cast<memref::GlobalOp>(op))
        constants.push_back(getStorageBytes(global.getType()).value_or(0));
      if (auto kernel = dyn_cast<dnn::KernelOp>(op))
        for (Type type : kernel.getArgumentTypes())
          if (!isa<MemRefType, IntegerType, IndexType>(type))
            return kernel.emitError("expects memrefs and integers as arguments, got ") << type;
    }
    for (auto program : module.getOps<dnn::ProgramOp>())
      if (failed(ProgramVerifier(program, symbols, constants).verify()))
        return failure();
    return success();
  }
};

} // namespace

LogicalResult ProgramVerifier::verify() {
  for (Operation &op : program.getBody().front()) {
    auto launch = dyn_cast<dnn::LaunchOp>(op);
    if (!launch)
      return op.emitError("expects only launches in a program");
    if (failed(verifyLaunch(launch)))
      return failure();
  }
  return success();
}

LogicalResult ProgramVerifier::verifyLaunch(dnn::LaunchOp launch) {
  auto kernel = symbols.lookup<dnn::KernelOp>(launch.getKernel());
  size_t own = kernel.getArgumentTypes().size();
  size_t expected = own + (kernel.getWorkerBytes() > 0);
  if (launch.getArgs().size() != expected)
    return launch.emitError("expects ")
           << expected << " arguments for kernel '" << launch.getKernel() << "', got "
           << launch.getArgs().size();
  for (int64_t size : launch.getGrid())
    if (size < 1)
      return launch.emitError("expects a grid of positive sizes, got ") << size;
  for (auto [i, arg] : llvm::enumerate(launch.getArgs())) {
    auto buffer = dyn_cast<dnn::BufferAttr>(arg);
    if (!buffer)
      continue;
    Type type = i < own ? kernel.getArgumentTypes()[i] : Type();
    bool written = i >= own - kernel.getNumOutputs();
    if (failed(verifyBuffer(launch, buffer, type, written)))
      return failure();
  }
  return success();
}

std::optional<int64_t> ProgramVerifier::getSpaceBytes(dnn::BufferAttr buffer) {
  int64_t index = buffer.getIndex();
  auto getTensor = [&](ArrayAttr list) -> std::optional<int64_t> {
    if (index < 0 || index >= int64_t(list.size()))
      return std::nullopt;
    // The element type is known to the kernel; the range is checked against the kernel's type.
    return std::numeric_limits<int64_t>::max();
  };
  switch (buffer.getSpace()) {
  case dnn::Space::Arena:
    return program.getArena();
  case dnn::Space::Worker:
    return program.getWorker();
  case dnn::Space::Constant:
    if (index < 0 || index >= int64_t(constants.size()))
      return std::nullopt;
    return constants[index];
  case dnn::Space::Input:
    return getTensor(program.getInputs());
  case dnn::Space::Output:
    return getTensor(program.getOutputs());
  }
  return std::nullopt;
}

LogicalResult ProgramVerifier::verifyBuffer(dnn::LaunchOp launch, dnn::BufferAttr buffer, Type type,
                                            bool written) {
  std::optional<int64_t> bytes = getSpaceBytes(buffer);
  if (!bytes)
    return launch.emitError("expects ")
           << stringifySpace(buffer.getSpace()) << " " << buffer.getIndex() << " to exist";
  int64_t offset = buffer.getOffset(), size = buffer.getSize();
  if (offset < 0 || size < 0 || offset > *bytes || size > *bytes - offset)
    return launch.emitError("expects ") << buffer << " to lie inside the " << *bytes << " bytes of "
                                        << stringifySpace(buffer.getSpace());
  dnn::Space space = buffer.getSpace();
  if (written && (space == dnn::Space::Input || space == dnn::Space::Constant))
    return launch.emitError("expects results outside inputs and constants, got ") << buffer;
  auto memref = dyn_cast_or_null<MemRefType>(type);
  if (!memref)
    return success();
  std::optional<ByteRange> range = getByteRange(memref);
  if (!range || range->size != size)
    return launch.emitError("expects a range of ")
           << (range ? range->size : 0) << " bytes for " << type << ", got " << size;
  return success();
}
