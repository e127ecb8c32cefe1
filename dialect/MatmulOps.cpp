//===- MatmulOps.cpp - matrix product ---------------------------------------===//
//
// Checks and interfaces of dnn.matmul.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"

using namespace mlir;
using namespace udnn::dnn;

LogicalResult MatmulOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (lhs.getRank() < 2 || rhs.getRank() < 2 || result.getRank() < 2)
    return emitOpError("expects operands of rank 2 or more, got ")
           << lhs.getRank() << ", " << rhs.getRank() << " and " << result.getRank();
  ArrayRef<int64_t> batch = result.getShape().drop_back(2);
  for (auto [name, type] : {std::pair("lhs", lhs), std::pair("rhs", rhs)})
    if (type.getRank() != 2 && type.getShape().drop_back(2) != batch)
      return emitOpError("expects '")
             << name << "' to have the result's batch dimensions or rank 2, got " << type;
  auto size = [](RankedTensorType type, int64_t fromEnd) {
    return type.getDimSize(type.getRank() - fromEnd);
  };
  int64_t m = size(lhs, getTransposeLhs() ? 1 : 2), k = size(lhs, getTransposeLhs() ? 2 : 1);
  int64_t rhsK = size(rhs, getTransposeRhs() ? 1 : 2), n = size(rhs, getTransposeRhs() ? 2 : 1);
  if (k != rhsK)
    return emitOpError("expects the summed dimension ")
           << k << " of 'lhs' to equal that of 'rhs', got " << rhsK;
  if (size(result, 2) != m || size(result, 1) != n)
    return emitOpError("expects a result of ")
           << m << " x " << n << ", got " << size(result, 2) << " x " << size(result, 1);
  return verifyEpilogue(*this);
}

// The first batch dimension, where there is one, is the batch; else the rows of the left side.
int64_t MatmulOp::getOperandBatchDim(unsigned operand) {
  int64_t resultRank = cast<RankedTensorType>(getResult().getType()).getRank();
  int64_t lhsRank = cast<RankedTensorType>(getLhs().getType()).getRank();
  if (operand == 0)
    return resultRank == 2 ? (getTransposeLhs() ? 1 : 0) : lhsRank == 2 ? -1 : 0;
  if (operand == 1)
    return resultRank == 2 || cast<RankedTensorType>(getRhs().getType()).getRank() == 2 ? -1 : 0;
  if (operand == getNumOperands() - 1)
    return 0;
  for (auto [i, expr] : llvm::enumerate(getExtraMapValues()[operand - 2].getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() == 0)
      return i;
  return -1;
}

int64_t MatmulOp::getResultBatchDim(unsigned) { return 0; }

int64_t MatmulOp::getNumProducts() {
  ArrayRef<int64_t> lhs = cast<RankedTensorType>(getLhs().getType()).getShape();
  int64_t k = lhs[lhs.size() - (getTransposeLhs() ? 2 : 1)];
  return cast<RankedTensorType>(getResult().getType()).getNumElements() * k;
}
