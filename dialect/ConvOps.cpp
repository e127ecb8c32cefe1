//===- ConvOps.cpp - convolutions -------------------------------------------===//
//
// Checks and interfaces of convolution and transposed convolution.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"
#include "WindowChecks.h"

using namespace mlir;
using namespace udnn::dnn;

/// What both convolutions check: ranks, window attributes, batch, channels and groups. `inRole` and
/// `outRole` name the filter dimension that meets the input's and the result's channels.
template <typename ConvOp>
static LogicalResult verifyConv(ConvOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  DimsAttr inDims = op.getInputDims(), filterDims = op.getFilterDims(),
           outDims = op.getOutputDims();
  if (failed(verifyDims(op, "input", inDims, input)) ||
      failed(verifyDims(op, "filter", filterDims, filter)) ||
      failed(verifyDims(op, "result", outDims, result)))
    return failure();
  int64_t rank = inDims.getSpatialRank();
  if (rank < 1 || rank > 3)
    return op.emitOpError("expects 1 to 3 spatial dimensions, got ") << rank;
  if (filterDims.getSpatialRank() != rank || outDims.getSpatialRank() != rank)
    return op.emitOpError("expects the input's ")
           << rank << " spatial dimensions in filter and result, got "
           << filterDims.getSpatialRank() << " and " << outDims.getSpatialRank();
  if (failed(verifyWindow(op, rank, op.getStrides(), op.getPads(), op.getDilations())))
    return failure();
  if (filterDims.find(DimsAttr::kFilter) < 0 || filterDims.find(DimsAttr::kChannel) < 0)
    return op.emitOpError("expects the filter's dimensions to name 'k' and 'c'");
  int64_t groups = op.getGroups();
  if (groups < 1)
    return op.emitOpError("expects a positive number of groups, got ") << groups;

  int64_t n = inDims.getLogicalSize(DimsAttr::kBatch, input.getShape());
  int64_t nOut = outDims.getLogicalSize(DimsAttr::kBatch, result.getShape());
  if (n != nOut)
    return op.emitOpError("expects the batch ") << n << " of 'input' in the result, got " << nOut;
  bool transposed = isa<ConvTransposeOp>(op.getOperation());
  int64_t c = inDims.getLogicalSize(DimsAttr::kChannel, input.getShape());
  int64_t k = outDims.getLogicalSize(DimsAttr::kChannel, result.getShape());
  int64_t filterC = filterDims.getLogicalSize(DimsAttr::kChannel, filter.getShape());
  int64_t filterK = filterDims.getLogicalSize(DimsAttr::kFilter, filter.getShape());
  if (c != (transposed ? filterC : filterC * groups))
    return op.emitOpError("expects the channel count ")
           << c << " of 'input' to equal that of 'filter', got " << filterC << " in " << groups
           << " groups";
  if (k != (transposed ? filterK * groups : filterK))
    return op.emitOpError("expects the result's channel count ")
           << k << " to equal that of 'filter', got " << filterK << " in " << groups << " groups";
  if (k % groups || c % groups)
    return op.emitOpError("expects channels that divide by the groups, got ")
           << c << " and " << k << " for " << groups << " groups";
  return verifyEpilogue(op);
}

LogicalResult ConvOp::verify() {
  if (failed(verifyConv(*this)))
    return failure();
  auto input = cast<RankedTensorType>(getInput().getType());
  auto filter = cast<RankedTensorType>(getFilter().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  for (int64_t i = 0, e = getInputDims().getSpatialRank(); i < e; ++i) {
    int64_t size = getInputDims().getLogicalSize(i, input.getShape());
    int64_t window = getFilterDims().getLogicalSize(i, filter.getShape());
    int64_t count = getOutputDims().getLogicalSize(i, result.getShape());
    if (failed(verifyWindowCount(*this, i, size, window, count, /*mayStickOut=*/false)))
      return failure();
  }
  return success();
}

LogicalResult ConvTransposeOp::verify() { return verifyConv(*this); }

LogicalResult WinogradFilterOp::verify() {
  auto filter = cast<RankedTensorType>(getFilter().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (getTile() != 4)
    return emitOpError("expects tile 4, got ") << getTile();
  DimsAttr dims = getFilterDims();
  if (failed(verifyDims(*this, "filter", dims, filter)))
    return failure();
  if (!dims.isPlain() || dims.getRank() != 4 || dims.find(DimsAttr::kFilter) < 0 ||
      dims.find(DimsAttr::kChannel) < 0 || dims.getSpatialRank() != 2)
    return emitOpError("expects the filter's dimensions to be 'k', 'c', '0' and '1' in some order");
  if (!isa<FloatType>(filter.getElementType()) ||
      filter.getElementType() != result.getElementType())
    return emitOpError("expects a filter and a result of one floating point type, got ")
           << filter.getElementType() << " and " << result.getElementType();
  auto size = [&](int64_t role) { return filter.getDimSize(dims.find(role)); };
  if (size(0) != 3 || size(1) != 3)
    return emitOpError("expects a 3x3 filter, got ") << size(0) << "x" << size(1);
  SmallVector<int64_t> expected{36, size(DimsAttr::kFilter), size(DimsAttr::kChannel)};
  if (result.getShape() != ArrayRef(expected))
    return emitOpError("expects a result of shape 36x")
           << expected[1] << "x" << expected[2] << ", got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

/// Batch dimension of the extra operand that `map` reads: the result that is the batch of
/// `outDims`.
static int64_t getExtraBatchDim(AffineMap map, DimsAttr outDims) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && int64_t(dim.getPosition()) == outDims.find(DimsAttr::kBatch))
      return i;
  return -1;
}

template <typename ConvOp>
static int64_t getConvOperandBatchDim(ConvOp op, unsigned operand) {
  if (operand == 0)
    return op.getInputDims().find(DimsAttr::kBatch);
  if (operand == 1)
    return -1;
  if (operand == op->getNumOperands() - 1)
    return op.getOutputDims().find(DimsAttr::kBatch);
  return getExtraBatchDim(op.getExtraMapValues()[operand - 2], op.getOutputDims());
}

template <typename ConvOp>
static DimsAttr getConvOperandDims(ConvOp op, unsigned operand) {
  if (operand == 0)
    return op.getInputDims();
  if (operand == 1)
    return op.getFilterDims();
  return operand == op->getNumOperands() - 1 ? op.getOutputDims() : DimsAttr();
}

template <typename ConvOp>
static void setConvOperandDims(ConvOp op, unsigned operand, DimsAttr dims) {
  if (operand == 0)
    op.setInputDimsAttr(dims);
  else if (operand == 1)
    op.setFilterDimsAttr(dims);
  else if (operand == op->getNumOperands() - 1)
    op.setOutputDimsAttr(dims);
}

/// Products of a convolution's result with the elements of one filter, or of a transposed one's
/// input with the elements of one input channel's filters.
template <typename ConvOp>
static int64_t getConvNumProducts(ConvOp op, Value activation, int64_t filterRole) {
  auto getType = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  RankedTensorType filter = getType(op.getFilter());
  int64_t count = op.getFilterDims().getLogicalSize(filterRole, filter.getShape());
  return getType(activation).getNumElements() *
         (filter.getNumElements() / std::max<int64_t>(count, 1));
}

int64_t ConvOp::getNumProducts() {
  return getConvNumProducts(*this, getResult(), DimsAttr::kFilter);
}
int64_t ConvTransposeOp::getNumProducts() {
  return getConvNumProducts(*this, getInput(), DimsAttr::kChannel);
}

#define UDNN_CONV_INTERFACES(OP)                                                                   \
  int64_t OP::getOperandBatchDim(unsigned operand) {                                               \
    return getConvOperandBatchDim(*this, operand);                                                 \
  }                                                                                                \
  int64_t OP::getResultBatchDim(unsigned) { return getOutputDims().find(DimsAttr::kBatch); }       \
  DimsAttr OP::getOperandDims(unsigned operand) { return getConvOperandDims(*this, operand); }     \
  void OP::setOperandDims(unsigned operand, DimsAttr dims) {                                       \
    setConvOperandDims(*this, operand, dims);                                                      \
  }

UDNN_CONV_INTERFACES(ConvOp)
UDNN_CONV_INTERFACES(ConvTransposeOp)
