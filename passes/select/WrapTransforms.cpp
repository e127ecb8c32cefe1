//===- DispatchRest.cpp - dispatch transforms and packing -------------------===//
//
// Wraps what is left on tensors into units and lets the fastest family dispatch them as they are.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Select.h"

#include "udnn/Cost/CostModel.h"
#include "udnn/Cost/Device.h"
#include "udnn/Kernels/Dialects.h"
#include "udnn/Kernels/KernelFamily.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_DISPATCHRESTPASS
#include "udnn/Passes/Select.h.inc"
} // namespace udnn

using namespace udnn;

/// True for the operations that compute and must run as a kernel.
static bool needsDispatch(Operation &op) {
  return isa<linalg::LinalgOp, linalg::PackOp, linalg::UnPackOp, tensor::PadOp, tensor::GenerateOp>(
             op) ||
         isa<dnn::BatchOpInterface>(op);
}

/// A layout transform is named after what it does, other operations after their mnemonic.
static StringRef getUnitName(Operation &op) {
  if (isa<linalg::PackOp>(op))
    return "pack";
  if (isa<linalg::UnPackOp>(op))
    return "unpack";
  return op.getName().stripDialect();
}

/// Wraps `op` into a unit: tensors become arguments, scalars and constants are copied into it.
static dnn::UnitOp wrap(RewriterBase &rewriter, Operation &op) {
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  SmallVector<Value> inputs, inits;
  auto isInit = [&](Value value) {
    return destination && llvm::is_contained(destination.getDpsInits(), value);
  };
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()) && !isInit(operand) &&
        !llvm::is_contained(inputs, operand))
      inputs.push_back(operand);
  rewriter.setInsertionPoint(&op);
  for (OpResult result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    inits.push_back(destination ? destination.getTiedOpOperand(result)->get()
                                : tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                                          type.getElementType())
                                      .getResult());
  }
  auto unit =
      dnn::UnitOp::create(rewriter, op.getLoc(), op.getResultTypes(),
                          rewriter.getStringAttr(getUnitName(op)), inputs, inits, dnn::PlanAttr());
  Block *body = rewriter.createBlock(&unit.getBody());
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body->addArgument(input.getType(), op.getLoc()));
  for (Value init : inits)
    mapping.map(init, body->addArgument(init.getType(), op.getLoc()));
  rewriter.setInsertionPointToStart(body);
  for (Value operand : op.getOperands())
    if (!mapping.contains(operand) && operand.getDefiningOp())
      rewriter.clone(*operand.getDefiningOp(), mapping);
  Operation *copy = rewriter.clone(op, mapping);
  dnn::YieldOp::create(rewriter, op.getLoc(), copy->getResults());
  return unit;
}

/// The fastest candidate of all families that leaves the unit's layouts alone.
static const KernelFamily *choose(dnn::UnitOp unit, dnn::DeviceAttr device, Candidate &best) {
  const KernelFamily *chosen = nullptr;
  int64_t bestNs = 0;
  Type elementType = cast<RankedTensorType>(unit.getResult(0).getType()).getElementType();
  for (const auto &family : getKernelFamilies()) {
    if (!family->getName().starts_with((device.getKind().getValue() + ".").str()))
      continue;
    CandidateList list;
    family->getCandidates(unit, device, list);
    for (Candidate &candidate : list.candidates) {
      auto isPlain = [](dnn::DimsAttr layout) { return !layout; };
      if (!llvm::all_of(candidate.inputLayouts, isPlain) ||
          !llvm::all_of(candidate.resultLayouts, isPlain))
        continue;
      int64_t time = predict(candidate, elementType, device).timeNs;
      if (chosen && time >= bestNs)
        continue;
      chosen = family.get();
      bestNs = time;
      best = std::move(candidate);
    }
  }
  return chosen;
}

static LogicalResult dispatch(RewriterBase &rewriter, Operation &op, dnn::DeviceAttr device,
                              KernelTable &kernels) {
  dnn::UnitOp unit = wrap(rewriter, op);
  Candidate candidate;
  const KernelFamily *family = choose(unit, device, candidate);
  if (!family)
    return op.emitError("no kernel family can run this operation as it is");
  rewriter.setInsertionPoint(unit);
  DispatchBuilder builder(rewriter, unit, family->getName(), kernels);
  FailureOr<SmallVector<Value>> results =
      family->expand(unit, candidate.parameters, device, builder);
  if (failed(results))
    return op.emitError("kernel family '") << family->getName() << "' cannot expand this operation";
  rewriter.eraseOp(unit);
  rewriter.replaceOp(&op, *results);
  return success();
}

namespace {
struct DispatchRestPass : public udnn::impl::DispatchRestPassBase<DispatchRestPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    DispatchRestPassBase::getDependentDialects(registry);
    registerKernelDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dnn::DeviceAttr device = getDevice(module);
    if (!device) {
      module.emitError("expects the module to carry the device's facts as 'dnn.device'");
      return signalPassFailure();
    }
    KernelTable kernels(module);
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> rest;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        for (Operation &op : function.getBody().front())
          if (needsDispatch(op))
            rest.push_back(&op);
    for (Operation *op : rest)
      if (failed(dispatch(rewriter, *op, device, kernels)))
        return signalPassFailure();
    // What the wrapped operations read has been copied into their units.
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
          if (isOpTriviallyDead(&op))
            rewriter.eraseOp(&op);
  }
};
} // namespace
