//===- Winograd.cpp - convolution by F(4x4, 3x3) ------------------------------===//
//
// The family "cpu.winograd": 3x3 windows of stride 1 on blocked channels. Tiles of 6x6 inputs are
// transformed, multiplied channel by channel in 36 matrix products, and transformed back; either
// in blocks that stay in a worker's cache, or in three launches over a shared workspace. The
// interpolation points are 0, +-sqrt(1/2), +-sqrt(2) and infinity (see dnn.winograd_filter).
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"
#include "WinogradPlan.h"

#include "../common/CheckedFamily.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

/// A candidate in blocks (`step` kBlock) or three launches (kInput, the first of them).
static Candidate makeCandidate(dnn::UnitOp unit, const ConvProblem &p, dnn::DeviceAttr device,
                               const WinogradPlan &plan, int64_t efficiency) {
  MLIRContext *context = unit.getContext();
  int64_t lanes = getLanes(device);
  WinogradSizes sizes(p, plan, lanes);
  bool blocks = plan.step == WinogradPlan::kBlock;
  Candidate candidate;
  candidate.parameters = plan.getParameters(context);
  DimsAttr result = DimsAttr::getBlocked(context, p.spatialRank, lanes, p.k);
  candidate.inputLayouts =
      getInputLayouts(unit, DimsAttr::getBlocked(context, p.spatialRank, lanes, p.c), result);
  candidate.resultLayouts = {result};
  int64_t tasks = sizes.countTasks(p, WinogradPlan::kBlock);
  int64_t tiles = p.n * sizes.tileRows * sizes.tileColumns;
  int64_t workFloats = kWinogradPoints * (sizes.inputs + sizes.filters) * sizes.tiles * lanes;
  int64_t filterBytes = 4 * kWinogradPoints * p.k * p.getGroupC();
  // The transforms take about as long as this many operations of a product.
  int64_t transformFlops = tiles * (p.c * 700 + p.k * 500);
  candidate.flops = 2 * kWinogradPoints * tiles * p.k * p.getGroupC() + transformFlops;
  candidate.bytes = 4 * (p.n * p.c * p.h * p.w + p.n * p.k * p.oh * p.ow) + filterBytes;
  candidate.errorPpb = 2000;
  // What passes through memory or an outer cache is not hidden behind the products. Filters of a
  // few MiB stay near.
  double gflops = device.getGflopsF32(), gbytes = device.getGbytesPerS();
  bool largeFilters = filterBytes > 8 * device.getL2Bytes();
  double extraNs = largeFilters ? filterBytes / gbytes : 0;
  if (blocks) {
    candidate.workerBytes = 4 * workFloats;
    // The filters come again from an outer cache for every further block.
    extraNs += largeFilters ? (tasks - 1) * filterBytes / (2.5 * gbytes) : 0;
  } else {
    candidate.launches = 3;
    candidate.workspaceBytes = 4 * workFloats;
    int64_t spilled =
        std::max<int64_t>(0, 4 * workFloats - device.getL2Bytes() * device.getCores());
    extraNs += 2 * spilled / gbytes;
  }
  double productNs = candidate.flops / (gflops * efficiency / 100);
  candidate.efficiencyPercent =
      std::max<int64_t>(1, efficiency * productNs / (productNs + extraNs));
  return candidate;
}

/// Chooses the register tile for `tiles` columns; returns the share of the peak it reaches.
static int64_t chooseProductTile(const ConvProblem &p, int64_t lanes, int64_t tiles,
                                 WinogradPlan &plan) {
  int64_t percent = 100;
  RegisterTile tile = chooseTile(tiles, llvm::divideCeilSigned(p.getGroupK(), lanes),
                                 /*maxVectors=*/64, /*exact=*/p.groups > 1, lanes, &percent);
  plan.columns = tile.columns;
  plan.vectors = tile.vectors;
  return percent * 92 / 100;
}

/// Chooses blocks whose workspace stays near the cache's size and which keep the workers equally
/// busy; returns the share of the peak that they reach.
static int64_t chooseBlock(const ConvProblem &p, dnn::DeviceAttr device, WinogradPlan &plan) {
  int64_t lanes = getLanes(device), cores = device.getCores();
  WinogradSizes sizes(p, plan, lanes);
  int64_t tileBytes = 4 * kWinogradPoints * (sizes.inputs + sizes.filters) * lanes;
  int64_t limit = std::max<int64_t>(14, device.getL2Bytes() / tileBytes);
  EvenSplit columns = splitEvenly(sizes.tileColumns, limit);
  plan.blockColumns = columns.width + (columns.wide != 0);
  int64_t maxRows = std::clamp<int64_t>(limit / plan.blockColumns, 1, sizes.tileRows);
  int64_t best = 0, bestRows = 1;
  for (int64_t rows = maxRows; rows >= 1; --rows) {
    plan.blockRows = rows;
    int64_t percent = chooseProductTile(p, lanes, rows * plan.blockColumns, plan);
    // Workers wait for the last round, and the last block of an image may be half empty.
    int64_t tasks = WinogradSizes(p, plan, lanes).countTasks(p, WinogradPlan::kBlock);
    int64_t rounds = llvm::divideCeilSigned(tasks, cores);
    int64_t used = p.n * sizes.tileRows * sizes.tileColumns;
    int64_t efficiency = percent * used / (rounds * cores * rows * plan.blockColumns);
    if (efficiency > best) {
      best = efficiency;
      bestRows = rows;
    }
  }
  plan.blockRows = bestRows;
  plan.piece = bestRows * plan.blockColumns;
  chooseProductTile(p, lanes, plan.piece, plan);
  return best;
}

namespace {

class WinogradFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.winograd"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainConv(unit, device, /*laneDim=*/1); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device);
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    if (p.spatialRank != 2 || p.r != 3 || p.s != 3 || p.strideH != 1 || p.strideW != 1 ||
        p.dilationH != 1 || p.dilationW != 1)
      return list.reject("only 3x3 windows of stride 1 are covered");
    if (p.groups > 1 && (p.getGroupC() % lanes || p.getGroupK() % lanes))
      return list.reject("the channels of a group do not fill whole vectors");
    if (!isConstant(getUnitOperand(unit, op.getFilter())))
      return list.reject("the filter, which is transformed at compile time, is no constant");
    if (p.c < lanes)
      return list.reject("the input has fewer channels than a vector has elements");

    WinogradPlan plan{WinogradPlan::kBlock, 1, 1, 1, 1, 1};
    int64_t efficiency = chooseBlock(p, device, plan);
    list.candidates.push_back(makeCandidate(unit, p, device, plan, efficiency));

    plan = {WinogradPlan::kInput, 1, 1, 1, 1, 1};
    plan.blockRows = llvm::divideCeilSigned(p.oh, 4);
    plan.blockColumns = llvm::divideCeilSigned(p.ow, 4);
    int64_t tiles = p.n * plan.blockRows * plan.blockColumns;
    // A piece of transformed inputs takes a fourth of the cache.
    int64_t limit = std::max<int64_t>(12, device.getL2Bytes() / 4 / (4 * p.getGroupC()));
    EvenSplit pieces = splitEvenly(tiles, limit);
    plan.piece = pieces.width + (pieces.wide != 0);
    efficiency = chooseProductTile(p, lanes, plan.piece, plan);
    list.candidates.push_back(makeCandidate(unit, p, device, plan, efficiency));
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    WinogradPlan plan = WinogradPlan::get(parameters);
    if (plan.step != WinogradPlan::kBlock && plan.step != WinogradPlan::kInput)
      return unit.emitError() << "expects a plan for the kernel family '" << getName()
                              << "' to have the step " << int64_t(WinogradPlan::kBlock)
                              << " (blocks) or " << int64_t(WinogradPlan::kInput)
                              << " (three launches), got " << plan.step;
    int64_t lanes = getLanes(device);
    WinogradSizes sizes(p, plan, lanes);
    Value input = getUnitOperand(unit, op.getInput());
    Value init = getUnitOperand(unit, op.getInit());
    Value filter = packWinogradFilter(unit, builder, plan.vectors * lanes, lanes);
    SmallVector<Value> extras = getUnitExtras(unit);
    if (plan.step == WinogradPlan::kBlock) {
      SmallVector<Value> inputs = {input, filter};
      llvm::append_range(inputs, extras);
      int64_t floats = kWinogradPoints * (sizes.inputs + sizes.filters) * sizes.tiles * lanes;
      // Blocks read rows of their neighbours, so the input's bytes are never the result's.
      return SmallVector<Value>(
          builder.dispatch(parameters, inputs, init, 4 * floats, getInPlaceExtra(unit, 2)));
    }
    auto getStep = [&](int64_t step) {
      plan.step = step;
      return plan.getParameters(unit.getContext());
    };
    Type f32 = Float32Type::get(unit.getContext());
    Value transformed = builder.empty(
        RankedTensorType::get({kWinogradPoints, sizes.inputs, sizes.tiles, lanes}, f32));
    transformed = builder.dispatch(getStep(WinogradPlan::kInput), input, transformed)[0];
    Value products = builder.empty(
        RankedTensorType::get({kWinogradPoints, sizes.filters, sizes.tiles, lanes}, f32));
    products =
        builder.dispatch(getStep(WinogradPlan::kProduct), {transformed, filter}, products)[0];
    SmallVector<Value> inputs = {products};
    llvm::append_range(inputs, extras);
    return SmallVector<Value>(builder.dispatch(getStep(WinogradPlan::kOutput), inputs, init,
                                               /*workerBytes=*/0, getInPlaceExtra(unit, 1)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    ConvProblem p = ConvProblem::get(cast<dnn::ConvOp>(kernel.getPrimitive()));
    WinogradPlan plan = WinogradPlan::get(kernel.getParameters());
    LaunchShape shape;
    shape.grid[0] = WinogradSizes(p, plan, getLanes(device)).countTasks(p, plan.step);
    return shape;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    emitWinograd(kernel, module, getLanes(device));
    return success();
  }

private:
  /// [36, k / filterBlock, c / channelBlock, channelBlock, filterBlock].
  static Value packWinogradFilter(dnn::UnitOp unit, DispatchBuilder &builder, int64_t filterBlock,
                                  int64_t channelBlock) {
    RewriterBase &rewriter = builder.getRewriter();
    Location loc = unit.getLoc();
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    Type f32 = rewriter.getF32Type();
    Value init = builder.empty(RankedTensorType::get({kWinogradPoints, p.k, p.getGroupC()}, f32));
    Value filter = getUnitOperand(unit, op.getFilter());
    Value points =
        dnn::WinogradFilterOp::create(rewriter, loc, init.getType(), filter, init,
                                      op.getFilterDimsAttr(), rewriter.getI64IntegerAttr(4))
            .getResult();
    SmallVector<int64_t> shape = {kWinogradPoints, llvm::divideCeilSigned(p.k, filterBlock),
                                  llvm::divideCeilSigned(p.getGroupC(), channelBlock), channelBlock,
                                  filterBlock};
    Value packed = builder.empty(RankedTensorType::get(shape, f32));
    std::optional<Value> padding;
    if (p.k % filterBlock || p.getGroupC() % channelBlock)
      padding = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    SmallVector<int64_t> inner = {2, 1}, tiles = {channelBlock, filterBlock};
    return linalg::PackOp::create(rewriter, loc, points, packed, inner,
                                  getAsIndexOpFoldResult(rewriter.getContext(), tiles), padding)
        .getResult();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createWinogradFamily() {
  return withParameters<dnn::ConvOp>(std::make_unique<WinogradFamily>(),
                                     {{"step", WinogradPlan::kBlock, WinogradPlan::kOutput},
                                      {"block_rows", 1, kMaxTaskSize},
                                      {"block_columns", 1, kMaxTaskSize},
                                      {"columns", 1, kMaxTile},
                                      {"vectors", 1, kMaxTile},
                                      {"piece", 1, kMaxTaskSize}});
}
