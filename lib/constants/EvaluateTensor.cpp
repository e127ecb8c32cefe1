//===- EvaluateTensor.cpp - operations of the tensor dialect ----------------===//
//
// Reshapes share their operand's bytes; everything else is strided copies.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LaneProgram.h"
#include "Operations.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace udnn {

using Result = FailureOr<ConstantBytes>;

/// The integers that static values and constant operands stand for.
static FailureOr<SmallVector<int64_t>> getIntegers(ArrayRef<OpFoldResult> values,
                                                   OperandFn operand) {
  SmallVector<int64_t> integers;
  for (OpFoldResult value : values) {
    if (auto attr = dyn_cast<Attribute>(value)) {
      integers.push_back(cast<IntegerAttr>(attr).getInt());
      continue;
    }
    Result bytes = operand(cast<Value>(value));
    if (failed(bytes) || bytes->data.size() != sizeof(int64_t))
      return failure();
    std::memcpy(&integers.emplace_back(), bytes->data.data(), sizeof(int64_t));
  }
  return integers;
}

/// The same bytes as another type of equally many elements.
static Result reshape(Value source, Type type, OperandFn operand) {
  Result bytes = operand(source);
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (failed(bytes) || !ranked || !ranked.hasStaticShape() ||
      ranked.getNumElements() != bytes->type.getNumElements())
    return failure();
  bytes->type = ranked;
  return bytes;
}

/// A strided window into a tensor of `shape`.
struct Window {
  int64_t offset = 0;
  SmallVector<int64_t> strides, sizes;
};

/// The window that a slicing operation names; fails when it is not constant or not inside.
static FailureOr<Window> getWindow(OffsetSizeAndStrideOpInterface op, ArrayRef<int64_t> shape,
                                   OperandFn operand) {
  FailureOr<SmallVector<int64_t>> offsets = getIntegers(op.getMixedOffsets(), operand);
  FailureOr<SmallVector<int64_t>> sizes = getIntegers(op.getMixedSizes(), operand);
  FailureOr<SmallVector<int64_t>> steps = getIntegers(op.getMixedStrides(), operand);
  if (failed(offsets) || failed(sizes) || failed(steps) || offsets->size() != shape.size())
    return failure();
  Window window;
  SmallVector<int64_t> strides = getStrides(shape);
  for (auto [i, stride] : llvm::enumerate(strides)) {
    int64_t first = (*offsets)[i], size = (*sizes)[i], last = first + (size - 1) * (*steps)[i];
    if (size < 0 || (size > 0 && (std::min(first, last) < 0 || std::max(first, last) >= shape[i])))
      return failure();
    window.offset += first * stride;
    window.strides.push_back(stride * (*steps)[i]);
    window.sizes.push_back(size);
  }
  return window;
}

static int64_t countElements(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
}

static Result extractSlice(tensor::ExtractSliceOp op, OperandFn operand) {
  Result source = operand(op.getSource());
  if (failed(source) || !op.getType().hasStaticShape())
    return failure();
  FailureOr<Window> window = getWindow(op, source->type.getShape(), operand);
  if (failed(window) || countElements(window->sizes) != op.getType().getNumElements())
    return failure();
  ConstantBytes result = allocate(op.getType());
  int64_t bytes = getElementBytes(op.getType().getElementType());
  copyStrided(writable(result), getStrides(window->sizes),
              source->data.data() + window->offset * bytes, window->strides, window->sizes, bytes);
  return result;
}

static Result insertSlice(tensor::InsertSliceOp op, OperandFn operand) {
  Result source = operand(op.getSource()), dest = operand(op.getDest());
  if (failed(source) || failed(dest))
    return failure();
  FailureOr<Window> window = getWindow(op, dest->type.getShape(), operand);
  if (failed(window) || countElements(window->sizes) != source->type.getNumElements())
    return failure();
  ConstantBytes result = allocate(dest->type);
  llvm::copy(dest->data, writable(result));
  int64_t bytes = getElementBytes(dest->type.getElementType());
  copyStrided(writable(result) + window->offset * bytes, window->strides, source->data.data(),
              getStrides(window->sizes), window->sizes, bytes);
  return result;
}

static Result pad(tensor::PadOp op, OperandFn operand) {
  Value value = op.getConstantPaddingValue();
  RankedTensorType type = op.getResultType();
  if (!value || !type.hasStaticShape())
    return failure();
  Result source = operand(op.getSource()), padding = operand(value);
  FailureOr<SmallVector<int64_t>> low = getIntegers(op.getMixedLowPad(), operand);
  FailureOr<SmallVector<int64_t>> high = getIntegers(op.getMixedHighPad(), operand);
  if (failed(source) || failed(padding) || failed(low) || failed(high))
    return failure();
  int64_t bytes = getElementBytes(type.getElementType()), offset = 0;
  SmallVector<int64_t> strides = getStrides(type.getShape());
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if ((*low)[i] < 0 || (*high)[i] < 0 ||
        source->type.getDimSize(i) + (*low)[i] + (*high)[i] != type.getDimSize(i))
      return failure();
    offset += (*low)[i] * stride;
  }
  ConstantBytes result = allocate(type);
  fillElements(writable(result), padding->data.data(), type.getNumElements(), bytes);
  copyStrided(writable(result) + offset * bytes, strides, source->data.data(),
              getStrides(source->type.getShape()), source->type.getShape(), bytes);
  return result;
}

static Result concat(tensor::ConcatOp op, OperandFn operand) {
  RankedTensorType type = op.getResultType();
  if (!type.hasStaticShape())
    return failure();
  ConstantBytes result = allocate(type);
  int64_t bytes = getElementBytes(type.getElementType()), position = 0;
  SmallVector<int64_t> strides = getStrides(type.getShape());
  for (Value input : op.getInputs()) {
    Result part = operand(input);
    if (failed(part))
      return failure();
    copyStrided(writable(result) + position * strides[op.getDim()] * bytes, strides,
                part->data.data(), getStrides(part->type.getShape()), part->type.getShape(), bytes);
    position += part->type.getDimSize(op.getDim());
  }
  return result;
}

static Result fromElements(tensor::FromElementsOp op, OperandFn operand) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape())
    return failure();
  ConstantBytes result = allocate(type);
  char *to = writable(result);
  for (Value element : op.getElements()) {
    Result bytes = operand(element);
    if (failed(bytes))
      return failure();
    to = llvm::copy(bytes->data, to);
  }
  return result;
}

static Result splat(tensor::SplatOp op, OperandFn operand) {
  Result element = operand(op.getInput());
  auto type = cast<RankedTensorType>(op.getType());
  if (failed(element) || !type.hasStaticShape())
    return failure();
  ConstantBytes result = allocate(type);
  fillElements(writable(result), element->data.data(), type.getNumElements(), element->data.size());
  return result;
}

static Result extract(tensor::ExtractOp op, OperandFn operand) {
  Result source = operand(op.getTensor());
  SmallVector<OpFoldResult> values(op.getIndices().begin(), op.getIndices().end());
  FailureOr<SmallVector<int64_t>> indices = getIntegers(values, operand);
  if (failed(source) || failed(indices))
    return failure();
  int64_t offset = 0;
  for (auto [index, size] : llvm::zip(*indices, source->type.getShape())) {
    if (index < 0 || index >= size)
      return failure();
    offset = offset * size + index;
  }
  Type elementType = source->type.getElementType();
  int64_t bytes = getElementBytes(elementType);
  return ConstantBytes{RankedTensorType::get({}, elementType),
                       source->data.slice(offset * bytes, bytes), source->storage};
}

static Result dim(tensor::DimOp op, OperandFn operand) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  FailureOr<SmallVector<int64_t>> index = getIntegers({op.getIndex()}, operand);
  if (!type || failed(index) || (*index)[0] < 0 || (*index)[0] >= type.getRank() ||
      type.isDynamicDim((*index)[0]))
    return failure();
  ConstantBytes result = allocate(RankedTensorType::get({}, op.getType()));
  int64_t size = type.getDimSize((*index)[0]);
  std::memcpy(writable(result), &size, sizeof size);
  return result;
}

Result evaluateTensor(Operation *op, OperandFn operand) {
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto shape) { return reshape(shape.getSrc(), shape.getType(), operand); })
      .Case<tensor::CastOp, tensor::ReshapeOp>(
          [&](auto shape) { return reshape(shape.getSource(), shape.getType(), operand); })
      .Case([&](tensor::ExtractSliceOp slice) { return extractSlice(slice, operand); })
      .Case([&](tensor::InsertSliceOp slice) { return insertSlice(slice, operand); })
      .Case([&](tensor::PadOp op) { return pad(op, operand); })
      .Case([&](tensor::ConcatOp op) { return concat(op, operand); })
      .Case([&](tensor::FromElementsOp op) { return fromElements(op, operand); })
      .Case([&](tensor::SplatOp op) { return splat(op, operand); })
      .Case([&](tensor::ExtractOp op) { return extract(op, operand); })
      .Case([&](tensor::DimOp op) { return dim(op, operand); })
      .Case([&](tensor::EmptyOp op) -> Result {
        if (!op.getType().hasStaticShape())
          return failure();
        return allocate(op.getType());
      })
      .Default([](Operation *) -> Result { return failure(); });
}

} // namespace udnn
