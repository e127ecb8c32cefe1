//===- Lrn.cpp - local response normalization --------------------------------===//
//
// The family "cpu.lrn": across blocked channels. Neighbouring channels come from shuffles of a
// pixel's vector with those of the blocks before and after it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"
#include "Windows.h"

#include "../common/CheckedFamily.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

/// The sizes as windows of one element.
static WindowShape getShape(dnn::LRNOp op) {
  DimsAttr dims = op.getDims();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
  int64_t rank = dims.getSpatialRank();
  WindowShape p{};
  p.n = dims.getLogicalSize(DimsAttr::kBatch, shape);
  p.c = dims.getLogicalSize(DimsAttr::kChannel, shape);
  p.h = p.oh = rank == 1 ? 1 : dims.getLogicalSize(0, shape);
  p.w = p.ow = dims.getLogicalSize(rank - 1, shape);
  p.r = p.s = 1;
  return p;
}

namespace {

class LrnEmitter {
public:
  LrnEmitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
      : e(kernel, module, lanes), op(cast<dnn::LRNOp>(kernel.getPrimitive())), p(getShape(op)),
        grid(p, getInt(kernel.getParameters(), "rows"), lanes), lanes(lanes),
        input(ActivationView::get(e.getBuffer(0), op.getDims())),
        output(ActivationView::get(e.getBuffer(1), op.getDims())) {}

  void emit();

private:
  Value loadSquares(Index at, Index cb, Value exists);
  Value sumNeighbours(Value before, Value here, Value after);
  Value normalize(Value x, Value sum);

  Emitter e;
  dnn::LRNOp op;
  WindowShape p;
  WindowGrid grid;
  int64_t lanes;
  ActivationView input, output;
};

} // namespace

/// Squares of a block's channels at a pixel; zero beyond the logical channels, and where the block
/// does not exist.
Value LrnEmitter::loadSquares(Index at, Index cb, Value exists) {
  Value x = e.load(input.buffer, at);
  if (p.c % lanes)
    x = e.select(e.mask(e.sub(p.c, e.mul(cb, lanes))), x, e.splat(0));
  Value squares = e.mulf(x, x);
  return exists ? e.select(exists, squares, e.splat(0)) : squares;
}

/// Sums over the window of channels, for every channel of the block `here`.
Value LrnEmitter::sumNeighbours(Value before, Value here, Value after) {
  int64_t size = op.getSize(), lo = (size - 1) / 2, hi = size / 2;
  Value sum = here;
  for (int64_t offset = -lo; offset <= hi; ++offset) {
    if (offset == 0)
      continue;
    SmallVector<int64_t> picks;
    for (int64_t lane = 0; lane < lanes; ++lane)
      picks.push_back(offset < 0 ? lanes + lane + offset : lane + offset);
    Value shifted = vector::ShuffleOp::create(
        e.getBuilder(), e.getLoc(), offset < 0 ? before : here, offset < 0 ? here : after, picks);
    sum = e.addf(sum, shifted);
  }
  return sum;
}

Value LrnEmitter::normalize(Value x, Value sum) {
  double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
  double bias = op.getBias().convertToDouble();
  Value base = e.fma(sum, e.splat(alpha / op.getSize()), e.splat(bias));
  auto root = [&](Value value) -> Value {
    return math::SqrtOp::create(e.getBuilder(), e.getLoc(), value);
  };
  Value power = base;
  if (beta == 0.5)
    power = root(base);
  else if (beta == 0.75)
    power = e.mulf(root(base), root(root(base)));
  return arith::DivFOp::create(e.getBuilder(), e.getLoc(), x, power);
}

void LrnEmitter::emit() {
  Index piece = grid.pieces == 1 ? Index(0) : e.rem(e.getTask(), grid.pieces);
  Index rest = e.div(e.getTask(), grid.pieces);
  Index cb = e.rem(rest, grid.vectors);
  Index n = p.n == 1 ? Index(0) : e.div(rest, grid.vectors);
  Index lo = e.mul(piece, grid.rows), hi = e.min(e.add(lo, grid.rows), p.oh);
  Value hasBefore = e.compare(arith::CmpIPredicate::sgt, cb, 0);
  Value hasAfter = e.compare(arith::CmpIPredicate::slt, cb, grid.vectors - 1);
  Index before = e.max(e.sub(cb, 1), 0), after = e.min(e.add(cb, 1), grid.vectors - 1);
  Index inputImage = e.mul(n, input.n);
  Index outputImage = e.mad(n, output.n, e.mul(cb, output.c));
  e.loop(lo, hi, 1, [&](Index h) {
    e.loop(0, p.w, 1, [&](Index w) {
      Index pixel = e.mad(h, input.h, e.mad(w, input.w, inputImage));
      Index here = e.mad(cb, input.c, pixel);
      Value sum = sumNeighbours(loadSquares(e.mad(before, input.c, pixel), before, hasBefore),
                                loadSquares(here, cb, nullptr),
                                loadSquares(e.mad(after, input.c, pixel), after, hasAfter));
      e.store(normalize(e.load(input.buffer, here), sum), output.buffer,
              e.mad(h, output.h, e.mad(w, output.w, outputImage)));
    });
  });
  e.finish();
}

static std::string explainLrn(dnn::UnitOp unit, int64_t lanes) {
  auto op = dyn_cast_or_null<dnn::LRNOp>(unit.getPrimitive());
  if (!op)
    return "the unit is not a local response normalization";
  if (!cast<RankedTensorType>(op.getResult().getType()).getElementType().isF32())
    return "only f32 is covered";
  int64_t rank = op.getDims().getSpatialRank();
  if (rank < 1 || rank > 2 || op.getDims() != DimsAttr::getActivation(op.getContext(), rank))
    return "only dimensions [n, c, ...] with one or two spatial ones are covered";
  double beta = op.getBeta().convertToDouble();
  if (beta != 0.5 && beta != 0.75 && beta != 1)
    return "only the exponents 0.5, 0.75 and 1 are covered";
  if (lanes < 8 || op.getSize() > lanes)
    return "the window of channels is larger than a vector";
  if (std::string why = explainOperands(op); !why.empty())
    return why;
  return {};
}

namespace {

class LrnFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.lrn"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    int64_t lanes = getLanes(device);
    if (std::string why = explainLrn(unit, lanes); !why.empty())
      return list.reject(why);
    auto op = cast<dnn::LRNOp>(unit.getPrimitive());
    WindowShape p = getShape(op);
    MLIRContext *context = unit.getContext();
    DimsAttr layout = DimsAttr::getBlocked(context, op.getDims().getSpatialRank(), lanes, p.c);
    Candidate candidate;
    candidate.parameters =
        makeParameters(context, {{"rows", chooseWindowRows(p, lanes, device.getCores())}});
    candidate.inputLayouts = getInputLayouts(unit, layout, layout);
    candidate.resultLayouts = {layout};
    candidate.flops = p.n * p.c * p.h * p.w * (op.getSize() + 10);
    candidate.bytes = 8 * p.n * p.c * p.h * p.w;
    candidate.efficiencyPercent = 15;
    candidate.errorPpb = 300;
    list.candidates.push_back(candidate);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::LRNOp>(unit.getPrimitive());
    return SmallVector<Value>(builder.dispatch(parameters, getUnitOperand(unit, op.getInput()),
                                               getUnitOperand(unit, op.getInit())));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    WindowShape p = getShape(cast<dnn::LRNOp>(kernel.getPrimitive()));
    LaunchShape launch;
    launch.grid[0] =
        WindowGrid(p, getInt(kernel.getParameters(), "rows"), getLanes(device)).countTasks(p);
    return launch;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    LrnEmitter(kernel, module, getLanes(device)).emit();
    return success();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createLrnFamily() {
  return withParameters<dnn::LRNOp>(std::make_unique<LrnFamily>(), {{"rows", 1, kMaxTaskSize}});
}
