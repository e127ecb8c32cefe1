//===- LowerCopies.cpp - copies become dispatches -------------------------------===//
//
// What bufferization could not place is copied by kernels of the generic family.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "udnn/Cost/Device.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Kernels/KernelFamily.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace udnn {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

/// A unit that copies one tensor of this type, in front of `place`.
static dnn::UnitOp createCopyUnit(OpBuilder &builder, Location loc, RankedTensorType type) {
  Value input = tensor::EmptyOp::create(builder, loc, type, ValueRange());
  Value init = tensor::EmptyOp::create(builder, loc, type, ValueRange());
  auto unit = dnn::UnitOp::create(builder, loc, TypeRange(type), builder.getStringAttr("copy"),
                                  input, init, dnn::PlanAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&unit.getBody(), {}, {type, type}, {loc, loc});
  auto copy = linalg::CopyOp::create(builder, loc, body->getArgument(0), body->getArgument(1));
  dnn::YieldOp::create(builder, loc, copy.getResults());
  return unit;
}

namespace {

struct LowerCopies : public udnn::impl::LowerCopiesPassBase<LowerCopies> {
  void runOnOperation() override {
    func::FuncOp function = getEntry(getOperation());
    if (!function)
      return signalPassFailure();
    kernels.clear();
    SmallVector<memref::CopyOp> copies(function.getOps<memref::CopyOp>());
    SymbolTable symbols(getOperation());
    for (memref::CopyOp copy : copies)
      if (failed(lower(copy, symbols)))
        return signalPassFailure();
  }

  LogicalResult lower(memref::CopyOp copy, SymbolTable &symbols) {
    Value source = copy.getSource(), target = copy.getTarget();
    bool sameBytes = getRoot(source) == getRoot(target) && source.getType() == target.getType();
    if (!sameBytes) {
      FailureOr<dnn::KernelOp> kernel = getKernel(copy, symbols);
      if (failed(kernel))
        return failure();
      OpBuilder builder(copy);
      dnn::DispatchOp::create(builder, copy.getLoc(), TypeRange(), builder.getStringAttr("copy"),
                              FlatSymbolRefAttr::get(*kernel), source, target);
    }
    copy.erase();
    return success();
  }

  FailureOr<dnn::KernelOp> getKernel(memref::CopyOp copy, SymbolTable &symbols) {
    auto source = cast<MemRefType>(copy.getSource().getType());
    auto target = cast<MemRefType>(copy.getTarget().getType());
    dnn::KernelOp &kernel = kernels[{source, target}];
    if (kernel)
      return kernel;
    OpBuilder builder(copy);
    dnn::UnitOp unit = createCopyUnit(
        builder, copy.getLoc(), RankedTensorType::get(source.getShape(), source.getElementType()));
    FailureOr<dnn::KernelOp> built = buildKernel(unit, {source, target});
    if (succeeded(built)) {
      kernel = *built;
      symbols.insert(kernel);
    }
    Operation *empties[] = {unit.getInputs()[0].getDefiningOp(), unit.getInits()[0].getDefiningOp()};
    unit.erase();
    for (Operation *empty : empties)
      empty->erase();
    return built;
  }

  /// Asks the device's generic family for its parameters.
  FailureOr<dnn::KernelOp> buildKernel(dnn::UnitOp unit, ArrayRef<Type> types) {
    dnn::DeviceAttr device = getDevice(getOperation());
    if (!device)
      return getOperation().emitError("expects the attribute '") << kDeviceAttrName << "'";
    std::string name = device.getKind().str() + ".generic";
    const KernelFamily *family = lookupKernelFamily(name);
    CandidateList list;
    if (family)
      family->getCandidates(unit, device, list);
    if (list.candidates.empty())
      return unit.emitError("the kernel family '")
             << name << "' cannot copy " << types[0] << " to " << types[1] << ": "
             << (family ? list.reason : std::string("there is no such family"));
    OpBuilder builder(&getContext());
    const Candidate &candidate = list.candidates.front();
    auto kernel = dnn::KernelOp::create(
        builder, unit.getLoc(), builder.getStringAttr("copy"), builder.getStringAttr(name),
        candidate.parameters, builder.getI64IntegerAttr(1),
        builder.getI64IntegerAttr(candidate.workerBytes), builder.getDenseI64ArrayAttr({}),
        TypeAttr::get(builder.getFunctionType(types, {})));
    kernel.getBody().takeBody(unit.getBody());
    return kernel;
  }

  llvm::DenseMap<std::pair<Type, Type>, dnn::KernelOp> kernels;
};

} // namespace
