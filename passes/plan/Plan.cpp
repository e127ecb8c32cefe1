//===- Plan.cpp - choose kernel family and layouts --------------------------===//
//
// Collects the candidates of every unit, solves, and writes the plans.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Plan.h"

#include "PlanInternal.h"

#include "udnn/Cost/CostModel.h"
#include "udnn/Cost/Device.h"
#include "udnn/Kernels/Dialects.h"
#include "udnn/Passes/LayoutRules.h"
#include "udnn/Support/Bytes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_PLANPASS
#include "udnn/Passes/Plan.h.inc"
} // namespace udnn

using namespace udnn;

namespace {

/// What restricts the choice of candidates.
struct Limits {
  int64_t workspaceBytes = std::numeric_limits<int64_t>::max();
  int64_t errorPpb = 0;
  bool keepsLayouts = false;
  SmallVector<const KernelFamily *> families;
  llvm::StringMap<const KernelFamily *> forced;
};

} // namespace

/// The family of this name; emits an error when there is none.
static const KernelFamily *lookupFamily(ModuleOp module, StringRef name) {
  const KernelFamily *family = lookupKernelFamily(name);
  if (!family) {
    InFlightDiagnostic diagnostic = module.emitError("no kernel family is named '")
                                    << name << "'; there are";
    for (const auto &known : getKernelFamilies())
      diagnostic << " " << known->getName();
  }
  return family;
}

/// The element type whose arithmetic dominates a unit: that of its first result.
static Type getElementType(dnn::UnitOp unit) {
  return cast<RankedTensorType>(unit.getResult(0).getType()).getElementType();
}

/// Appends what `family` offers for the unit within the limits, and says in `reasons` why not.
static void collect(const KernelFamily &family, dnn::UnitOp unit, dnn::DeviceAttr device,
                    const Limits &limits, PlanNode &node, std::string &reasons) {
  CandidateList list;
  collectCandidates(family, unit, device, list);
  auto reject = [&](const Twine &why) {
    reasons += (Twine(reasons.empty() ? "" : "; ") + family.getName() + ": " + why).str();
  };
  if (list.candidates.empty())
    reject(list.reason);
  for (Candidate &candidate : list.candidates) {
    int64_t workspace = candidate.workspaceBytes + candidate.workerBytes * device.getCores();
    if (workspace > limits.workspaceBytes) {
      reject("needs a workspace of " + formatBytes(workspace) + ", over the limit of " +
             formatBytes(limits.workspaceBytes));
      continue;
    }
    if (limits.keepsLayouts && !candidate.keepsLayouts()) {
      reject("changes layouts");
      continue;
    }
    if (candidate.errorPpb > limits.errorPpb) {
      reject("adds a relative error of " + Twine(candidate.errorPpb) + "e-9, over the limit of " +
             Twine(limits.errorPpb) + "e-9");
      continue;
    }
    Prediction prediction = predict(candidate, getElementType(unit), device);
    node.choices.push_back({&family, std::move(candidate), prediction.timeNs, prediction.origin});
  }
}

static LogicalResult collectNode(dnn::UnitOp unit, dnn::DeviceAttr device, const Limits &limits,
                                 PlanNode &node) {
  node.unit = unit;
  std::string reasons;
  const KernelFamily *forced = limits.forced.lookup(unit.getName());
  for (const KernelFamily *family : getKernelFamilies(device))
    if (forced ? family == forced
               : limits.families.empty() || llvm::is_contained(limits.families, family))
      collect(*family, unit, device, limits, node, reasons);
  if (node.choices.empty() && !forced && !limits.families.empty())
    if (const KernelFamily *generic = getFallbackFamily(device))
      collect(*generic, unit, device, limits, node, reasons);
  if (node.choices.empty())
    return unit.emitError("no kernel family can run '")
           << unit.getName() << "' on the target '" << device.getKind().getValue() << "' ("
           << (reasons.empty() ? "there is no family for this target" : reasons) << ")";
  llvm::stable_sort(node.choices,
                    [](const Choice &a, const Choice &b) { return a.timeNs < b.timeNs; });
  return success();
}

static dnn::PlanAttr makePlan(const Choice &choice, MLIRContext *context) {
  auto encode = [&](ArrayRef<dnn::DimsAttr> layouts) {
    SmallVector<Attribute> attrs;
    for (dnn::DimsAttr layout : layouts)
      attrs.push_back(encodeLayout(context, layout));
    return ArrayAttr::get(context, attrs);
  };
  const Candidate &candidate = choice.candidate;
  auto piece = dnn::PieceAttr::get(
      context, /*count=*/1, /*batch=*/0, StringAttr::get(context, choice.family->getName()),
      candidate.parameters, choice.timeNs, candidate.workspaceBytes, candidate.workerBytes,
      candidate.errorPpb, StringAttr::get(context, choice.origin));
  return dnn::PlanAttr::get(context, ArrayAttr::get(context, piece), encode(candidate.inputLayouts),
                            encode(candidate.resultLayouts));
}

static void emitPlanRemark(PlanNode &node, const Choice &picked) {
  auto remark = remark::passed(
      node.unit.getLoc(),
      remark::RemarkOpts::name("dnn-plan").category("dnn.plan").subCategory("choice"));
  remark << remark::metric("unit", node.unit.getName().str())
         << remark::metric("family", picked.family->getName().str())
         << remark::metric("predicted_ns", picked.timeNs);
}

namespace {

struct PlanPass : public udnn::impl::PlanPassBase<PlanPass> {
  using PlanPassBase::PlanPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PlanPassBase::getDependentDialects(registry);
    registerKernelDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dnn::DeviceAttr device = requireDevice(module);
    if (!device)
      return signalPassFailure();
    Limits limits;
    if (failed(takeLimits(module, limits)) || failed(takeForced(module, limits)))
      return signalPassFailure();
    llvm::StringSet<> unitNames;
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(planFunction(function, device, limits, unitNames)))
        return signalPassFailure();
    for (const auto &entry : limits.forced)
      if (!unitNames.contains(entry.getKey())) {
        module.emitError("no unit is named '")
            << entry.getKey() << "', which a family is forced on";
        return signalPassFailure();
      }
  }

private:
  /// The limits that the options name, as they are kept on the module; null after an error.
  dnn::LimitsAttr makeLimits(ModuleOp module) {
    int64_t workspaceBytes = std::numeric_limits<int64_t>::max(), errorPpb = workspaceBytes;
    if (!workspaceLimit.empty()) {
      std::optional<int64_t> bytes = parseBytes(workspaceLimit);
      if (!bytes) {
        module.emitError("expects a size such as 64MiB as workspace limit, got '")
            << workspaceLimit << "'";
        return {};
      }
      workspaceBytes = *bytes;
    }
    if (!(maxRelativeError >= 0)) {
      module.emitError("expects a relative error of at least 0, got ") << maxRelativeError;
      return {};
    }
    if (maxRelativeError < 1)
      errorPpb = int64_t(maxRelativeError * 1e9 + 0.5);
    ArrayAttr names;
    if (!families.empty())
      names =
          Builder(module).getStrArrayAttr(SmallVector<StringRef>(families.begin(), families.end()));
    return dnn::LimitsAttr::get(module.getContext(), errorPpb, workspaceBytes, names);
  }

  /// The first run keeps its limits on the module, where a run for what selection adds finds them.
  LogicalResult takeLimits(ModuleOp module, Limits &limits) {
    limits.keepsLayouts = keepLayouts;
    auto kept = module->getAttrOfType<dnn::LimitsAttr>(kLimitsAttrName);
    if (!kept || !keepLayouts) {
      kept = makeLimits(module);
      if (!kept)
        return failure();
      module->setAttr(kLimitsAttrName, kept);
    }
    limits.workspaceBytes = kept.getWorkspace();
    limits.errorPpb = kept.getError();
    if (!kept.getFamilies())
      return success();
    for (StringRef name : kept.getFamilies().getAsValueRange<StringAttr>()) {
      limits.families.push_back(lookupFamily(module, name));
      if (!limits.families.back())
        return failure();
    }
    return success();
  }

  LogicalResult takeForced(ModuleOp module, Limits &limits) {
    for (const std::string &entry : forceFamily) {
      auto [node, name] = StringRef(entry).rsplit('=');
      if (node.empty() || name.empty())
        return module.emitError("expects NODE=FAMILY to force a family, got '") << entry << "'";
      if (!(limits.forced[node] = lookupFamily(module, name)))
        return failure();
    }
    return success();
  }

  LogicalResult planFunction(func::FuncOp function, dnn::DeviceAttr device, const Limits &limits,
                             llvm::StringSet<> &unitNames) {
    if (function.isDeclaration())
      return success();
    SmallVector<PlanNode, 0> nodes;
    for (auto unit : function.getBody().front().getOps<dnn::UnitOp>()) {
      unitNames.insert(unit.getName());
      if (failed(collectNode(unit, device, limits, nodes.emplace_back())))
        return failure();
    }
    PlanProblem problem = makePlanProblem(function, nodes, device);
    if (Status status = problem.check(); status.failed())
      return function.emitError("cannot be planned: ") << status.message();
    std::vector<size_t> picks = solvePlan(problem);
    // Later stages rely on the answer, so that it is checked in every build.
    if (Status status = problem.verify(picks); status.failed())
      return function.emitError("cannot be planned: ") << status.message();
    for (auto [node, pick] : llvm::zip(nodes, picks)) {
      node.unit.setPlanAttr(makePlan(node.choices[pick], &getContext()));
      emitPlanRemark(node, node.choices[pick]);
    }
    return success();
  }
};

} // namespace
