//===- DepthwiseConv.cpp - convolution of every channel by itself ------------===//
//
// The family "cpu.depthwise_conv": as many groups as input channels and filters, on blocked
// channels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"
#include "Windows.h"

#include "../common/CheckedFamily.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

static WindowShape getShape(const ConvProblem &p) {
  return {p.n,         p.c,        p.h,         p.w,        p.oh,     p.ow,
          p.r,         p.s,        p.strideH,   p.strideW,  p.padTop, p.padLeft,
          p.padBottom, p.padRight, p.dilationH, p.dilationW};
}

/// Output columns held in registers beside the weights of a window row and one input.
static int64_t getWidth(const ConvProblem &p, int64_t lanes) {
  int64_t registers = lanes >= 16 ? 32 : 16;
  return std::min<int64_t>(14, registers - 2 - std::min<int64_t>(p.s, 6));
}

namespace {

class DepthwiseBody : public WindowBody {
public:
  DepthwiseBody(Emitter &emitter, dnn::ConvOp op, const ConvProblem &p)
      : e(emitter), op(op), p(p), filter(e.getBuffer(1)),
        epilogue(e, cast<dnn::EpilogueOpInterface>(op.getOperation()), getExtraBuffers(e, 2),
                 op.getOutputDims().findBlock(DimsAttr::kChannel)) {}

  Value getInitial() override { return e.splat(0); }

  void beginRow(Index cb, Index r) override {
    // Filter: [k vector, (r,) s, 1, lane].
    int64_t rStride = filter.strides[1] * (p.spatialRank == 2);
    Index at = e.mad(cb, filter.strides[0], e.mul(r, rStride));
    weights.clear();
    for (int64_t s = 0; s < p.s; ++s)
      weights.push_back(e.load(filter, e.add(at, s * e.getLanes())));
  }

  Value combine(Value sum, Value element, int64_t s) override {
    return e.fma(element, weights[s], sum);
  }
  Value join(Value a, Value b) override { return e.addf(a, b); }
  void beginTile() override { epilogue.beginBlock(); }

  Value finish(Value sum, const WindowPlace &at) override {
    return epilogue.apply(sum, getBlockedCoordinates(op.getOutputDims(), at.n, at.cb, at.h, at.w));
  }

private:
  Emitter &e;
  dnn::ConvOp op;
  ConvProblem p;
  Buffer filter;
  Epilogue epilogue;
  Vectors weights;
};

class DepthwiseConvFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.depthwise_conv"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainConv(unit, device, /*laneDim=*/1); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device);
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    if (p.groups != p.c || p.c != p.k)
      return list.reject("only one input channel and one filter per group are covered");
    if (p.s > 32)
      return list.reject("windows wider than 32 are not covered");
    Candidate candidate;
    MLIRContext *context = unit.getContext();
    DimsAttr layout = DimsAttr::getBlocked(context, p.spatialRank, lanes, p.c);
    candidate.parameters = makeParameters(
        context, {{"rows", chooseWindowRows(getShape(p), lanes, device.getCores())}});
    candidate.inputLayouts = getInputLayouts(unit, layout, layout);
    candidate.resultLayouts = {layout};
    candidate.flops = p.getExecutedFlops();
    candidate.bytes = p.getBytes();
    candidate.efficiencyPercent = 40;
    candidate.errorPpb = 300;
    list.candidates.push_back(candidate);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    Value input = getUnitOperand(unit, op.getInput());
    Value filter = packFilter(builder, getUnitOperand(unit, op.getFilter()), op.getFilterDims(),
                              /*channelBlock=*/1, getLanes(device));
    SmallVector<Value> inputs = {input, filter};
    llvm::append_range(inputs, getUnitExtras(unit));
    return SmallVector<Value>(builder.dispatch(parameters, inputs,
                                               getUnitOperand(unit, op.getInit()),
                                               /*workerBytes=*/0, getInPlaceExtra(unit, 2)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    WindowShape shape = getShape(ConvProblem::get(cast<dnn::ConvOp>(kernel.getPrimitive())));
    LaunchShape launch;
    launch.grid[0] = WindowGrid(shape, getInt(kernel.getParameters(), "rows"), getLanes(device))
                         .countTasks(shape);
    return launch;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    int64_t lanes = getLanes(device);
    Emitter emitter(kernel, module, lanes);
    auto op = cast<dnn::ConvOp>(kernel.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    WindowShape shape = getShape(p);
    DepthwiseBody body(emitter, op, p);
    emitWindows(
        emitter, shape, WindowGrid(shape, getInt(kernel.getParameters(), "rows"), lanes),
        ActivationView::get(emitter.getBuffer(0), op.getInputDims()),
        ActivationView::get(emitter.getBuffer(emitter.getNumBuffers() - 1), op.getOutputDims()),
        getWidth(p, lanes), body);
    emitter.finish();
    return success();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createDepthwiseConvFamily() {
  return withParameters<dnn::ConvOp>(std::make_unique<DepthwiseConvFamily>(),
                                     {{"rows", 1, kMaxTaskSize}});
}
