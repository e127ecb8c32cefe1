//===- FoldPad.cpp - fold explicit padding ----------------------------------===//
//
// Makes tensor.pad part of the pads of convolution and pooling where the meaning allows it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "udnn/Constants/Evaluate.h"
#include "udnn/Support/Window.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_FOLDPADPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;
using dnn::DimsAttr;

namespace {

/// A tensor.pad with constant, non-negative amounts and a constant value.
struct Padding {
  tensor::PadOp op;
  SmallVector<int64_t> low, high;
  Attribute value;

  bool isZero() const {
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().isZero();
    auto number = dyn_cast<IntegerAttr>(value);
    return number && number.getValue().isZero();
  }
  bool isMinusInfinity() const {
    auto number = dyn_cast<FloatAttr>(value);
    return number && number.getValue().isInfinity() && number.getValue().isNegative();
  }
};

} // namespace

static std::optional<Padding> getPadding(Value value) {
  auto op = value.getDefiningOp<tensor::PadOp>();
  Value element = op ? op.getConstantPaddingValue() : Value();
  if (!element)
    return std::nullopt;
  Padding padding{op, {}, {}, {}};
  if (!matchPattern(element, m_Constant(&padding.value)))
    return std::nullopt;
  for (auto [low, high] : llvm::zip(op.getMixedLowPad(), op.getMixedHighPad())) {
    std::optional<int64_t> before = getConstantIntValue(low), after = getConstantIntValue(high);
    if (!before || !after || *before < 0 || *after < 0)
      return std::nullopt;
    padding.low.push_back(*before);
    padding.high.push_back(*after);
  }
  return padding;
}

/// The pads of a window operation that reads `padding`'s source directly; nothing when batch or
/// channels are padded.
static std::optional<SmallVector<int64_t>> addPads(const Padding &padding, DimsAttr dims,
                                                   ArrayRef<int64_t> pads) {
  SmallVector<int64_t> sum = llvm::to_vector(pads);
  int64_t spatialRank = dims.getSpatialRank();
  for (auto [role, low, high] : llvm::zip(dims.getRoles(), padding.low, padding.high)) {
    if (role < 0 && (low || high))
      return std::nullopt;
    if (role < 0)
      continue;
    sum[role] += low;
    sum[spatialRank + role] += high;
  }
  if (llvm::any_of(sum, [](int64_t pad) { return pad > kMaxWindowSize; }))
    return std::nullopt;
  return sum;
}

static bool isPositive(ArrayRef<int64_t> values) {
  return llvm::any_of(values, [](int64_t value) { return value != 0; });
}

static void emitFolded(Operation *op) {
  report(op->getLoc(), "dnn-fold-pad", "fold",
         "padding folded into " + op->getName().getStringRef());
}

static void foldIntoConv(dnn::ConvOp op) {
  std::optional<Padding> padding = getPadding(op.getInput());
  if (!padding || !padding->isZero() || !op.getInputDims().isPlain())
    return;
  if (auto pads = addPads(*padding, op.getInputDims(), op.getPads())) {
    op.setPads(*pads);
    op.getInputMutable().assign(padding->op.getSource());
    emitFolded(op);
  }
}

/// Zeros count in an average only when padding does. An operation without own padding that does
/// not count any sees the explicit zeros as input, so that it may start counting.
static void foldIntoAvgPool(dnn::AvgPoolOp op) {
  std::optional<Padding> padding = getPadding(op.getInput());
  if (!padding || !padding->isZero() || !op.getDims().isPlain() ||
      (!op.getCountIncludePad() && isPositive(op.getPads())))
    return;
  if (auto pads = addPads(*padding, op.getDims(), op.getPads())) {
    op.setPads(*pads);
    op.setCountIncludePad(true);
    op.getInputMutable().assign(padding->op.getSource());
    emitFolded(op);
  }
}

/// Positions in the padding never win against minus infinity. Indices would count them.
static void foldIntoMaxPool(dnn::MaxPoolOp op) {
  std::optional<Padding> padding = getPadding(op.getInput());
  if (!padding || !padding->isMinusInfinity() || !op.getDims().isPlain() || op.getIndicesInit())
    return;
  if (auto pads = addPads(*padding, op.getDims(), op.getPads())) {
    for (auto [pad, window] :
         llvm::zip(ArrayRef(*pads).take_front(op.getWindow().size()), op.getWindow()))
      if (pad >= window) // A window of nothing but padding has no maximum.
        return;
    op.setPads(*pads);
    op.getInputMutable().assign(padding->op.getSource());
    emitFolded(op);
  }
}

/// The padded tensor as one operation on its elements: the source inside, the value outside. Around
/// a source without elements there is only the value.
static Value lowerPad(OpBuilder &builder, const Padding &padding) {
  tensor::PadOp op = padding.op;
  Location loc = op.getLoc();
  RankedTensorType type = op.getResultType();
  RankedTensorType sourceType = op.getSourceType();
  Value source = op.getSource();
  return createElementwise(
      builder, loc, type, {}, {}, [&](OpBuilder &b, Location l, ValueRange) -> Value {
        if (sourceType.getNumElements() == 0)
          return arith::ConstantOp::create(b, l, cast<TypedAttr>(padding.value));
        auto index = [&](int64_t i) -> Value { return arith::ConstantIndexOp::create(b, l, i); };
        Value inside = arith::ConstantIntOp::create(b, l, 1, 1);
        SmallVector<Value> position;
        for (int64_t d = 0; d < type.getRank(); ++d) {
          Value i = linalg::IndexOp::create(b, l, d);
          if (padding.low[d] || padding.high[d]) {
            i = arith::SubIOp::create(b, l, i, index(padding.low[d]));
            // One unsigned comparison covers both ends.
            Value ok = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult, i,
                                             index(sourceType.getDimSize(d)));
            inside = arith::AndIOp::create(b, l, inside, ok);
            i = arith::MaxSIOp::create(b, l, i, index(0));
            i = arith::MinSIOp::create(b, l, i, index(sourceType.getDimSize(d) - 1));
          }
          position.push_back(i);
        }
        Value element = tensor::ExtractOp::create(b, l, source, position);
        Value value = arith::ConstantOp::create(b, l, cast<TypedAttr>(padding.value));
        return arith::SelectOp::create(b, l, inside, element, value);
      });
}

namespace {

struct FoldPadPass : public udnn::impl::FoldPadPassBase<FoldPadPass> {
  using FoldPadPassBase::FoldPadPassBase;

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto conv = dyn_cast<dnn::ConvOp>(op))
        foldIntoConv(conv);
      else if (auto pool = dyn_cast<dnn::AvgPoolOp>(op))
        foldIntoAvgPool(pool);
      else if (auto pool = dyn_cast<dnn::MaxPoolOp>(op))
        foldIntoMaxPool(pool);
    });
    SmallVector<tensor::PadOp> rest;
    getOperation().walk([&](tensor::PadOp op) { rest.push_back(op); });
    OpBuilder builder(&getContext());
    for (tensor::PadOp op : rest) {
      std::optional<Padding> padding = getPadding(op.getResult());
      if (!op->use_empty()) {
        if (!padding || !op.getResultType().hasStaticShape())
          continue;
        builder.setInsertionPoint(op);
        op.getResult().replaceAllUsesWith(lowerPad(builder, *padding));
        report(op.getLoc(), "dnn-fold-pad", "lower", "padding is an operation of its own");
      }
      op->erase();
    }
  }
};

} // namespace
