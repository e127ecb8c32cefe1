//===- Window.cpp - windows of convolutions and pooling --------------------===//
//
// Checks the shared attributes and computes pads and result sizes as ONNX defines them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Window.h"
#include "udnn/Support/Window.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

LogicalResult udnn::onnx::checkSpatialRank(NodeContext &ctx, RankedTensorType type) {
  if (type.getRank() >= 3 && type.getRank() <= 5)
    return success();
  return ctx.emitError()
         << "expects an input of 3 to 5 dimensions (batch, channels, 1 to 3 spatial "
            "ones), got "
         << type.getRank();
}

static LogicalResult checkAttribute(NodeContext &ctx, StringRef name, ArrayRef<int64_t> values,
                                    size_t count, int64_t minimum) {
  if (values.size() != count)
    return ctx.emitError() << "expects " << count << " values in attribute '" << name << "', got "
                           << values.size();
  for (int64_t value : values)
    if (value < minimum || value > kMaxWindowSize)
      return ctx.emitError() << "expects values from " << minimum << " to " << kMaxWindowSize
                             << " in attribute '" << name << "', got " << value;
  return success();
}

FailureOr<Window> udnn::onnx::readWindow(NodeContext &ctx, int64_t rank, ArrayRef<int64_t> size) {
  Window window;
  SmallVector<int64_t> ones(rank, 1), zeros(2 * rank, 0);
  window.autoPad = ctx.getString("auto_pad", "NOTSET");
  window.strides = ctx.getInts("strides", ones);
  window.dilations = ctx.getInts("dilations", ones);
  window.pads = ctx.getInts("pads", zeros);
  window.size = ctx.getInts("kernel_shape", size);
  if (failed(checkAttribute(ctx, "kernel_shape", window.size, rank, 1)) ||
      failed(checkAttribute(ctx, "strides", window.strides, rank, 1)) ||
      failed(checkAttribute(ctx, "dilations", window.dilations, rank, 1)) ||
      failed(checkAttribute(ctx, "pads", window.pads, 2 * rank, 0)))
    return failure();
  if (!size.empty() && ArrayRef(window.size) != size) {
    InFlightDiagnostic diagnostic = ctx.emitError()
                                    << "expects kernel_shape to equal the filter's [";
    llvm::interleaveComma(size, diagnostic);
    diagnostic << "], got [";
    llvm::interleaveComma(window.size, diagnostic);
    return diagnostic << "]";
  }
  for (int64_t i = 0; i < rank; ++i)
    if (window.getExtent(i) > kMaxWindowSize)
      return ctx.emitError() << "expects a dilated window of at most " << kMaxWindowSize
                             << " elements in spatial dimension " << i << ", got "
                             << window.getExtent(i);
  for (StringRef known : {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"})
    if (window.autoPad == known)
      return window;
  return ctx.emitError() << "expects auto_pad NOTSET, VALID, SAME_UPPER or SAME_LOWER, got '"
                         << window.autoPad << "'";
}

/// SAME: as many results as strides fit in the input, the padding split in halves.
static int64_t resolveSame(Window &window, int64_t i, int64_t input) {
  int64_t rank = window.getRank();
  int64_t result = (input + window.strides[i] - 1) / window.strides[i];
  int64_t total =
      std::max<int64_t>((result - 1) * window.strides[i] + window.getExtent(i) - input, 0);
  int64_t small = total / 2, large = total - small;
  bool isUpper = window.autoPad == "SAME_UPPER";
  window.pads[i] = isUpper ? small : large;
  window.pads[rank + i] = isUpper ? large : small;
  return result;
}

FailureOr<SmallVector<int64_t>> udnn::onnx::resolveWindow(NodeContext &ctx, Window &window,
                                                          ArrayRef<int64_t> input, bool ceilMode) {
  int64_t rank = window.getRank();
  if (window.autoPad == "VALID")
    window.pads.assign(2 * rank, 0);
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < rank; ++i) {
    if (StringRef(window.autoPad).starts_with("SAME")) {
      result.push_back(resolveSame(window, i, input[i]));
      continue;
    }
    int64_t stride = window.strides[i];
    int64_t padded = input[i] + window.pads[i] + window.pads[rank + i];
    int64_t size = countWindows(padded, window.size[i], window.dilations[i], stride, ceilMode);
    if (size == 0) {
      InFlightDiagnostic diagnostic = ctx.emitError()
                                      << "expects a window of at most " << padded
                                      << " elements, the padded size of spatial dimension " << i;
      if (ceilMode)
        diagnostic << ", or less than a stride of " << stride << " more in ceil mode";
      return diagnostic << ", got " << window.getExtent(i);
    }
    if (ceilMode && (size - 1) * stride >= input[i] + window.pads[i])
      --size;
    result.push_back(size);
  }
  return result;
}
