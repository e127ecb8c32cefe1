//===- Pool.cpp - maximum and average pooling --------------------------------===//
//
// The family "cpu.pool": windows over blocked channels, without indices.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"
#include "Windows.h"

#include "../common/CheckedFamily.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

template <typename PoolOp>
static WindowShape getShape(PoolOp op) {
  DimsAttr dims = op.getDims();
  ArrayRef<int64_t> in = cast<RankedTensorType>(op.getInput().getType()).getShape();
  ArrayRef<int64_t> out = cast<RankedTensorType>(op.getInit().getType()).getShape();
  int64_t rank = dims.getSpatialRank(), last = rank - 1;
  bool flat = rank == 1;
  WindowShape p;
  p.n = dims.getLogicalSize(DimsAttr::kBatch, in);
  p.c = dims.getLogicalSize(DimsAttr::kChannel, in);
  p.h = flat ? 1 : dims.getLogicalSize(0, in);
  p.w = dims.getLogicalSize(last, in);
  p.oh = flat ? 1 : dims.getLogicalSize(0, out);
  p.ow = dims.getLogicalSize(last, out);
  p.r = flat ? 1 : op.getWindow()[0];
  p.s = op.getWindow()[last];
  p.strideH = flat ? 1 : op.getStrides()[0];
  p.strideW = op.getStrides()[last];
  p.padTop = flat ? 0 : op.getPads()[0];
  p.padLeft = op.getPads()[last];
  p.padBottom = flat ? 0 : op.getPads()[rank];
  p.padRight = op.getPads()[rank + last];
  p.dilationH = flat ? 1 : op.getDilations()[0];
  p.dilationW = op.getDilations()[last];
  return p;
}

static WindowShape getShape(Operation *op) {
  if (auto max = dyn_cast<dnn::MaxPoolOp>(op))
    return getShape(max);
  return getShape(cast<dnn::AvgPoolOp>(op));
}

namespace {

/// Maximum; NaN wins over numbers.
class MaxBody : public WindowBody {
public:
  explicit MaxBody(Emitter &emitter) : e(emitter) {}

  Value getInitial() override { return e.splat(-std::numeric_limits<double>::infinity()); }
  Value combine(Value sum, Value element, int64_t) override { return join(sum, element); }
  Value join(Value a, Value b) override {
    return arith::MaximumFOp::create(e.getBuilder(), e.getLoc(), a, b);
  }
  bool isUniform() const override { return true; }
  Value finish(Value sum, const WindowPlace &) override { return sum; }

private:
  Emitter &e;
};

/// Average over the elements inside the input, or inside the padded input.
class AverageBody : public WindowBody {
public:
  AverageBody(Emitter &emitter, const WindowShape &shape, bool countPadding)
      : e(emitter), p(shape), countPadding(countPadding) {}

  Value getInitial() override { return e.splat(0); }
  Value combine(Value sum, Value element, int64_t) override { return e.addf(sum, element); }
  Value join(Value a, Value b) override { return e.addf(a, b); }
  bool isUniform() const override { return true; }

  Value finish(Value sum, const WindowPlace &place) override {
    // Over no elements the sum is 0, and so is the average.
    int64_t columns =
        std::max<int64_t>(countPadding ? countPaddedColumns(place) : place.columns, 1);
    Index rows = e.max(countPadding ? countPaddedRows(place) : e.sub(place.rHi, place.rLo), 1);
    if (rows.isConstant())
      return divide(sum, e.splat(rows.constant * columns));
    OpBuilder &b = e.getBuilder();
    Value count =
        arith::IndexCastOp::create(b, e.getLoc(), b.getI32Type(), e.toValue(e.mul(rows, columns)));
    count = arith::SIToFPOp::create(b, e.getLoc(), b.getF32Type(), count);
    return divide(sum, vector::BroadcastOp::create(b, e.getLoc(), e.getVectorType(), count));
  }

private:
  Value divide(Value a, Value b) { return arith::DivFOp::create(e.getBuilder(), e.getLoc(), a, b); }

  /// Window columns inside the padded input (ceil mode can reach beyond it).
  int64_t countPaddedColumns(const WindowPlace &place) {
    if (place.staticColumn < 0)
      return p.s;
    int64_t count = 0;
    for (int64_t s = 0; s < p.s; ++s)
      count += place.staticColumn * p.strideW + s * p.dilationW - p.padLeft < p.w + p.padRight;
    return count;
  }

  Index countPaddedRows(const WindowPlace &place) {
    int64_t end = p.h + p.padBottom;
    if ((p.oh - 1) * p.strideH - p.padTop + (p.r - 1) * p.dilationH < end)
      return p.r;
    Index ih0 = e.sub(e.mul(place.h, p.strideH), p.padTop);
    return e.min(e.ceilDiv(e.max(e.sub(end, ih0), 0), p.dilationH), p.r);
  }

  Emitter &e;
  WindowShape p;
  bool countPadding;
};

/// Why the family cannot run the unit; empty when it can.
std::string explainPool(dnn::UnitOp unit) {
  Operation *op = unit.getPrimitive();
  auto max = dyn_cast_or_null<dnn::MaxPoolOp>(op);
  auto average = dyn_cast_or_null<dnn::AvgPoolOp>(op);
  if (!max && !average)
    return "the unit is not a pooling operation";
  if (max && max.getIndices())
    return "indices are not covered";
  DimsAttr dims = max ? max.getDims() : average.getDims();
  if (!cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isF32())
    return "only f32 is covered";
  if (dims.getSpatialRank() > 2 ||
      dims != DimsAttr::getActivation(op->getContext(), dims.getSpatialRank()))
    return "only dimensions [n, c, ...] with one or two spatial ones are covered";
  if (std::string why = explainOperands(op); !why.empty())
    return why;
  WindowShape p = getShape(op);
  // Tiles that touch the padding are unrolled over the window's columns.
  RowGeometry row{p.w, p.ow, p.s, p.strideW, p.padLeft, p.dilationW};
  if (p.s > 64 && !row.isInterior(0, p.ow))
    return "windows wider than 64 are covered only without padding";
  return {};
}

class PoolFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.pool"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainPool(unit); !why.empty())
      return list.reject(why);
    if (std::string why = explainLanes(device); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device);
    WindowShape p = getShape(unit.getPrimitive());
    if (2 * p.c < lanes)
      return list.reject("the input has fewer channels than half a vector");
    MLIRContext *context = unit.getContext();
    int64_t rank = cast<RankedTensorType>(unit.getResult(0).getType()).getRank() - 2;
    DimsAttr layout = DimsAttr::getBlocked(context, rank, lanes, p.c);
    Candidate candidate;
    candidate.parameters =
        makeParameters(context, {{"rows", chooseWindowRows(p, lanes, device.getCores())}});
    candidate.inputLayouts = getInputLayouts(unit, layout, layout);
    candidate.resultLayouts = {layout};
    candidate.flops = p.n * p.c * p.oh * p.ow * p.r * p.s;
    candidate.bytes = 4 * p.n * p.c * (p.h * p.w + p.oh * p.ow);
    candidate.efficiencyPercent = 15;
    candidate.errorPpb = isa<dnn::AvgPoolOp>(unit.getPrimitive()) ? 300 : 0;
    list.candidates.push_back(candidate);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    Operation *op = unit.getPrimitive();
    return SmallVector<Value>(builder.dispatch(parameters, getUnitOperand(unit, op->getOperand(0)),
                                               getUnitOperand(unit, op->getOperand(1))));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    WindowShape shape = getShape(kernel.getPrimitive());
    LaunchShape launch;
    launch.grid[0] = WindowGrid(shape, getInt(kernel.getParameters(), "rows"), getLanes(device))
                         .countTasks(shape);
    return launch;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    int64_t lanes = getLanes(device);
    Emitter emitter(kernel, module, lanes);
    Operation *op = kernel.getPrimitive();
    WindowShape shape = getShape(op);
    auto average = dyn_cast<dnn::AvgPoolOp>(op);
    DimsAttr dims = average ? average.getDims() : cast<dnn::MaxPoolOp>(op).getDims();
    std::unique_ptr<WindowBody> body;
    if (average)
      body = std::make_unique<AverageBody>(emitter, shape, average.getCountIncludePad());
    else
      body = std::make_unique<MaxBody>(emitter);
    WindowGrid grid(shape, getInt(kernel.getParameters(), "rows"), lanes);
    emitWindows(emitter, shape, grid, ActivationView::get(emitter.getBuffer(0), dims),
                ActivationView::get(emitter.getBuffer(1), dims), lanes >= 16 ? 14 : 8, *body);
    emitter.finish();
    return success();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createPoolFamily() {
  return withParameters<dnn::MaxPoolOp, dnn::AvgPoolOp>(std::make_unique<PoolFamily>(),
                                                        {{"rows", 1, kMaxTaskSize}});
}
