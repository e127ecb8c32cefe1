//===- PoolOps.cpp - pooling ------------------------------------------------===//
//
// Checks and interfaces of maximum and average pooling.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"
#include "WindowChecks.h"

using namespace mlir;
using namespace udnn::dnn;

template <typename PoolOp>
static LogicalResult verifyPool(PoolOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  DimsAttr dims = op.getDims();
  if (failed(verifyDims(op, "input", dims, input)) ||
      failed(verifyDims(op, "result", dims, result)))
    return failure();
  int64_t rank = dims.getSpatialRank();
  if (rank < 1 || rank > 3)
    return op.emitOpError("expects 1 to 3 spatial dimensions, got ") << rank;
  if (int64_t(op.getWindow().size()) != rank)
    return op.emitOpError("expects a window of ")
           << rank << " dimensions, got " << op.getWindow().size();
  if (failed(verifyWindow(op, rank, op.getStrides(), op.getPads(), op.getDilations())))
    return failure();
  for (auto [i, size] : llvm::enumerate(op.getWindow()))
    if (failed(verifyWindowCount(op, i, dims.getLogicalSize(i, input.getShape()), size,
                                 dims.getLogicalSize(i, result.getShape()), /*mayStickOut=*/true)))
      return failure();
  for (int64_t role : {DimsAttr::kBatch, DimsAttr::kChannel}) {
    int64_t in = dims.getLogicalSize(role, input.getShape());
    int64_t out = dims.getLogicalSize(role, result.getShape());
    if (in != out)
      return op.emitOpError("expects the ")
             << (role == DimsAttr::kBatch ? "batch " : "channel count ") << in
             << " of 'input' in the result, got " << out;
  }
  return success();
}

LogicalResult MaxPoolOp::verify() {
  if (failed(verifyPool(*this)))
    return failure();
  if (getInit().getType() != getResult().getType())
    return emitOpError("expects init and result of one type, got ")
           << getInit().getType() << " and " << getResult().getType();
  if (bool(getIndicesInit()) != bool(getIndices()))
    return emitOpError("expects an init for the indices exactly when they are a result");
  if (!getIndices())
    return success();
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!indices.getElementType().isInteger(64) || indices.getShape() != result.getShape())
    return emitOpError("expects i64 indices of the result's shape, got ") << indices;
  if (getIndicesInit().getType() != indices)
    return emitOpError("expects the indices' init to have their type, got ")
           << getIndicesInit().getType();
  return success();
}

LogicalResult AvgPoolOp::verify() { return verifyPool(*this); }

MutableOperandRange MaxPoolOp::getDpsInitsMutable() {
  return MutableOperandRange(*this, /*start=*/1, getNumOperands() - 1);
}

int64_t MaxPoolOp::getOperandBatchDim(unsigned) { return getDims().find(DimsAttr::kBatch); }
int64_t MaxPoolOp::getResultBatchDim(unsigned) { return getDims().find(DimsAttr::kBatch); }
DimsAttr MaxPoolOp::getOperandDims(unsigned) { return getDims(); }
void MaxPoolOp::setOperandDims(unsigned, DimsAttr dims) { setDimsAttr(dims); }

int64_t AvgPoolOp::getOperandBatchDim(unsigned) { return getDims().find(DimsAttr::kBatch); }
int64_t AvgPoolOp::getResultBatchDim(unsigned) { return getDims().find(DimsAttr::kBatch); }
DimsAttr AvgPoolOp::getOperandDims(unsigned) { return getDims(); }
void AvgPoolOp::setOperandDims(unsigned, DimsAttr dims) { setDimsAttr(dims); }
