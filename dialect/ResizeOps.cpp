//===- ResizeOps.cpp - resampling -------------------------------------------===//
//
// Checks and interfaces of dnn.resize.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"

using namespace mlir;
using namespace udnn::dnn;

LogicalResult ResizeOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (input.getRank() != result.getRank() || input.getElementType() != result.getElementType())
    return emitOpError("expects input and result of one rank and element type, got ")
           << input << " and " << result;
  if (int64_t(getScales().size()) != input.getRank())
    return emitOpError("expects ") << input.getRank() << " scales, got " << getScales().size();
  for (double scale : getScales())
    if (!(scale > 0))
      return emitOpError("expects positive scales, got ") << scale;
  if (getCoordinateMode() == CoordinateMode::TfCropAndResize &&
      (!getRoi() || int64_t(getRoi()->size()) != 2 * input.getRank()))
    return emitOpError("expects ") << 2 * input.getRank() << " roi values for 'tf_crop_and_resize'";
  return success();
}

// Resampling the batch itself is possible in ONNX; then there is no batch dimension to split.
static int64_t getBatchDim(ResizeOp op) {
  return op.getScales().empty() || op.getScales()[0] != 1.0 ? -1 : 0;
}
int64_t ResizeOp::getOperandBatchDim(unsigned) { return getBatchDim(*this); }
int64_t ResizeOp::getResultBatchDim(unsigned) { return getBatchDim(*this); }
