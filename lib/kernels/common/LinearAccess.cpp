//===- LinearAccess.cpp - where elements of operands lie --------------------===//
//
// Reads affine maps as linear functions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LinearAccess.h"

using namespace mlir;
using namespace udnn;

/// Adds `scale * expr` to `access`; false when `expr` is not linear.
static bool addLinear(AffineExpr expr, int64_t scale, LinearAccess &access) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    access.constant += scale * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    access.coefficients[dim.getPosition()] += scale;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), scale, access) && addLinear(binary.getRHS(), scale, access);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor &&
         addLinear(binary.getLHS(), scale * factor.getValue(), access);
}

std::optional<LinearAccess> udnn::linearize(AffineMap map, ArrayRef<int64_t> strides) {
  LinearAccess access;
  access.coefficients.assign(map.getNumDims(), 0);
  for (auto [expr, stride] : llvm::zip(map.getResults(), strides))
    if (!addLinear(expr, stride, access))
      return std::nullopt;
  return access;
}

SmallVector<int64_t> udnn::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

bool udnn::isResultShaped(dnn::EpilogueOpInterface op, unsigned extra) {
  OperandRange extras = op.getExtrasOperandRange();
  auto type = dyn_cast<RankedTensorType>(extras[extra].getType());
  return type && op.getExtraMapValues()[extra].isIdentity() &&
         type.getShape() == cast<RankedTensorType>(op->getResult(0).getType()).getShape();
}
