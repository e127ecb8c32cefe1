//===- Im2colConv.cpp - convolution by im2col and a matrix product -----------===//
//
// The family "cpu.im2col_conv": plain channels in and out, any groups, strides and dilation, and
// filters that need not be constant. A task unrolls the windows of some pixels into the worker's
// scratch memory and multiplies all filters with them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConvProblem.h"
#include "CpuFamilies.h"

#include "../common/CheckedFamily.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

namespace {

/// How the work is cut, from a candidate's parameters.
struct Im2colPlan {
  /// Register tile: filters x vectors of pixels (a panel), and panels per task.
  int64_t filters, vectors, panels;

  static Im2colPlan get(DictionaryAttr p) {
    return {getInt(p, "filters"), getInt(p, "vectors"), getInt(p, "panels")};
  }
  DictionaryAttr getParameters(MLIRContext *context) const {
    return makeParameters(context,
                          {{"filters", filters}, {"vectors", vectors}, {"panels", panels}});
  }
};

/// Vectors of pixels lie within a row of the result.
struct Im2colSizes {
  /// Elements of an unrolled window, vectors in a row and in a plane, panels, tasks of a group.
  int64_t window, rowVectors, planeVectors, panels, pieces;

  Im2colSizes(const ConvProblem &p, const Im2colPlan &plan, int64_t lanes) {
    window = p.getGroupC() * p.r * p.s;
    rowVectors = llvm::divideCeilSigned(p.ow, lanes);
    planeVectors = rowVectors * p.oh;
    panels = llvm::divideCeilSigned(planeVectors, plan.vectors);
    pieces = llvm::divideCeilSigned(panels, plan.panels);
  }
  int64_t countTasks(const ConvProblem &p) const { return p.n * p.groups * pieces; }
};

int64_t getScratchBytes(const Im2colSizes &sizes, const Im2colPlan &plan, int64_t lanes) {
  return 4 * plan.panels * sizes.window * plan.vectors * lanes;
}

class Im2colEmitter {
public:
  Im2colEmitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
      : e(kernel, module, lanes), op(cast<dnn::ConvOp>(kernel.getPrimitive())),
        p(ConvProblem::get(op)), plan(Im2colPlan::get(kernel.getParameters())),
        sizes(p, plan, lanes), lanes(lanes), filter(e.getBuffer(1)),
        input(ActivationView::get(e.getBuffer(0), op.getInputDims())),
        output(ActivationView::get(e.getBuffer(e.getNumBuffers() - 1), op.getOutputDims())),
        epilogue(e, cast<dnn::EpilogueOpInterface>(op.getOperation()), getExtraBuffers(e, 2),
                 p.spatialRank + 1),
        columns(e.getScratch(0, {plan.panels, sizes.window, plan.vectors * lanes})) {}

  void emit();

private:
  void unrollVector(Index number, Index columnsAt);
  Value loadElements(Index rowAt, Index column, Value rowInside);
  void multiplyPanel(Index firstFilter, int64_t height, Index firstVector, Index columnsAt);

  Emitter e;
  dnn::ConvOp op;
  ConvProblem p;
  Im2colPlan plan;
  Im2colSizes sizes;
  int64_t lanes;
  Buffer filter;
  ActivationView input, output;
  Epilogue epilogue;
  Buffer columns;
  // Of the task.
  Index n = 0, group = 0;
};

} // namespace

/// The elements under window column `column` (of the first lane) in the input row at `rowAt`; zero
/// in the padding.
Value Im2colEmitter::loadElements(Index rowAt, Index column, Value rowInside) {
  OpBuilder &b = e.getBuilder();
  if (p.strideW == 1 && input.w == 1) {
    Value below = e.mask(e.max(e.sub(0, column), 0));
    Value end = e.toValue(e.max(e.sub(p.w, column), 0));
    end = arith::SelectOp::create(b, e.getLoc(), rowInside, end, e.toValue(0));
    Value inside = arith::AndIOp::create(
        b, e.getLoc(), e.mask(end), arith::XOrIOp::create(b, e.getLoc(), below, e.mask(lanes)));
    return e.load(input.buffer, e.add(rowAt, column), inside);
  }
  Vectors elements;
  Value zero = arith::ConstantOp::create(b, e.getLoc(), b.getF32FloatAttr(0));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Index at = e.add(column, lane * p.strideW);
    Value inside = e.logicalAnd(rowInside, e.inside(at, p.w));
    Index clamped = e.max(e.min(at, p.w - 1), 0);
    Value element = e.loadScalar(input.buffer, e.mad(clamped, input.w, rowAt));
    elements.push_back(e.select(inside, element, zero));
  }
  return vector::FromElementsOp::create(b, e.getLoc(), e.getVectorType(), elements);
}

/// Writes the windows of one vector of pixels to the columns.
void Im2colEmitter::unrollVector(Index number, Index columnsAt) {
  Index oh = e.div(number, sizes.rowVectors);
  Index ow = e.mul(e.rem(number, sizes.rowVectors), lanes);
  Index image = e.mad(n, input.n, e.mul(e.mul(group, p.getGroupC()), input.c));
  Index column0 = e.sub(e.mul(ow, p.strideW), p.padLeft);
  Index row0 = e.sub(e.mul(oh, p.strideH), p.padTop);
  int64_t step = columns.strides[1];
  e.loop(0, p.getGroupC(), 1, [&](Index c) {
    e.loop(0, p.r, 1, [&](Index r) {
      Index row = e.mad(r, p.dilationH, row0);
      // A vector beyond the plane reads nothing.
      Value inside = e.logicalAnd(e.inside(row, p.h), e.inside(oh, p.oh));
      Index clamped = e.max(e.min(row, p.h - 1), 0);
      Index rowAt = e.mad(c, input.c, e.mad(clamped, input.h, image));
      e.loop(0, p.s, 1, [&](Index s) {
        Value elements = loadElements(rowAt, e.mad(s, p.dilationW, column0), inside);
        Index at = e.add(e.mul(e.mad(c, p.r, r), p.s), s);
        e.store(elements, columns, e.mad(at, step, columnsAt));
      });
    });
  });
}

/// A register tile: `height` filters x one panel of pixels.
void Im2colEmitter::multiplyPanel(Index firstFilter, int64_t height, Index firstVector,
                                  Index columnsAt) {
  SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, height));
  Index filterAt = e.mul(firstFilter, sizes.window);
  Vectors sums(height * plan.vectors, e.splat(0));
  sums = e.loop(0, sizes.window, 1, sums, [&](Index i, Vectors carried) {
    Index f = e.add(filterAt, i), x = e.mad(i, columns.strides[1], columnsAt);
    multiplyTile(
        e, rows, plan.vectors, carried,
        [&](int64_t t) { return e.broadcast(filter, e.add(f, t * sizes.window)); },
        [&](int64_t j) { return e.load(columns, e.add(x, j * lanes)); });
    return carried;
  });
  for (int64_t j = 0; j < plan.vectors; ++j) {
    Index number = e.add(firstVector, j);
    Index oh = e.div(number, sizes.rowVectors);
    Index ow = e.mul(e.rem(number, sizes.rowVectors), lanes);
    Index at = e.mad(n, output.n, e.mad(oh, output.h, e.mul(ow, output.w)));
    auto store = [&] {
      epilogue.beginBlock();
      for (int64_t t = 0; t < height; ++t) {
        Index k = e.add(firstFilter, t);
        SmallVector<Index> place = {n, k, oh, ow};
        if (p.spatialRank == 1)
          place.erase(place.begin() + 2);
        Value value = epilogue.apply(sums[t * plan.vectors + j], place);
        Index to = e.mad(k, output.c, at);
        if (p.ow % lanes == 0)
          e.store(value, output.buffer, to);
        else
          e.store(value, output.buffer, to, e.mask(e.sub(p.ow, ow)));
      }
    };
    if (sizes.planeVectors % plan.vectors == 0)
      store();
    else
      e.branch(e.inside(number, sizes.planeVectors), store);
  }
}

void Im2colEmitter::emit() {
  Index piece = sizes.pieces == 1 ? Index(0) : e.rem(e.getTask(), sizes.pieces);
  Index rest = e.div(e.getTask(), sizes.pieces);
  group = p.groups == 1 ? Index(0) : e.rem(rest, p.groups);
  n = p.n == 1 ? Index(0) : e.div(rest, p.groups);
  Index panelLo = e.mul(piece, plan.panels);
  Index count = e.min(plan.panels, e.sub(sizes.panels, panelLo));
  Index vectorLo = e.mul(panelLo, plan.vectors);
  e.loop(0, count, 1, [&](Index panel) {
    e.loop(0, plan.vectors, 1, [&](Index j) {
      unrollVector(e.add(vectorLo, e.mad(panel, plan.vectors, j)),
                   e.mad(panel, columns.strides[0], e.mul(j, lanes)));
    });
  });
  EvenSplit split = splitEvenly(p.getGroupK(), plan.filters);
  Index filter0 = e.mul(group, p.getGroupK());
  int64_t start = 0;
  for (auto [tiles, height] :
       {std::pair(split.wide, split.width + 1), std::pair(split.narrow, split.width)}) {
    e.loop(0, tiles, 1, [&, height = height](Index i) {
      Index first = e.add(filter0, e.mad(i, height, start));
      e.loop(0, count, 1, [&](Index panel) {
        multiplyPanel(first, height, e.mad(panel, plan.vectors, vectorLo),
                      e.mul(panel, columns.strides[0]));
      });
    });
    start += tiles * height;
  }
  e.finish();
}

namespace {

class Im2colConvFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.im2col_conv"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainConv(unit, device, /*laneDim=*/-1); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device), percent = 100;
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    if (op.getFilterDims() != DimsAttr::getFilter(unit.getContext(), p.spatialRank))
      return list.reject("only filters with the dimensions [k, c, ...] are covered");

    int64_t planeVectors = llvm::divideCeilSigned(p.ow, lanes) * p.oh;
    RegisterTile tile = chooseTile(p.getGroupK(), std::min<int64_t>(planeVectors, 2),
                                   /*maxVectors=*/2, /*exact=*/false, lanes, &percent);
    Im2colPlan plan{tile.columns, tile.vectors, 1};
    int64_t panelBytes = getScratchBytes(Im2colSizes(p, plan, lanes), plan, lanes);
    plan.panels = std::clamp<int64_t>(device.getL2Bytes() / 2 / panelBytes, 1,
                                      Im2colSizes(p, plan, lanes).panels);
    while (plan.panels > 1 && Im2colSizes(p, plan, lanes).countTasks(p) < 4 * device.getCores())
      plan.panels = llvm::divideCeilSigned(plan.panels, 2);
    Im2colSizes sizes(p, plan, lanes);

    Candidate candidate;
    candidate.parameters = plan.getParameters(unit.getContext());
    candidate.inputLayouts.resize(unit.getInputs().size());
    candidate.resultLayouts.resize(1);
    candidate.flops = 2 * p.n * p.k * sizes.planeVectors * lanes * sizes.window;
    candidate.bytes = p.getBytes();
    // Unrolling an element takes as long as about sixteen products.
    candidate.efficiencyPercent =
        std::max<int64_t>(1, percent * 90 / 100 * p.getGroupK() / (p.getGroupK() + 16));
    candidate.workerBytes = getScratchBytes(sizes, plan, lanes);
    candidate.errorPpb = 300;
    list.candidates.push_back(candidate);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    Im2colPlan plan = Im2colPlan::get(parameters);
    Im2colSizes sizes(ConvProblem::get(op), plan, getLanes(device));
    Value input = getUnitOperand(unit, op.getInput());
    SmallVector<Value> inputs = {input, getUnitOperand(unit, op.getFilter())};
    llvm::append_range(inputs, getUnitExtras(unit));
    return SmallVector<Value>(
        builder.dispatch(parameters, inputs, getUnitOperand(unit, op.getInit()),
                         getScratchBytes(sizes, plan, getLanes(device)), getInPlaceExtra(unit, 2)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    ConvProblem p = ConvProblem::get(cast<dnn::ConvOp>(kernel.getPrimitive()));
    LaunchShape launch;
    launch.grid[0] =
        Im2colSizes(p, Im2colPlan::get(kernel.getParameters()), getLanes(device)).countTasks(p);
    return launch;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    auto filter = cast<MemRefType>(kernel.getArgumentTypes()[1]);
    if (!filter.getLayout().isIdentity())
      return kernel.emitError("expects a filter whose elements follow each other, got ") << filter;
    Im2colEmitter(kernel, module, getLanes(device)).emit();
    return success();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createIm2colConvFamily() {
  return withParameters<dnn::ConvOp>(
      std::make_unique<Im2colConvFamily>(),
      {{"filters", 1, kMaxTile}, {"vectors", 1, kMaxTile}, {"panels", 1, kMaxTaskSize}});
}
