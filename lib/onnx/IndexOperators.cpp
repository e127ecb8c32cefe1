//===- IndexOperators.cpp - parts of tensors --------------------------------===//
//
// Concat, Split, Slice, Gather.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

/// A slice with positive steps; the whole tensor gives `value` itself.
static Value createSlice(NodeContext &ctx, Value value, ArrayRef<int64_t> offsets,
                         ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == sizes)
    return value;
  if (llvm::is_contained(sizes, 0)) // Upstream slices must start at an element.
    return ctx.createEmpty(sizes, type.getElementType());
  OpBuilder &b = ctx.builder;
  return tensor::ExtractSliceOp::create(b, ctx.loc, ctx.getTensorType(sizes, type.getElementType()),
                                        value, ValueRange{}, ValueRange{}, ValueRange{}, offsets,
                                        sizes, strides);
}

/// A slice of one dimension.
static Value createSlice(NodeContext &ctx, Value value, int64_t axis, int64_t offset,
                         int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  offsets[axis] = offset;
  sizes[axis] = size;
  return createSlice(ctx, value, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Concat and Split
//===----------------------------------------------------------------------===//

static LogicalResult importConcat(NodeContext &ctx) {
  RankedTensorType first = ctx.getInputType(0);
  FailureOr<int64_t> attribute = ctx.requireInt("axis");
  if (failed(attribute))
    return failure();
  FailureOr<int64_t> axis = ctx.normalizeAxis(*attribute, first.getRank());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  shape[*axis] = 0;
  SmallVector<Value> parts;
  for (unsigned i = 0; i < ctx.getNumInputs(); ++i) {
    if (!ctx.hasInput(i))
      return ctx.emitError() << "expects input " << i << ", which is left out";
    RankedTensorType type = ctx.getInputType(i);
    bool fits = type.getRank() == first.getRank() && ctx.getElementType(i) == ctx.getElementType(0);
    for (int64_t dim = 0; fits && dim < type.getRank(); ++dim)
      fits = dim == *axis || type.getDimSize(dim) == first.getDimSize(dim);
    if (!fits)
      return ctx.emitError() << "expects input " << i << " to equal input 0 (" << first
                             << ") but for dimension " << *axis << ", got " << type;
    shape[*axis] += type.getDimSize(*axis);
    if (type.getDimSize(*axis) != 0)
      parts.push_back(ctx.getInput(i));
  }
  if (parts.empty())
    return ctx.setOutput(0, ctx.getInput(0));
  if (parts.size() == 1)
    return ctx.setOutput(0, parts.front());
  Value result = tensor::ConcatOp::create(
      ctx.builder, ctx.loc, ctx.getTensorType(shape, first.getElementType()), *axis, parts);
  return ctx.setOutput(0, result);
}

/// The sizes of the parts: given, or as equal as the number of outputs allows.
static FailureOr<SmallVector<int64_t>> readSplit(NodeContext &ctx, int64_t size) {
  int64_t count = ctx.getNumOutputs();
  if (ctx.opset < 13 && ctx.hasAttribute("split"))
    return ctx.getInts("split");
  if (ctx.opset >= 13 && ctx.hasInput(1))
    return ctx.getConstantInts(1);
  if (ctx.opset >= 18 && ctx.getInt("num_outputs", count) != count)
    return ctx.emitError() << "expects num_outputs to equal the " << count << " outputs, got "
                           << ctx.getInt("num_outputs", count);
  if (ctx.opset < 18 && size % count)
    return ctx.emitError() << "expects a dimension that divides by the " << count
                           << " outputs, got " << size;
  int64_t part = (size + count - 1) / count;
  SmallVector<int64_t> sizes(count, part);
  sizes.back() = size - part * (count - 1);
  return sizes;
}

static LogicalResult importSplit(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  FailureOr<int64_t> axis = ctx.normalizeAxis(ctx.getInt("axis", 0), type.getRank());
  if (failed(axis))
    return failure();
  if (ctx.getNumOutputs() == 0)
    return ctx.emitError() << "expects one or more outputs";
  int64_t size = type.getDimSize(*axis);
  FailureOr<SmallVector<int64_t>> sizes = readSplit(ctx, size);
  if (failed(sizes))
    return failure();
  int64_t rest = size;
  for (int64_t part : *sizes)
    rest = part < 0 || part > rest ? -1 : rest - part;
  if (sizes->size() != ctx.getNumOutputs() || rest != 0) {
    InFlightDiagnostic diagnostic = ctx.emitError()
                                    << "expects " << ctx.getNumOutputs() << " parts that add up to "
                                    << size << ", got [";
    llvm::interleaveComma(*sizes, diagnostic);
    return diagnostic << "]";
  }
  int64_t offset = 0;
  for (auto [i, part] : llvm::enumerate(*sizes)) {
    if (ctx.wantsOutput(i))
      (void)ctx.setOutput(i, createSlice(ctx, ctx.getInput(0), *axis, offset, part));
    offset += part;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Start, end and step of a slice along some axes.
struct SliceBounds {
  SmallVector<int64_t> starts, ends, axes, steps;
};

/// Attributes before opset 10, inputs since.
static FailureOr<SliceBounds> readSlice(NodeContext &ctx, int64_t rank) {
  SliceBounds bounds;
  bool hasAxes;
  if (ctx.opset < 10) {
    FailureOr<SmallVector<int64_t>> starts = ctx.requireInts("starts");
    FailureOr<SmallVector<int64_t>> ends = ctx.requireInts("ends");
    if (failed(starts) || failed(ends))
      return failure();
    hasAxes = ctx.hasAttribute("axes");
    bounds = {*starts, *ends, ctx.getInts("axes"), {}};
  } else {
    FailureOr<SmallVector<int64_t>> inputs[4];
    for (unsigned i = 1; i <= 4; ++i) {
      inputs[i - 1] = ctx.hasInput(i) ? ctx.getConstantInts(i)
                                      : FailureOr<SmallVector<int64_t>>(SmallVector<int64_t>());
      if (failed(inputs[i - 1]))
        return failure();
    }
    hasAxes = ctx.hasInput(3);
    bounds = {*inputs[0], *inputs[1], *inputs[2], *inputs[3]};
  }
  size_t count = bounds.starts.size();
  if (!hasAxes)
    bounds.axes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  if (bounds.steps.empty())
    bounds.steps.assign(count, 1);
  if (bounds.ends.size() != count || bounds.axes.size() != count || bounds.steps.size() != count)
    return ctx.emitError() << "expects as many starts, ends, axes and steps, got " << count << ", "
                           << bounds.ends.size() << ", " << bounds.axes.size() << " and "
                           << bounds.steps.size();
  FailureOr<SmallVector<int64_t>> axes = ctx.normalizeAxes(bounds.axes, rank);
  if (failed(axes))
    return failure();
  bounds.axes = *axes;
  return bounds;
}

/// `value` with the order of some dimensions reversed.
static Value createReverse(NodeContext &ctx, Value value, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  OpBuilder &b = ctx.builder;
  int64_t rank = type.getRank();
  Value init = ctx.createEmpty(type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, ctx.loc, type, ValueRange{}, init, b.getMultiDimIdentityMap(rank), iterators,
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> indices;
        for (int64_t dim = 0; dim < rank; ++dim) {
          Value index = linalg::IndexOp::create(b, loc, dim);
          if (llvm::is_contained(dims, dim)) {
            Value last = arith::ConstantIndexOp::create(b, loc, type.getDimSize(dim) - 1);
            index = arith::SubIOp::create(b, loc, last, index);
          }
          indices.push_back(index);
        }
        Value element = tensor::ExtractOp::create(b, loc, value, indices);
        linalg::YieldOp::create(b, loc, element);
      });
  return generic.getResult(0);
}

static LogicalResult importSlice(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  int64_t rank = type.getRank();
  FailureOr<SliceBounds> bounds = readSlice(ctx, rank);
  if (failed(bounds))
    return failure();
  SmallVector<int64_t> offsets(rank, 0), sizes(type.getShape()), strides(rank, 1), reversed;
  for (auto [start, end, axis, step] :
       llvm::zip(bounds->starts, bounds->ends, bounds->axes, bounds->steps)) {
    int64_t size = type.getDimSize(axis);
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return ctx.emitError() << "expects steps other than 0, got " << step;
    // Bounds beyond the tensor are cut to it; -1 stands for "before the first element".
    auto clamp = [&](int64_t bound, int64_t low, int64_t high) {
      bound = bound < 0 ? std::max(bound + size, low) : bound;
      return std::min(std::max(bound, low), high);
    };
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    int64_t first = clamp(start, step > 0 ? 0 : std::min<int64_t>(0, high), high);
    int64_t last = clamp(end, low, high);
    int64_t span = step > 0 ? last - first : first - last, stride = std::abs(step);
    int64_t count = span > 0 ? (span - 1) / stride + 1 : 0;
    if (step < 0 && count > 1)
      reversed.push_back(axis);
    // A backward slice is the reverse of a forward one that starts at its last element.
    offsets[axis] = count == 0 ? 0 : step > 0 ? first : first - (count - 1) * stride;
    sizes[axis] = count;
    strides[axis] = count > 1 ? stride : 1;
  }
  Value result = createSlice(ctx, ctx.getInput(0), offsets, sizes, strides);
  if (!reversed.empty() && cast<RankedTensorType>(result.getType()).getNumElements() > 0)
    result = createReverse(ctx, result, reversed);
  return ctx.setOutput(0, result);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Positions that are known now and follow each other are a slice.
static std::optional<int64_t> getContiguousStart(ArrayRef<int64_t> positions) {
  if (positions.empty())
    return std::nullopt;
  for (auto [i, position] : llvm::enumerate(positions))
    if (position != positions.front() + int64_t(i))
      return std::nullopt;
  return positions.front();
}

/// The position that an index names, in range whatever it is.
static Value createPosition(OpBuilder &b, Location loc, Value index, int64_t size) {
  if (!index.getType().isInteger(64))
    index = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
  Value zero = NodeContext::createScalar(b, loc, b.getI64Type(), 0);
  Value count = NodeContext::createScalar(b, loc, b.getI64Type(), size);
  Value last = NodeContext::createScalar(b, loc, b.getI64Type(), size - 1);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
  Value fromEnd = arith::AddIOp::create(b, loc, index, count);
  Value position = arith::SelectOp::create(b, loc, isNegative, fromEnd, index);
  // An index out of range must not read other memory.
  position = arith::MaxSIOp::create(b, loc, position, zero);
  position = arith::MinSIOp::create(b, loc, position, last);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), position);
}

static Value createGather(NodeContext &ctx, int64_t axis, ArrayRef<int64_t> shape) {
  OpBuilder &b = ctx.builder;
  Value data = ctx.getInput(0), indices = ctx.getInput(1);
  RankedTensorType type = ctx.getInputType(0);
  int64_t rank = shape.size(), indexRank = ctx.getInputType(1).getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < indexRank; ++i)
    exprs.push_back(b.getAffineDimExpr(axis + i));
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, exprs, b.getContext()),
                                 b.getMultiDimIdentityMap(rank)};
  Value init = ctx.createEmpty(shape, type.getElementType());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, ctx.loc, init.getType(), indices, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> positions;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          positions.push_back(
              dim == axis ? createPosition(b, loc, args[0], type.getDimSize(axis))
                          : linalg::IndexOp::create(b, loc, dim < axis ? dim : dim + indexRank - 1)
                                .getResult());
        Value element = tensor::ExtractOp::create(b, loc, data, positions);
        linalg::YieldOp::create(b, loc, element);
      });
  return generic.getResult(0);
}

static LogicalResult importGather(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0), indexType = ctx.getInputType(1);
  FailureOr<int64_t> axis = ctx.normalizeAxis(ctx.getInt("axis", 0), type.getRank());
  if (failed(axis))
    return failure();
  if (!kIndexTypes.contains(ctx.getElementType(1)))
    return ctx.emitError() << "expects indices of type int32 or int64, got "
                           << getElementTypeName(ctx.getElementType(1));
  int64_t size = type.getDimSize(*axis);
  SmallVector<int64_t> shape(type.getShape().take_front(*axis));
  shape.append(indexType.getShape().begin(), indexType.getShape().end());
  shape.append(type.getShape().begin() + *axis + 1, type.getShape().end());
  if (failed(checkShape(ctx, shape)))
    return failure();
  if (size == 0 && indexType.getNumElements() != 0)
    return ctx.emitError() << "expects a dimension of 1 or more to gather from, got 0";
  if (std::optional<SmallVector<int64_t>> known = ctx.tryConstantInts(1)) {
    for (int64_t &position : *known) {
      if (position < -size || position >= size)
        return ctx.emitError() << "expects indices of a dimension of size " << size << ", got "
                               << position;
      position += position < 0 ? size : 0;
    }
    if (std::optional<int64_t> start = getContiguousStart(*known)) {
      Value slice = createSlice(ctx, ctx.getInput(0), *axis, *start, known->size());
      return ctx.setOutput(0, ctx.createReshape(slice, shape));
    }
  }
  return ctx.setOutput(0, createGather(ctx, *axis, shape));
}

void udnn::onnx::registerIndexOperators(OperatorRegistry &registry) {
  registry.add({"Concat", {}, 1, kVariadic, 1, kAllTypes, importConcat});
  registry.add({"Gather", {}, 2, 2, 1, kAllTypes, importGather});
  registry.add({"Slice", {7, 9}, 1, 1, 1, kAllTypes, importSlice});
  registry.add({"Slice", {10}, 3, 5, 1, kAllTypes, importSlice});
  registry.add({"Split", {7, 12}, 1, 1, kVariadic, kAllTypes, importSplit});
  registry.add({"Split", {13}, 1, 2, kVariadic, kAllTypes, importSplit});
}
