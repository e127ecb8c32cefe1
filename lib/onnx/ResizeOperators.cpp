//===- ResizeOperators.cpp - resampling --------------------------------------===//
//
// Resize and Upsample.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"
#include "reader/TensorSize.h"
#include "udnn/Dialect/Dnn.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

namespace {
/// What decides the geometry of a resize, for all dimensions of the input.
struct Geometry {
  SmallVector<double> scales;
  SmallVector<int64_t> sizes;
  /// Starts, then ends; empty where the coordinate mode needs none.
  SmallVector<double> roi;
};
} // namespace

static FailureOr<dnn::ResizeMode> getMode(NodeContext &ctx) {
  std::string mode = ctx.getString("mode", "nearest");
  if (std::optional<dnn::ResizeMode> result = dnn::symbolizeResizeMode(mode))
    return *result;
  return ctx.emitError() << "mode '" << mode << "' is not supported";
}

/// Spreads what is given for `axes` over all dimensions.
template <typename T>
static FailureOr<SmallVector<T>> spread(NodeContext &ctx, ArrayRef<T> values,
                                        ArrayRef<int64_t> axes, SmallVector<T> all,
                                        StringRef name) {
  if (values.size() != axes.size())
    return ctx.emitError() << "expects " << axes.size() << " " << name << ", got " << values.size();
  for (auto [axis, value] : llvm::zip(axes, values))
    all[axis] = value;
  return all;
}

/// `size` scaled, to the next smaller integer after `rounding` is added.
static FailureOr<int64_t> scaleSize(NodeContext &ctx, double scale, int64_t size, double rounding) {
  double scaled = std::floor(scale * double(size) + rounding);
  if (!(scale > 0) || !(scaled <= double(kMaxTensorBytes)))
    return ctx.emitError() << "expects positive scales that make dimensions of at most "
                           << kMaxTensorBytes << " elements, got " << scale;
  return int64_t(scaled);
}

/// Sizes from scales: rounded down.
static LogicalResult setScales(NodeContext &ctx, Geometry &geometry, ArrayRef<double> scales,
                               ArrayRef<int64_t> axes) {
  ArrayRef<int64_t> shape = ctx.getInputType(0).getShape();
  FailureOr<SmallVector<double>> all =
      spread(ctx, scales, axes, SmallVector<double>(shape.size(), 1.0), "scales");
  if (failed(all))
    return failure();
  for (auto [size, scale] : llvm::zip(shape, *all)) {
    FailureOr<int64_t> scaled = scaleSize(ctx, scale, size, 0);
    if (failed(scaled))
      return failure();
    geometry.sizes.push_back(*scaled);
  }
  geometry.scales = *all;
  return checkShape(ctx, geometry.sizes);
}

/// Scales from sizes, which `keep_aspect_ratio_policy` may change.
static LogicalResult setSizes(NodeContext &ctx, Geometry &geometry, ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> axes) {
  ArrayRef<int64_t> shape = ctx.getInputType(0).getShape();
  FailureOr<SmallVector<int64_t>> all =
      spread(ctx, sizes, axes, SmallVector<int64_t>(shape), "sizes");
  if (failed(all) || failed(checkShape(ctx, *all)))
    return failure();
  geometry.sizes = *all;
  for (auto [from, to] : llvm::zip(shape, *all))
    geometry.scales.push_back(from == to ? 1.0 : double(to) / double(from));
  std::string policy = ctx.getString("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty())
    return success();
  if (policy != "not_larger" && policy != "not_smaller")
    return ctx.emitError() << "keep_aspect_ratio_policy '" << policy << "' is not supported";
  double scale = geometry.scales[axes[0]];
  for (int64_t axis : axes)
    scale = policy == "not_larger" ? std::min(scale, geometry.scales[axis])
                                   : std::max(scale, geometry.scales[axis]);
  for (int64_t axis : axes) {
    geometry.scales[axis] = scale;
    FailureOr<int64_t> scaled = scaleSize(ctx, scale, shape[axis], 0.5);
    if (failed(scaled))
      return failure();
    geometry.sizes[axis] = *scaled;
  }
  return checkShape(ctx, geometry.sizes);
}

/// Scales are quotients of sizes.
static LogicalResult checkInput(NodeContext &ctx) {
  if (llvm::is_contained(ctx.getInputType(0).getShape(), 0))
    return ctx.emitError() << "expects an input with elements";
  return success();
}

/// Emits the operation and sets the output.
static LogicalResult emitResize(NodeContext &ctx, const Geometry &geometry, dnn::ResizeMode mode,
                                dnn::CoordinateMode coordinates, dnn::NearestMode nearest) {
  RankedTensorType type = ctx.getInputType(0);
  OpBuilder &b = ctx.builder;
  ElementType elementType = ctx.getElementType(0);
  if (mode == dnn::ResizeMode::Linear && elementType == ElementType::Bool)
    return ctx.emitError() << "mode 'linear' is not supported for bool";
  bool isIdentity = type.getShape() == ArrayRef<int64_t>(geometry.sizes) && geometry.roi.empty() &&
                    llvm::all_of(geometry.scales, [](double scale) { return scale == 1; });
  if (isIdentity)
    return ctx.setOutput(0, ctx.getInput(0));
  Value init = ctx.createEmpty(geometry.sizes, type.getElementType());
  DenseF64ArrayAttr roi;
  FloatAttr extrapolation;
  if (!geometry.roi.empty()) {
    roi = b.getDenseF64ArrayAttr(geometry.roi);
    extrapolation = b.getF64FloatAttr(ctx.getFloat("extrapolation_value", 0));
  }
  bool saysUnsigned = mode == dnn::ResizeMode::Linear && isUnsigned(elementType);
  Value result = dnn::ResizeOp::create(b, ctx.loc, init.getType(), ctx.getInput(0), init, mode,
                                       coordinates, nearest, ArrayRef<double>(geometry.scales), roi,
                                       extrapolation, saysUnsigned);
  return ctx.setOutput(0, result);
}

static SmallVector<int64_t> getAllAxes(NodeContext &ctx) {
  return llvm::to_vector(llvm::seq<int64_t>(0, ctx.getInputType(0).getRank()));
}

/// Upsample, and Resize of opset 10: coordinates are divided by the scales and rounded down, or up
/// where the tensor gets smaller.
static LogicalResult importUpsample(NodeContext &ctx) {
  if (failed(checkInput(ctx)))
    return failure();
  FailureOr<dnn::ResizeMode> mode = getMode(ctx);
  SmallVector<double> scales =
      llvm::map_to_vector(ctx.getFloats("scales"), [](float scale) { return double(scale); });
  if (ctx.hasInput(1)) {
    FailureOr<SmallVector<double>> values = ctx.getConstantFloats(1);
    if (failed(values))
      return failure();
    scales = *values;
  }
  Geometry geometry;
  if (failed(mode) || failed(setScales(ctx, geometry, scales, getAllAxes(ctx))))
    return failure();
  bool shrinks = llvm::all_of(scales, [](double scale) { return scale <= 1; });
  return emitResize(ctx, geometry, *mode, dnn::CoordinateMode::Asymmetric,
                    shrinks ? dnn::NearestMode::Ceil : dnn::NearestMode::Floor);
}

/// The elements of an optional float input; none where it is left out or empty.
static FailureOr<SmallVector<double>> getOptionalFloats(NodeContext &ctx, unsigned i) {
  if (!ctx.hasInput(i) || ctx.getInputType(i).getNumElements() == 0)
    return SmallVector<double>();
  return ctx.getConstantFloats(i);
}

static FailureOr<Geometry> getGeometry(NodeContext &ctx, dnn::CoordinateMode coordinates) {
  int64_t rank = ctx.getInputType(0).getRank();
  FailureOr<SmallVector<int64_t>> axes = getAllAxes(ctx);
  if (ctx.hasAttribute("axes"))
    axes = ctx.normalizeAxes(ctx.getInts("axes"), rank);
  FailureOr<SmallVector<double>> scales = getOptionalFloats(ctx, 2);
  if (failed(axes) || failed(scales))
    return failure();
  Geometry geometry;
  if (!scales->empty()) {
    if (failed(setScales(ctx, geometry, *scales, *axes)))
      return failure();
  } else {
    if (!ctx.hasInput(3))
      return ctx.emitError() << "expects scales or sizes";
    FailureOr<SmallVector<int64_t>> sizes = ctx.getConstantInts(3);
    if (failed(sizes) || failed(setSizes(ctx, geometry, *sizes, *axes)))
      return failure();
  }
  if (coordinates != dnn::CoordinateMode::TfCropAndResize)
    return geometry;
  FailureOr<SmallVector<double>> roi = getOptionalFloats(ctx, 1);
  if (failed(roi))
    return failure();
  size_t count = axes->size();
  if (roi->size() != 2 * count)
    return ctx.emitError() << "expects " << 2 * count << " roi values, got " << roi->size();
  geometry.roi.assign(rank, 0.0);
  geometry.roi.append(rank, 1.0);
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    geometry.roi[axis] = (*roi)[i];
    geometry.roi[rank + axis] = (*roi)[count + i];
  }
  return geometry;
}

static LogicalResult importResize(NodeContext &ctx) {
  FailureOr<dnn::ResizeMode> mode = getMode(ctx);
  if (failed(mode) || failed(checkInput(ctx)))
    return failure();
  if (ctx.getInt("antialias", 0))
    return ctx.emitError() << "antialias = 1 is not supported";
  std::string coordinateName = ctx.getString("coordinate_transformation_mode", "half_pixel");
  std::string nearestName = ctx.getString("nearest_mode", "round_prefer_floor");
  auto coordinates = dnn::symbolizeCoordinateMode(coordinateName);
  auto nearest = dnn::symbolizeNearestMode(nearestName);
  if (!coordinates)
    return ctx.emitError() << "coordinate_transformation_mode '" << coordinateName
                           << "' is not supported";
  if (!nearest)
    return ctx.emitError() << "nearest_mode '" << nearestName << "' is not supported";
  FailureOr<Geometry> geometry = getGeometry(ctx, *coordinates);
  if (failed(geometry))
    return failure();
  return emitResize(ctx, *geometry, *mode, *coordinates, *nearest);
}

void udnn::onnx::registerResizeOperators(OperatorRegistry &registry) {
  const char *note = "mode = cubic, antialias = 1";
  registry.add({"Resize", {10, 10}, 2, 2, 1, kAllTypes, importUpsample});
  registry.add({"Resize", {11}, 1, 4, 1, kAllTypes, importResize, 0, note});
  registry.add({"Upsample", {7, 8}, 1, 1, 1, kAllTypes, importUpsample});
  registry.add({"Upsample", {9, 9}, 2, 2, 1, kAllTypes, importUpsample});
}
