//===- VerifyPlanned.cpp - contract of the plan stage -----------------------===//
//
// Checks that every unit has a plan.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Cost/Device.h"
#include "udnn/Kernels/KernelFamily.h"
#include "udnn/Passes/Plan.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_VERIFYPLANNEDPASS
#include "udnn/Passes/Plan.h.inc"
} // namespace udnn

using namespace udnn;

static LogicalResult verifyUnit(dnn::UnitOp unit) {
  dnn::PlanAttr plan = unit.getPlanAttr();
  if (!plan)
    return unit.emitOpError("expects a plan after the plan stage");
  for (auto piece : plan.getPieces().getAsRange<dnn::PieceAttr>())
    if (!lookupKernelFamily(piece.getFamily()))
      return unit.emitOpError("expects a plan with known kernel families, got ")
             << piece.getFamily();
  return success();
}

namespace {
struct VerifyPlannedPass : public udnn::impl::VerifyPlannedPassBase<VerifyPlannedPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!getDevice(module)) {
      module.emitOpError("expects 'dnn.device' after the plan stage");
      return signalPassFailure();
    }
    WalkResult result = module.walk([](dnn::UnitOp unit) {
      return failed(verifyUnit(unit)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
