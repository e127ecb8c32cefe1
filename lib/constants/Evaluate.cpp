//===- Evaluate.cpp - evaluation of values ----------------------------------===//
//
// Walks from a value to the constants it depends on and evaluates what lies between.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Constants/Evaluate.h"

#include "Operations.h"

#include "udnn/Dialect/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace udnn {

std::optional<SmallVector<Value>> getEvaluationOperands(Operation *op) {
  bool isDestinationStyle = isa<linalg::PackOp, linalg::UnPackOp, dnn::WinogradFilterOp>(op);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!isDestinationStyle && !linalgOp &&
      !isa_and_nonnull<tensor::TensorDialect, arith::ArithDialect, math::MathDialect>(
          op->getDialect()))
    return std::nullopt;
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return SmallVector<Value>{dim.getIndex()};
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    return SmallVector<Value>{reshape.getSource()};
  SmallVector<Value> values;
  for (OpOperand &operand : op->getOpOperands()) {
    if (linalgOp && !linalgOp.payloadUsesValueFromOperand(&operand))
      continue;
    if (isDestinationStyle && operand.getOperandNumber() == 1) // The init.
      continue;
    values.push_back(operand.get());
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  values.append(captured.begin(), captured.end());
  return values;
}

/// What is computed from a few constants is computed when the program runs if it is larger than
/// this and than `kMaxGrowth` times those constants: the artifact would hold it instead.
static constexpr int64_t kSmallBytes = int64_t(64) << 20;
/// Winograd filters have four times the bytes, and channels are filled up to whole blocks.
static constexpr int64_t kMaxGrowth = 8;

static int64_t getTensorBytes(RankedTensorType type) {
  return getStorageBytes(type).value_or(kMaxConstantBytes);
}

/// Bytes that an attribute stores.
static int64_t getStoredBytes(ElementsAttr attr) {
  auto type = dyn_cast<RankedTensorType>(attr.getShapedType());
  if (!type)
    return 0;
  return isa<SplatElementsAttr>(attr) ? getElementBytes(type.getElementType())
                                      : getTensorBytes(type);
}

/// True when a result is larger than `limitBytes`.
static bool isTooLarge(Operation *op, int64_t limitBytes) {
  return llvm::any_of(op->getResultTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && isLargerThan(tensor, limitBytes);
  });
}

/// A constant operation's attribute as elements; scalars become tensors of rank 0.
static ElementsAttr getElements(Attribute value) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return elements;
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || !getElementBytes(typed.getType()))
    return nullptr;
  return DenseElementsAttr::get(RankedTensorType::get({}, typed.getType()), value);
}

/// What the results of operations that repeat or move elements are made of; null for others.
static Value getElementSource(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.value();
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getInput();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, tensor::ReshapeOp,
          tensor::ExtractSliceOp, linalg::TransposeOp, linalg::BroadcastOp>(op))
    return op->getOperand(0);
  return Value();
}

/// A value that is the same everywhere needs no bytes: it stays a splat.
static ElementsAttr getSplat(Operation *op, llvm::function_ref<ElementsAttr(Value)> attr) {
  Value source = op->getNumResults() == 1 ? getElementSource(op) : Value();
  auto type = source ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
  if (!type || !type.hasStaticShape() ||
      getElementTypeOrSelf(source.getType()) != type.getElementType())
    return nullptr;
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attr(source));
  if (!elements || !elements.isSplat())
    return nullptr;
  return DenseElementsAttr::get(type, elements.getSplatValue<Attribute>());
}

int64_t ConstantEvaluator::getSourceBytes(Operation *op) {
  // Packed weights replace those that were there, be they stored as one value or not.
  if (isa<linalg::PackOp, linalg::UnPackOp, dnn::WinogradFilterOp>(op))
    if (auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType()))
      return std::min(getTensorBytes(type), kMaxConstantBytes);
  std::optional<SmallVector<Value>> operands = getEvaluationOperands(op);
  int64_t bytes = 0;
  for (Value operand : *operands)
    bytes = std::min(bytes + compute(operand).sourceBytes, kMaxConstantBytes);
  return bytes;
}

/// Notes what the results of `op` depend on, which is no more than what they hold.
void ConstantEvaluator::setSourceBytes(Operation *op, int64_t bytes) {
  for (Value result : op->getResults()) {
    Entry &entry = known[result];
    auto type = dyn_cast<RankedTensorType>(result.getType());
    int64_t own = entry.attr ? getStoredBytes(entry.attr) : type ? getTensorBytes(type) : 8;
    entry.sourceBytes = std::min(own, bytes);
  }
}

void ConstantEvaluator::computeOp(Operation *op) {
  for (Value result : op->getResults())
    known.try_emplace(result);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    ElementsAttr attr = getElements(constant.getValue());
    known[constant.getResult()].attr = attr;
    known[constant.getResult()].sourceBytes = attr ? getStoredBytes(attr) : 0;
    return;
  }
  int64_t sourceBytes = getSourceBytes(op);
  computeResults(op, std::max(kSmallBytes, sourceBytes * kMaxGrowth));
  setSourceBytes(op, sourceBytes);
}

void ConstantEvaluator::computeResults(Operation *op, int64_t growthLimit) {
  // A splat takes no memory before it is asked for its bytes.
  int64_t limit = limitBytes > 0 ? std::min(limitBytes, kMaxConstantBytes) : kMaxConstantBytes;
  auto operand = [&](Value value) -> FailureOr<ConstantBytes> {
    auto splat = dyn_cast_or_null<SplatElementsAttr>(compute(value).attr);
    auto type = splat ? dyn_cast<RankedTensorType>(splat.getType()) : RankedTensorType();
    if (type && isLargerThan(type, std::min(limit, growthLimit)))
      return failure();
    return evaluateBytes(value);
  };
  if (isTooLarge(op, limit))
    return;
  auto getKnown = [&](Value value) {
    return isa<ShapedType>(value.getType()) ? compute(value).attr : evaluate(value);
  };
  if (ElementsAttr splat = getSplat(op, getKnown)) {
    known[op->getResult(0)].attr = splat;
    return;
  }
  if (isTooLarge(op, growthLimit))
    return;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    FailureOr<SmallVector<ConstantBytes>> results = evaluateLinalg(linalgOp, operand);
    if (succeeded(results) && results->size() == op->getNumResults())
      for (auto [value, bytes] : llvm::zip(op->getResults(), *results))
        known[value].bytes = bytes;
    return;
  }
  FailureOr<ConstantBytes> bytes = failure();
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    bytes = evaluatePack(pack, operand);
  else if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    bytes = evaluateUnpack(unpack, operand);
  else if (auto winograd = dyn_cast<dnn::WinogradFilterOp>(op))
    bytes = evaluateWinogradFilter(winograd, operand);
  else if (isa<tensor::TensorDialect>(op->getDialect()))
    bytes = evaluateTensor(op, operand);
  else
    bytes = evaluateElementwise(op, operand);
  if (succeeded(bytes) && op->getNumResults() == 1)
    known[op->getResult(0)].bytes = *bytes;
}

ConstantEvaluator::Entry &ConstantEvaluator::compute(Value value) {
  // Chains may be long, so the walk keeps its own stack. An operation is met twice: before its
  // dependencies, and after them.
  SmallVector<std::pair<Value, bool>> stack{{value, false}};
  while (!stack.empty()) {
    auto [current, ready] = stack.pop_back_val();
    if (known.contains(current))
      continue;
    Operation *op = current.getDefiningOp();
    std::optional<SmallVector<Value>> covered;
    if (op)
      covered = getEvaluationOperands(op);
    if (!covered) {
      known.try_emplace(current);
      continue;
    }
    SmallVector<Value> &dependencies = *covered;
    auto isUnknown = [&](Value v) { return !known.contains(v); };
    auto isVariable = [&](Value v) {
      auto it = known.find(v);
      return it != known.end() && !it->second.isConstant();
    };
    if (llvm::any_of(dependencies, isVariable)) {
      for (Value result : op->getResults())
        known.try_emplace(result);
      continue;
    }
    if (llvm::none_of(dependencies, isUnknown)) {
      computeOp(op);
      continue;
    }
    if (ready) { // A cycle in a graph region.
      known.try_emplace(current);
      continue;
    }
    stack.push_back({current, true});
    // One at a time would find a variable sooner; all at once keeps the stack short.
    for (Value dependency : llvm::reverse(dependencies))
      if (isUnknown(dependency))
        stack.push_back({dependency, false});
  }
  return known[value];
}

FailureOr<ConstantBytes> ConstantEvaluator::evaluateBytes(Value value) {
  Entry &entry = compute(value);
  if (!entry.bytes.type && entry.attr) {
    FailureOr<ConstantBytes> bytes = getConstantBytes(entry.attr);
    if (failed(bytes))
      return failure();
    entry.bytes = *bytes;
  }
  if (!entry.bytes.type)
    return failure();
  return entry.bytes;
}

ElementsAttr ConstantEvaluator::evaluate(Value value) {
  Entry &entry = compute(value);
  if (entry.attr || !entry.bytes.type)
    return entry.attr;
  bool owned = entry.bytes.storage && entry.bytes.storage.use_count() == 1 &&
               entry.bytes.data.data() == entry.bytes.storage->data() &&
               entry.bytes.data.size() == entry.bytes.storage->size();
  // The attribute takes the bytes over where nobody else holds them.
  entry.attr = makeConstant(entry.bytes.type, owned ? std::move(*entry.bytes.storage)
                                                    : std::vector<char>(entry.bytes.data.begin(),
                                                                        entry.bytes.data.end()));
  entry.bytes = {};
  return entry.attr;
}

} // namespace udnn
