//===- RowNorm.cpp - softmax and normalization of rows ------------------------===//
//
// The family "cpu.row_norm": softmax, log-softmax, layer and instance normalization along rows of
// neighbouring elements. A row is read two or three times while it is in the cache.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConvProblem.h"
#include "CpuFamilies.h"

#include "../common/CheckedFamily.h"
#include "../common/UnitOperands.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

/// Vectors that are combined side by side to hide the latency of additions and comparisons; what
/// computes exponentials in between needs its registers for their constants.
static constexpr int64_t kChains = 4;

namespace {

/// `rows` rows of `length` elements each, one behind the other.
struct RowShape {
  int64_t rows, length;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is covered
//===----------------------------------------------------------------------===//

/// The first dimension of the rows; nullopt when `op` does not normalize rows.
static std::optional<int64_t> getRowDimension(Operation *op) {
  auto ofSoftmax = [](auto softmax) -> std::optional<int64_t> {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(softmax.getInput().getType()).getShape();
    int64_t dimension = softmax.getDimension();
    bool isInnermost =
        llvm::all_of(shape.drop_front(dimension + 1), [](int64_t size) { return size == 1; });
    return isInnermost ? std::optional(dimension) : std::nullopt;
  };
  if (auto softmax = dyn_cast_or_null<dnn::SoftmaxOp>(op))
    return ofSoftmax(softmax);
  if (auto softmax = dyn_cast_or_null<dnn::LogSoftmaxOp>(op))
    return ofSoftmax(softmax);
  if (auto norm = dyn_cast_or_null<dnn::LayerNormOp>(op))
    return norm.getDimension();
  auto norm = dyn_cast_or_null<dnn::InstanceNormOp>(op);
  DimsAttr plain =
      norm ? DimsAttr::getActivation(op->getContext(), norm.getDims().getSpatialRank()) : nullptr;
  return norm && norm.getDims() == plain ? std::optional<int64_t>(2) : std::nullopt;
}

/// The sizes of what `op`, which normalizes rows, reads.
static RowShape getRowShape(Operation *op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  int64_t dimension = *getRowDimension(op);
  return {ShapedType::getNumElements(shape.take_front(dimension)),
          ShapedType::getNumElements(shape.drop_front(dimension))};
}

/// Why the operands of a layer normalization are not those of the family; empty when they are.
static std::string explainLayerNorm(dnn::LayerNormOp op) {
  if (op.getResults().size() > 1)
    return "mean and deviation as results are not covered";
  int64_t length = getRowShape(op).length;
  for (Value operand : {op.getScale(), op.getBias()})
    if (operand && cast<RankedTensorType>(operand.getType()).getNumElements() != length)
      return "only scale and bias of the size of a row are covered";
  return {};
}

/// Why the family cannot run `op` on any device; empty when it can.
static std::string explainRowOp(Operation *op) {
  if (!getRowDimension(op))
    return "the unit is not a softmax or normalization along the innermost dimensions";
  if (std::string why = explainOperands(op); !why.empty())
    return why;
  for (Type type : op->getOperandTypes())
    if (!cast<RankedTensorType>(type).getElementType().isF32())
      return "only f32 is covered";
  auto norm = dyn_cast<dnn::LayerNormOp>(op);
  return norm ? explainLayerNorm(norm) : std::string();
}

/// Why the family cannot run the unit; empty when it can.
static std::string explainRows(dnn::UnitOp unit, dnn::DeviceAttr device) {
  Operation *op = unit.getPrimitive();
  if (std::string why = explainRowOp(op); !why.empty())
    return why;
  if (std::string why = explainLanes(device); !why.empty())
    return why;
  if (getRowShape(op).length < getLanes(device))
    return "the rows are shorter than a vector";
  return {};
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

/// A vector of a row: its number of elements from the row's start, and the lanes inside the row
/// (null: all).
struct Chunk {
  Index offset;
  Value mask;
};

class RowEmitter {
public:
  RowEmitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
      : e(kernel, module, lanes), op(kernel.getPrimitive()), p(getRowShape(op)),
        rowsPerTask(getInt(kernel.getParameters(), "rows")), lanes(lanes), input(e.getBuffer(0)),
        output(e.getBuffer(e.getNumBuffers() - 1)) {}

  void emit();

private:
  using Combine = function_ref<Value(Value accumulator, Chunk chunk)>;
  using Join = function_ref<Value(Value, Value)>;

  Value load(const Buffer &buffer, Index row, Chunk chunk);
  void store(Value vector, Index row, Chunk chunk);
  Value reduce(double initial, int64_t numChains, Combine combine, Join join);
  Value sum(int64_t numChains, Combine combine);
  void map(function_ref<void(Chunk)> body);

  Value getMaximum(Index row);
  void emitSoftmax(Index row);
  void emitLogSoftmax(Index row);
  void emitMoments(Index row, double epsilon, function_ref<Value(Value, Chunk)> scaleAndShift);
  void emitLayerNorm(dnn::LayerNormOp norm, Index row);
  void emitInstanceNorm(dnn::InstanceNormOp norm, Index row);

  Value exp(Value a) { return math::ExpOp::create(e.getBuilder(), e.getLoc(), a); }
  Value divide(Value a, Value b) { return arith::DivFOp::create(e.getBuilder(), e.getLoc(), a, b); }

  Emitter e;
  Operation *op;
  RowShape p;
  int64_t rowsPerTask, lanes;
  Buffer input, output;
};

} // namespace

/// `row` is where the row starts in `buffer`.
Value RowEmitter::load(const Buffer &buffer, Index row, Chunk chunk) {
  Index at = e.add(row, chunk.offset);
  return chunk.mask ? e.load(buffer, at, chunk.mask) : e.load(buffer, at);
}

void RowEmitter::store(Value vector, Index row, Chunk chunk) {
  Index at = e.add(row, chunk.offset);
  if (chunk.mask)
    e.store(vector, output, at, chunk.mask);
  else
    e.store(vector, output, at);
}

/// Combines all chunks of a row in `numChains` chains, then these and their lanes by `join`; the
/// result is in all lanes.
Value RowEmitter::reduce(double initial, int64_t numChains, Combine combine, Join join) {
  int64_t step = numChains * lanes, whole = p.length / step * step;
  Values chains =
      e.loop(0, whole, step, Values(numChains, e.splat(initial)), [&](Index at, Values carried) {
        for (int64_t i = 0; i < numChains; ++i)
          carried[i] = combine(carried[i], {e.add(at, i * lanes), nullptr});
        return carried;
      });
  for (int64_t i = 0, at = whole; at < p.length; ++i, at += lanes) {
    Value mask = at + lanes > p.length ? e.mask(p.length - at) : nullptr;
    Value &chain = chains[i % numChains];
    Value combined = combine(chain, {at, mask});
    chain = mask ? e.select(mask, combined, chain) : combined;
  }
  Value joined = chains[0];
  for (Value chain : ArrayRef(chains).drop_front())
    joined = join(joined, chain);
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> others;
    for (int64_t lane = 0; lane < lanes; ++lane)
      others.push_back(lane ^ distance);
    joined =
        join(joined, vector::ShuffleOp::create(e.getBuilder(), e.getLoc(), joined, joined, others));
  }
  return joined;
}

Value RowEmitter::sum(int64_t numChains, Combine combine) {
  return reduce(0, numChains, combine, [&](Value a, Value b) { return e.addf(a, b); });
}

void RowEmitter::map(function_ref<void(Chunk)> body) {
  int64_t whole = p.length / lanes * lanes;
  e.loop(0, whole, lanes, [&](Index at) { body({at, nullptr}); });
  if (whole < p.length)
    body({whole, e.mask(p.length - whole)});
}

/// The largest element; any number when one is NaN, which then makes the sum NaN.
Value RowEmitter::getMaximum(Index row) {
  auto join = [&](Value a, Value b) { return e.maxKeepingNaN(a, b); };
  return reduce(
      -std::numeric_limits<double>::infinity(), kChains,
      [&](Value largest, Chunk chunk) { return join(load(input, row, chunk), largest); }, join);
}

/// The exponentials lie in the result until their sum is known.
void RowEmitter::emitSoftmax(Index row) {
  Value maximum = getMaximum(row);
  Value total = sum(1, [&](Value partial, Chunk chunk) {
    Value power = exp(e.subf(load(input, row, chunk), maximum));
    store(power, row, chunk);
    return e.addf(partial, power);
  });
  Value factor = divide(e.splat(1), total);
  map([&](Chunk chunk) { store(e.mulf(load(output, row, chunk), factor), row, chunk); });
}

void RowEmitter::emitLogSoftmax(Index row) {
  Value maximum = getMaximum(row);
  Value total = sum(1, [&](Value partial, Chunk chunk) {
    return e.addf(partial, exp(e.subf(load(input, row, chunk), maximum)));
  });
  Value logarithm = math::LogOp::create(e.getBuilder(), e.getLoc(), total);
  map([&](Chunk chunk) {
    store(e.subf(e.subf(load(input, row, chunk), maximum), logarithm), row, chunk);
  });
}

/// `scaleAndShift` finishes elements of mean 0 and variance 1.
void RowEmitter::emitMoments(Index row, double epsilon,
                             function_ref<Value(Value, Chunk)> scaleAndShift) {
  Value count = e.splat(p.length);
  Value total = sum(kChains, [&](Value partial, Chunk chunk) {
    return e.addf(partial, load(input, row, chunk));
  });
  Value mean = divide(total, count);
  Value squares = sum(kChains, [&](Value partial, Chunk chunk) {
    Value centered = e.subf(load(input, row, chunk), mean);
    return e.fma(centered, centered, partial);
  });
  Value variance = e.addf(divide(squares, count), e.splat(epsilon));
  Value deviation = math::SqrtOp::create(e.getBuilder(), e.getLoc(), variance);
  Value inverse = divide(e.splat(1), deviation);
  map([&](Chunk chunk) {
    Value normalized = e.mulf(e.subf(load(input, row, chunk), mean), inverse);
    store(scaleAndShift(normalized, chunk), row, chunk);
  });
}

void RowEmitter::emitLayerNorm(dnn::LayerNormOp norm, Index row) {
  emitMoments(row, norm.getEpsilon().convertToDouble(), [&](Value normalized, Chunk chunk) {
    Value scale = load(e.getBuffer(1), 0, chunk);
    if (!norm.getBias())
      return e.mulf(normalized, scale);
    return e.fma(normalized, scale, load(e.getBuffer(2), 0, chunk));
  });
}

void RowEmitter::emitInstanceNorm(dnn::InstanceNormOp norm, Index row) {
  int64_t channels = cast<ShapedType>(norm.getScale().getType()).getNumElements();
  Index channel = e.rem(e.div(row, p.length), channels);
  Value scale = e.broadcast(e.getBuffer(1), channel), bias = e.broadcast(e.getBuffer(2), channel);
  emitMoments(row, norm.getEpsilon().convertToDouble(),
              [&](Value normalized, Chunk) { return e.fma(normalized, scale, bias); });
}

void RowEmitter::emit() {
  Index first = e.mul(e.getTask(), rowsPerTask);
  e.loop(first, e.min(e.add(first, rowsPerTask), p.rows), 1, [&](Index number) {
    Index row = e.mul(number, p.length);
    if (auto norm = dyn_cast<dnn::LayerNormOp>(op))
      emitLayerNorm(norm, row);
    else if (auto norm = dyn_cast<dnn::InstanceNormOp>(op))
      emitInstanceNorm(norm, row);
    else if (isa<dnn::LogSoftmaxOp>(op))
      emitLogSoftmax(row);
    else
      emitSoftmax(row);
  });
  e.finish();
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

/// Enough rows for a task to be worth its overhead, few enough to give each core some.
static int64_t chooseRows(RowShape p, int64_t cores) {
  constexpr int64_t kTaskElements = 4096, kTasksPerCore = 8;
  return std::max(llvm::divideCeilSigned(kTaskElements, p.length),
                  llvm::divideCeilSigned(p.rows, kTasksPerCore * cores));
}

namespace {

class RowNormFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.row_norm"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainRows(unit, device); !why.empty())
      return list.reject(why);
    RowShape p = getRowShape(unit.getPrimitive());
    bool isSoftmax = isa<dnn::SoftmaxOp, dnn::LogSoftmaxOp>(unit.getPrimitive());
    Candidate candidate;
    candidate.parameters =
        makeParameters(unit.getContext(), {{"rows", chooseRows(p, device.getCores())}});
    candidate.inputLayouts.resize(unit.getInputs().size());
    candidate.resultLayouts.resize(1);
    candidate.flops = p.rows * p.length * (isSoftmax ? 20 : 8);
    candidate.bytes = 8 * p.rows * p.length;
    candidate.efficiencyPercent = 30;
    candidate.errorPpb = 300;
    list.candidates.push_back(candidate);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<DestinationStyleOpInterface>(unit.getPrimitive());
    SmallVector<Value> inputs;
    for (OpOperand *operand : op.getDpsInputOperands())
      inputs.push_back(getUnitOperand(unit, operand->get()));
    // A row is read before it is written; scale and bias are read all the time.
    int64_t inPlace = llvm::count(inputs, inputs[0]) == 1 ? 0 : -1;
    return SmallVector<Value>(builder.dispatch(parameters, inputs,
                                               getUnitOperand(unit, op.getDpsInits()[0]),
                                               /*workerBytes=*/0, inPlace));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    LaunchShape launch;
    launch.grid[0] = llvm::divideCeilSigned(getRowShape(kernel.getPrimitive()).rows,
                                            getInt(kernel.getParameters(), "rows"));
    return launch;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    RowEmitter(kernel, module, getLanes(device)).emit();
    return success();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createRowNormFamily() {
  return withParameters(std::make_unique<RowNormFamily>(), {{"rows", 1, kMaxTaskSize}},
                        [](Operation *op) { return explainRowOp(op).empty(); });
}
