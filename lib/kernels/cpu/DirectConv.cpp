//===- DirectConv.cpp - direct convolution on blocked channels ---------------===//
//
// The family "cpu.direct_conv": a tile of output columns and channel vectors stays in registers
// while all input channels and window positions pass by. Reads blocked channels, or plain
// ones where there are few (first layers); writes blocked channels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"
#include "DirectPlan.h"

#include "../common/CheckedFamily.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

/// Bytes of filters that a pass leaves in the first-level cache.
static constexpr int64_t kFirstLevelBytes = 24 * 1024;

/// True when the sums of `filters` filters can wait in the cache: filters that do not stay there
/// then pass by once, in parts, instead of once for every register tile.
static bool canPass(const ConvProblem &p, const DirectPlan &plan, int64_t filters) {
  return !plan.plainInput && 4 * p.oh * p.ow * filters <= 2 * kFirstLevelBytes;
}

/// Why the plan does not suit the layout of the convolution's input; empty when it does.
static std::string explainInput(dnn::ConvOp op, const DirectPlan &plan, int64_t lanes) {
  int64_t expected = plan.plainInput ? 1 : lanes;
  int64_t block = op.getInputDims().getBlock(DimsAttr::kChannel);
  if (block == expected)
    return {};
  auto describe = [](int64_t block) {
    return block == 1 ? "plain channels" : "blocks of " + std::to_string(block) + " channels";
  };
  return "expects an input of " + describe(expected) +
         " for 'plain_input' = " + std::to_string(plan.plainInput) + ", got " + describe(block);
}

/// Bytes of input that `rows` lines of the grid read.
static int64_t getLineBytes(const ConvProblem &p, const DirectPlan &plan, int64_t rows) {
  if (p.isPointwise())
    return 4 * p.c * rows * plan.columns;
  int64_t inputRows = p.strideH > p.r ? rows * p.r : (rows - 1) * p.strideH + p.r;
  return 4 * p.c * p.w * std::min(p.h, inputRows);
}

/// Cuts the work into tasks: at least eight for each core where there is so much, and the operand
/// that passes by for every task stays in the cache.
static void chooseSchedule(const ConvProblem &p, int64_t lanes, dnn::DeviceAttr device,
                           DirectPlan &plan) {
  int64_t cache = device.getL2Bytes();
  int64_t inputBytes = 4 * p.c * p.h * p.w;
  int64_t filterBytes = 4 * p.k * p.getGroupC() * p.r * p.s;
  plan.rows = 1;
  DirectGrid finest(p, plan, lanes);
  plan.filtersOutside = inputBytes <= cache / 2 ||
                        (filterBytes > cache / 2 &&
                         finest.filterGroupsPerGroup * inputBytes <= finest.lines * filterBytes);
  plan.rows = finest.lines;
  auto isTooCoarse = [&] {
    DirectGrid grid(p, plan, lanes);
    bool fewTasks = p.n * grid.filterGroups * grid.pieces < 8 * device.getCores();
    int64_t limit = p.isPointwise() ? cache / 8 : cache * 3 / 8;
    return fewTasks || (!plan.filtersOutside && getLineBytes(p, plan, plan.rows) > limit);
  };
  while (plan.rows > 1 && isTooCoarse())
    plan.rows = llvm::divideCeilSigned(plan.rows, 2);

  int64_t blockBytes = 4 * lanes * plan.vectors * lanes * p.r * p.s;
  int64_t blocks = llvm::divideCeilSigned(p.getGroupC(), lanes);
  int64_t part = std::max<int64_t>(1, kFirstLevelBytes / blockBytes);
  plan.passBlocks = 0;
  bool manyTiles = plan.rows >= (p.isPointwise() ? 8 : 4);
  if (manyTiles && canPass(p, plan, plan.vectors * lanes) && blocks * blockBytes > cache / 5 &&
      blocks > part)
    plan.passBlocks = part;
}

/// A candidate that reads plain or blocked channels.
static Candidate makeCandidate(dnn::UnitOp unit, const ConvProblem &p, dnn::DeviceAttr device,
                               bool plainInput) {
  int64_t lanes = getLanes(device), percent = 100;
  DirectPlan plan;
  plan.plainInput = plainInput;
  // The filters of a register tile come from the cache for every tile but the first.
  int64_t vectorBytes = 4 * lanes * p.getGroupC() * p.r * p.s;
  int64_t maxVectors = std::max<int64_t>(2, device.getL2Bytes() * 3 / 5 / vectorBytes);
  if (p.oh * p.ow == 1 || canPass(p, plan, 4 * lanes))
    maxVectors = p.oh * p.ow == 1 ? 64 : 4;
  RegisterTile tile = chooseTile(p.isPointwise() ? p.oh * p.ow : p.ow,
                                 llvm::divideCeilSigned(p.getGroupK(), lanes), maxVectors,
                                 /*exact=*/p.groups > 1, lanes, &percent);
  // Strided windows of one element use half of what they load or less: more filters per element.
  if (p.r * p.s == 1 && p.strideW > 1 && tile.vectors < 4 && maxVectors >= 4 &&
      llvm::divideCeilSigned(p.getGroupK(), lanes) % 4 == 0)
    tile = {lanes >= 16 ? 7 : 3, 4};
  plan.columns = tile.columns;
  plan.vectors = tile.vectors;
  chooseSchedule(p, lanes, device, plan);

  MLIRContext *context = unit.getContext();
  Candidate candidate;
  candidate.parameters = plan.getParameters(context);
  DimsAttr result = DimsAttr::getBlocked(context, p.spatialRank, lanes, p.k);
  DimsAttr input =
      plainInput ? DimsAttr() : DimsAttr::getBlocked(context, p.spatialRank, lanes, p.c);
  candidate.inputLayouts = getInputLayouts(unit, input, result);
  candidate.resultLayouts = {result};
  candidate.flops = p.getExecutedFlops();
  candidate.bytes = p.getBytes();
  candidate.efficiencyPercent = std::max<int64_t>(1, percent * 95 / 100);
  candidate.errorPpb = 300;
  candidate.workerBytes = plan.getWorkerBytes(p, lanes);
  return candidate;
}

namespace {

class DirectConvFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.direct_conv"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainConv(unit, device, /*laneDim=*/1); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device);
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    if (p.groups > 1 && (p.getGroupC() % lanes || p.getGroupK() % lanes))
      return list.reject("the channels of a group do not fill whole vectors");
    if (p.groups == 1 && p.c <= 2 * lanes && !readsInputTwice(unit))
      list.candidates.push_back(makeCandidate(unit, p, device, /*plainInput=*/true));
    if (p.c >= lanes / 2)
      list.candidates.push_back(makeCandidate(unit, p, device, /*plainInput=*/false));
    if (list.candidates.empty())
      list.reject("the few input channels are also an operand of the epilogue");
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    DirectPlan plan = DirectPlan::get(parameters);
    int64_t lanes = getLanes(device);
    if (std::string why = explainInput(op, plan, lanes); !why.empty())
      return unit.emitError() << why;
    Value input = getUnitOperand(unit, op.getInput());
    Value filter = getUnitOperand(unit, op.getFilter());
    Value packed = packFilter(builder, filter, op.getFilterDims(), plan.plainInput ? 1 : lanes,
                              plan.vectors * lanes);
    SmallVector<Value> inputs = {input, packed};
    llvm::append_range(inputs, getUnitExtras(unit));
    return SmallVector<Value>(builder.dispatch(
        parameters, inputs, getUnitOperand(unit, op.getInit()),
        plan.getWorkerBytes(ConvProblem::get(op), lanes), getInPlaceExtra(unit, 2)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    ConvProblem p = ConvProblem::get(cast<dnn::ConvOp>(kernel.getPrimitive()));
    DirectGrid grid(p, DirectPlan::get(kernel.getParameters()), getLanes(device));
    LaunchShape shape;
    shape.grid[0] = p.n * grid.filterGroups * grid.pieces;
    return shape;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    int64_t lanes = getLanes(device);
    if (std::string why = explainInput(cast<dnn::ConvOp>(kernel.getPrimitive()),
                                       DirectPlan::get(kernel.getParameters()), lanes);
        !why.empty())
      return kernel.emitError() << why;
    emitDirectConv(kernel, module, lanes);
    return success();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createDirectConvFamily() {
  return withParameters<dnn::ConvOp>(std::make_unique<DirectConvFamily>(),
                                     {{"columns", 1, kMaxTile},
                                      {"vectors", 1, kMaxTile},
                                      {"rows", 1, kMaxTaskSize},
                                      {"plain_input", 0, 1},
                                      {"filters_outside", 0, 1},
                                      {"pass_blocks", 0, kMaxTaskSize}});
}
