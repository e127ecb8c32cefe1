//===- ReshapeOperators.cpp - reshapes and broadcasts -----------------------===//
//
// Reshape, Flatten, Squeeze, Unsqueeze, Transpose, Expand.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

/// Puts the input's sizes in for 0 and the rest for -1.
static FailureOr<SmallVector<int64_t>> resolveReshape(NodeContext &ctx, ArrayRef<int64_t> wanted) {
  RankedTensorType type = ctx.getInputType(0);
  bool allowZero = ctx.getInt("allowzero", 0) != 0;
  SmallVector<int64_t> shape(wanted);
  int64_t unknown = -1, known = 1;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == -1) {
      if (unknown >= 0)
        return ctx.emitError() << "expects at most one -1 in the shape";
      unknown = i;
      continue;
    }
    if (size == 0 && !allowZero) {
      if (int64_t(i) >= type.getRank())
        return ctx.emitError()
               << "expects 0 in the shape only for dimensions of the input, got one "
                  "in dimension "
               << i;
      size = type.getDimSize(i);
    }
  }
  for (auto [i, size] : llvm::enumerate(shape))
    if (int64_t(i) != unknown && failed(checkShape(ctx, size)))
      return failure();
  for (auto [i, size] : llvm::enumerate(shape))
    if (int64_t(i) != unknown && llvm::MulOverflow(known, size, known))
      return ctx.emitError() << "expects a shape of the input's size, got a larger one";
  int64_t elements = type.getNumElements();
  if (unknown >= 0)
    shape[unknown] = known && elements % known == 0 ? elements / known : -1;
  if (unknown >= 0 ? shape[unknown] < 0 : known != elements) {
    InFlightDiagnostic diagnostic = ctx.emitError()
                                    << "cannot reshape " << elements << " elements to [";
    llvm::interleaveComma(wanted, diagnostic);
    return diagnostic << "]";
  }
  return shape;
}

static LogicalResult importReshape(NodeContext &ctx) {
  FailureOr<SmallVector<int64_t>> wanted = ctx.getConstantInts(1);
  if (failed(wanted))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = resolveReshape(ctx, *wanted);
  if (failed(shape))
    return failure();
  return ctx.setOutput(0, ctx.createReshape(ctx.getInput(0), *shape));
}

static LogicalResult importFlatten(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  int64_t axis = ctx.getInt("axis", 1), rank = type.getRank();
  if (axis < -rank || axis > rank)
    return ctx.emitError() << "expects an axis from " << -rank << " to " << rank << ", got "
                           << axis;
  axis += axis < 0 ? rank : 0;
  SmallVector<int64_t> shape = {1, 1};
  for (int64_t i = 0; i < rank; ++i)
    shape[i < axis ? 0 : 1] *= type.getDimSize(i);
  return ctx.setOutput(0, ctx.createReshape(ctx.getInput(0), shape));
}

/// The axes of Squeeze and Unsqueeze: an attribute before opset 13, an optional input since.
static FailureOr<SmallVector<int64_t>> readAxes(NodeContext &ctx, bool &given) {
  given = ctx.opset < 13 ? ctx.hasAttribute("axes") : ctx.hasInput(1);
  if (ctx.opset < 13)
    return ctx.getInts("axes");
  return given ? ctx.getConstantInts(1) : FailureOr<SmallVector<int64_t>>(SmallVector<int64_t>());
}

static LogicalResult importSqueeze(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  bool given;
  FailureOr<SmallVector<int64_t>> axes = readAxes(ctx, given);
  if (failed(axes))
    return failure();
  axes = ctx.normalizeAxes(*axes, type.getRank());
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    bool drop = given ? llvm::is_contained(*axes, int64_t(i)) : size == 1;
    if (drop && size != 1)
      return ctx.emitError() << "expects dimension " << i << " to have size 1, got " << size;
    if (!drop)
      shape.push_back(size);
  }
  return ctx.setOutput(0, ctx.createReshape(ctx.getInput(0), shape));
}

static LogicalResult importUnsqueeze(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  bool given;
  FailureOr<SmallVector<int64_t>> axes = readAxes(ctx, given);
  if (failed(axes))
    return failure();
  if (!given)
    return ctx.emitError() << "expects axes";
  int64_t rank = type.getRank() + axes->size();
  axes = ctx.normalizeAxes(*axes, rank);
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape;
  const int64_t *next = type.getShape().begin();
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(*axes, i) ? 1 : *next++);
  return ctx.setOutput(0, ctx.createReshape(ctx.getInput(0), shape));
}

static LogicalResult importTranspose(NodeContext &ctx) {
  int64_t rank = ctx.getInputType(0).getRank();
  SmallVector<int64_t> permutation = ctx.getInts("perm");
  if (!ctx.hasAttribute("perm"))
    permutation = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank))) {
    InFlightDiagnostic diagnostic = ctx.emitError()
                                    << "expects a permutation of " << rank << " dimensions, got [";
    llvm::interleaveComma(permutation, diagnostic);
    return diagnostic << "]";
  }
  return ctx.setOutput(0, ctx.createTranspose(ctx.getInput(0), permutation));
}

static LogicalResult importExpand(NodeContext &ctx) {
  RankedTensorType type = ctx.getInputType(0);
  FailureOr<SmallVector<int64_t>> wanted = ctx.getConstantInts(1);
  if (failed(wanted) || failed(checkShape(ctx, *wanted)))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = ctx.broadcastShapes({type.getShape(), *wanted});
  if (failed(shape) || failed(checkShape(ctx, *shape)))
    return failure();
  if (type.getShape() == ArrayRef(*shape))
    return ctx.setOutput(0, ctx.getInput(0));
  FailureOr<Value> result =
      ctx.createElementwise(ctx.getInput(0), *shape, type.getElementType(),
                            [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result);
}

void udnn::onnx::registerReshapeOperators(OperatorRegistry &registry) {
  registry.add({"Expand", {8}, 2, 2, 1, kAllTypes, importExpand});
  registry.add({"Flatten", {}, 1, 1, 1, kAllTypes, importFlatten});
  registry.add({"Reshape", {}, 2, 2, 1, kAllTypes, importReshape});
  registry.add({"Squeeze", {7, 12}, 1, 1, 1, kAllTypes, importSqueeze});
  registry.add({"Squeeze", {13}, 1, 2, 1, kAllTypes, importSqueeze});
  registry.add({"Transpose", {}, 1, 1, 1, kAllTypes, importTranspose});
  registry.add({"Unsqueeze", {7, 12}, 1, 1, 1, kAllTypes, importUnsqueeze});
  registry.add({"Unsqueeze", {13}, 2, 2, 1, kAllTypes, importUnsqueeze});
}
