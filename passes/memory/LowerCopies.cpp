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
#include "udnn/Kernels/Dialects.h"
#include "udnn/Kernels/KernelFamily.h"
#include "udnn/Passes/Entry.h"
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
  void getDependentDialects(DialectRegistry &registry) const override {
    LowerCopiesPassBase::getDependentDialects(registry);
    registerKernelDialects(registry);
  }

  void runOnOperation() override {
    func::FuncOp function = getEntry(getOperation());
    if (!function)
      return signalPassFailure();
    kernels.clear();
    KernelTable table(getOperation());
    SmallVector<memref::CopyOp> copies(function.getOps<memref::CopyOp>());
    for (memref::CopyOp copy : copies)
      if (failed(lower(copy, table)))
        return signalPassFailure();
  }

  LogicalResult lower(memref::CopyOp copy, KernelTable &table) {
    Value source = copy.getSource(), target = copy.getTarget();
    bool sameBytes = getRoot(source) == getRoot(target) && source.getType() == target.getType();
    if (!sameBytes) {
      FailureOr<FlatSymbolRefAttr> kernel = getKernel(copy, table);
      if (failed(kernel))
        return failure();
      OpBuilder builder(copy);
      dnn::DispatchOp::create(builder, copy.getLoc(), TypeRange(), builder.getStringAttr("copy"),
                              *kernel, source, target);
    }
    copy.erase();
    return success();
  }

  FailureOr<FlatSymbolRefAttr> getKernel(memref::CopyOp copy, KernelTable &table) {
    auto source = cast<MemRefType>(copy.getSource().getType());
    auto type = RankedTensorType::get(source.getShape(), source.getElementType());
    FlatSymbolRefAttr &kernel = kernels[type];
    if (kernel)
      return kernel;
    IRRewriter rewriter(copy);
    dnn::UnitOp unit = createCopyUnit(rewriter, copy.getLoc(), type);
    Operation *empties[] = {unit.getInputs()[0].getDefiningOp(),
                            unit.getInits()[0].getDefiningOp()};
    FailureOr<dnn::DispatchOp> dispatch = expand(unit, rewriter, table);
    if (failed(dispatch))
      return failure();
    kernel = dispatch->getKernelAttr();
    dispatch->erase();
    unit.erase();
    for (Operation *empty : empties)
      empty->erase();
    return kernel;
  }

  /// Has the family that runs anything on the device make the kernel, by a dispatch in front of the
  /// unit.
  FailureOr<dnn::DispatchOp> expand(dnn::UnitOp unit, RewriterBase &rewriter, KernelTable &table) {
    dnn::DeviceAttr device = requireDevice(getOperation());
    if (!device)
      return failure();
    const KernelFamily *family = getFallbackFamily(device);
    if (!family)
      return unit.emitError("there is no kernel family for the target '")
             << device.getKind().getValue() << "'";
    CandidateList list;
    family->getCandidates(unit, device, list);
    if (list.candidates.empty())
      return unit.emitError("the kernel family '")
             << family->getName() << "' cannot copy " << unit.getResultTypes()[0] << ": "
             << list.reason;
    rewriter.setInsertionPoint(unit);
    DispatchBuilder builder(rewriter, unit, family->getName(), table);
    auto results = family->expand(unit, list.candidates.front().parameters, device, builder);
    if (failed(results))
      return failure();
    auto dispatch = results->front().getDefiningOp<dnn::DispatchOp>();
    if (!dispatch || !llvm::equal(dispatch->getOperands(), unit->getOperands()))
      return unit.emitError("expects the kernel family '")
             << family->getName() << "' to copy in one launch";
    return dispatch;
  }

  llvm::DenseMap<Type, FlatSymbolRefAttr> kernels;
};

} // namespace
