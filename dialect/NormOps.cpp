//===- NormOps.cpp - softmax and normalizations -----------------------------===//
//
// Checks and interfaces of softmax and the normalizations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"
#include "WindowChecks.h"

using namespace mlir;
using namespace udnn::dnn;

/// Checks that input and result have one type.
template <typename NormOp>
static LogicalResult verifySameType(NormOp op) {
  if (op.getInput().getType() != op->getResult(0).getType())
    return op.emitOpError("expects a result of the input's type ")
           << op.getInput().getType() << ", got " << op->getResult(0).getType();
  return success();
}

template <typename SoftmaxOp>
static LogicalResult verifySoftmax(SoftmaxOp op) {
  int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  if (op.getDimension() < 0 || op.getDimension() >= rank)
    return op.emitOpError("expects a dimension from 0 to ")
           << rank - 1 << ", got " << op.getDimension();
  return verifySameType(op);
}

/// Checks that every parameter is a vector with one element per channel.
template <typename NormOp>
static LogicalResult verifyChannelVectors(NormOp op, ValueRange vectors) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  if (failed(verifyDims(op, "input", op.getDims(), input)))
    return failure();
  int64_t channels = op.getDims().getLogicalSize(DimsAttr::kChannel, input.getShape());
  for (Value vector : vectors) {
    auto type = cast<RankedTensorType>(vector.getType());
    if (type.getRank() != 1 || type.getDimSize(0) != channels)
      return op.emitOpError("expects vectors of ") << channels << " channels, got " << type;
  }
  return verifySameType(op);
}

LogicalResult SoftmaxOp::verify() { return verifySoftmax(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifySoftmax(*this); }
LogicalResult BatchNormOp::verify() {
  return verifyChannelVectors(*this, {getScale(), getBias(), getMean(), getVariance()});
}
LogicalResult InstanceNormOp::verify() {
  return verifyChannelVectors(*this, {getScale(), getBias()});
}

LogicalResult LRNOp::verify() {
  if (getSize() < 1)
    return emitOpError("expects a positive size, got ") << getSize();
  return verifyChannelVectors(*this, {});
}

/// True when a scale or bias of type `vector` broadcasts to the dimensions of `input` from
/// `dimension` on. Further leading dimensions have size 1.
static bool broadcastsToNormalized(RankedTensorType vector, RankedTensorType input,
                                   int64_t dimension) {
  int64_t offset = input.getRank() - vector.getRank();
  if (offset < 0)
    return false;
  for (auto [i, size] : llvm::enumerate(vector.getShape())) {
    int64_t aligned = offset + int64_t(i);
    if (size != 1 && (aligned < dimension || size != input.getDimSize(aligned)))
      return false;
  }
  return true;
}

LogicalResult LayerNormOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= input.getRank())
    return emitOpError("expects a dimension from 0 to ")
           << input.getRank() - 1 << ", got " << dimension;
  for (Value vector : {getScale(), getBias()})
    if (vector &&
        !broadcastsToNormalized(cast<RankedTensorType>(vector.getType()), input, dimension))
      return emitOpError("expects scale and bias to broadcast to the dimensions from ")
             << dimension << " on of " << input << ", got " << vector.getType();
  if (getInits().size() != 1 && getInits().size() != 3)
    return emitOpError("expects 1 or 3 inits, got ") << getInits().size();
  if (getInits().getTypes() != getResultTypes())
    return emitOpError("expects results of the inits' types");
  for (Value statistic : getInits().drop_front()) {
    auto type = cast<RankedTensorType>(statistic.getType());
    SmallVector<int64_t> expected(input.getShape());
    std::fill(expected.begin() + dimension, expected.end(), 1);
    if (type.getShape() != ArrayRef<int64_t>(expected))
      return emitOpError("expects statistics with size 1 from dimension ")
             << dimension << " on, got " << type;
  }
  return verifySameType(*this);
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

#define UDNN_DIMENSION_INTERFACES(OP)                                                              \
  int64_t OP::getOperandBatchDim(unsigned) { return getDimension() == 0 ? -1 : 0; }                \
  int64_t OP::getResultBatchDim(unsigned) { return getDimension() == 0 ? -1 : 0; }

UDNN_DIMENSION_INTERFACES(SoftmaxOp)
UDNN_DIMENSION_INTERFACES(LogSoftmaxOp)

int64_t LayerNormOp::getOperandBatchDim(unsigned operand) {
  if (getDimension() == 0)
    return -1;
  return operand == 0 || operand >= getNumOperands() - getInits().size() ? 0 : -1;
}
int64_t LayerNormOp::getResultBatchDim(unsigned) { return getDimension() == 0 ? -1 : 0; }

// The first and the last operand are activations, what lies between are vectors.
#define UDNN_CHANNEL_INTERFACES(OP)                                                                \
  int64_t OP::getOperandBatchDim(unsigned operand) {                                               \
    return operand == 0 || operand == getNumOperands() - 1 ? getDims().find(DimsAttr::kBatch)      \
                                                           : -1;                                   \
  }                                                                                                \
  int64_t OP::getResultBatchDim(unsigned) { return getDims().find(DimsAttr::kBatch); }             \
  DimsAttr OP::getOperandDims(unsigned operand) {                                                  \
    return operand == 0 || operand == getNumOperands() - 1 ? getDims() : DimsAttr();               \
  }                                                                                                \
  void OP::setOperandDims(unsigned operand, DimsAttr dims) {                                       \
    if (operand == 0 || operand == getNumOperands() - 1)                                           \
      setDimsAttr(dims);                                                                           \
  }

UDNN_CHANNEL_INTERFACES(BatchNormOp)
UDNN_CHANNEL_INTERFACES(InstanceNormOp)
UDNN_CHANNEL_INTERFACES(LRNOp)
