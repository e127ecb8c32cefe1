//===- MatmulOperators.cpp - matrix products --------------------------------===//
//
// MatMul and Gemm.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"
#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

/// Sums of half types are kept in f32; integers wrap around in their own type.
static Type getAccumulator(Type elementType) {
  if (isa<FloatType>(elementType) && !elementType.isF64())
    return Float32Type::get(elementType.getContext());
  return elementType;
}

static Value emitMatmul(NodeContext &ctx, Value lhs, Value rhs, ArrayRef<int64_t> shape,
                        bool transposeLhs, bool transposeRhs) {
  OpBuilder &b = ctx.builder;
  Type elementType = ctx.getInputType(0).getElementType();
  Value init = ctx.createEmpty(shape, elementType);
  return dnn::MatmulOp::create(b, ctx.loc, init.getType(), lhs, rhs, ValueRange{}, init,
                               transposeLhs, transposeRhs, isUnsigned(ctx.getElementType(0)),
                               getAccumulator(elementType), b.getAffineMapArrayAttr({}),
                               /*accumulate=*/false)
      .getResult();
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// An operand as a matrix or as one batch dimension of matrices; broadcast to `batch` unless it is
/// a single matrix.
static FailureOr<Value> getBatchedOperand(NodeContext &ctx, Value operand,
                                          ArrayRef<int64_t> batch) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
  ArrayRef<int64_t> matrix = shape.take_back(2), own = shape.drop_back(2);
  if (getProduct(own) == 1)
    return ctx.createReshape(operand, matrix);
  if (getProduct(own) != getProduct(batch)) {
    SmallVector<int64_t> full(batch);
    full.append(matrix.begin(), matrix.end());
    FailureOr<Value> expanded = ctx.createElementwise(
        operand, full, getElementTypeOrSelf(operand.getType()),
        [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
    if (failed(expanded))
      return failure();
    operand = *expanded;
  }
  return ctx.createReshape(operand, {getProduct(batch), matrix[0], matrix[1]});
}

static LogicalResult importMatMul(NodeContext &ctx) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  Value lhs = ctx.getInput(0), rhs = ctx.getInput(1);
  ArrayRef<int64_t> lhsShape = ctx.getInputType(0).getShape();
  ArrayRef<int64_t> rhsShape = ctx.getInputType(1).getShape();
  if (lhsShape.empty() || rhsShape.empty())
    return ctx.emitError() << "expects operands of rank 1 or more, got " << lhsShape.size()
                           << " and " << rhsShape.size();
  // A vector is a matrix of one row or one column that the result does not have.
  bool isRow = lhsShape.size() == 1, isColumn = rhsShape.size() == 1;
  if (isRow)
    lhs = ctx.createReshape(lhs, {1, lhsShape[0]});
  if (isColumn)
    rhs = ctx.createReshape(rhs, {rhsShape[0], 1});
  lhsShape = cast<RankedTensorType>(lhs.getType()).getShape();
  rhsShape = cast<RankedTensorType>(rhs.getType()).getShape();
  int64_t m = lhsShape[lhsShape.size() - 2], k = lhsShape.back(), n = rhsShape.back();
  if (rhsShape[rhsShape.size() - 2] != k)
    return ctx.emitError() << "expects the summed dimension " << k
                           << " of input 0 to equal that of input 1, got "
                           << rhsShape[rhsShape.size() - 2];
  FailureOr<SmallVector<int64_t>> batch =
      ctx.broadcastShapes({lhsShape.drop_back(2), rhsShape.drop_back(2)});
  if (failed(batch))
    return failure();
  SmallVector<int64_t> shape(*batch);
  if (!isRow)
    shape.push_back(m);
  if (!isColumn)
    shape.push_back(n);
  if (failed(checkShape(ctx, shape)))
    return failure();

  int64_t count = getProduct(*batch);
  FailureOr<Value> lhsOperand = getBatchedOperand(ctx, lhs, *batch);
  FailureOr<Value> rhsOperand = getBatchedOperand(ctx, rhs, *batch);
  if (failed(lhsOperand) || failed(rhsOperand))
    return failure();
  int64_t lhsRank = cast<RankedTensorType>(lhsOperand->getType()).getRank();
  int64_t rhsRank = cast<RankedTensorType>(rhsOperand->getType()).getRank();
  SmallVector<int64_t> productShape = {m, n};
  if (lhsRank == 3 && rhsRank == 2) {
    // One matrix for all: the batch is rows as well.
    lhsOperand = ctx.createReshape(*lhsOperand, {count * m, k});
    productShape = {count * m, n};
  } else if (lhsRank == 3 || rhsRank == 3) {
    productShape = {count, m, n};
  }
  Value product = emitMatmul(ctx, *lhsOperand, *rhsOperand, productShape, false, false);
  return ctx.setOutput(0, ctx.createReshape(product, shape));
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// alpha * product + beta * c, in one pass over the result.
static FailureOr<Value> addScaled(NodeContext &ctx, Value product, float alpha, float beta) {
  auto type = cast<RankedTensorType>(product.getType());
  bool hasC = ctx.hasInput(2) && beta != 0;
  if (!hasC && alpha == 1)
    return product;
  SmallVector<Value> operands = {product};
  if (hasC)
    operands.push_back(ctx.getInput(2));
  Type elementType = type.getElementType();
  auto scale = [](OpBuilder &b, Location loc, Value value, float factor) -> Value {
    if (factor == 1)
      return value;
    Value constant = NodeContext::createScalar(b, loc, value.getType(), factor);
    return arith::MulFOp::create(b, loc, value, constant);
  };
  return ctx.createElementwise(operands, type.getShape(), elementType,
                               [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
                                 Value result = scale(b, loc, elements[0], alpha);
                                 if (!hasC)
                                   return result;
                                 Value c = scale(b, loc, elements[1], beta);
                                 if (isa<IntegerType>(elementType))
                                   return arith::AddIOp::create(b, loc, result, c);
                                 return arith::AddFOp::create(b, loc, result, c);
                               });
}

static LogicalResult importGemm(NodeContext &ctx) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  RankedTensorType lhs = ctx.getInputType(0), rhs = ctx.getInputType(1);
  if (lhs.getRank() != 2 || rhs.getRank() != 2)
    return ctx.emitError() << "expects matrices, got ranks " << lhs.getRank() << " and "
                           << rhs.getRank();
  bool transposeLhs = ctx.getInt("transA", 0) != 0, transposeRhs = ctx.getInt("transB", 0) != 0;
  int64_t m = lhs.getDimSize(transposeLhs ? 1 : 0), k = lhs.getDimSize(transposeLhs ? 0 : 1);
  int64_t rhsK = rhs.getDimSize(transposeRhs ? 1 : 0), n = rhs.getDimSize(transposeRhs ? 0 : 1);
  if (k != rhsK)
    return ctx.emitError() << "expects the summed dimension " << k
                           << " of input 0 to equal that of input 1, got " << rhsK;
  float alpha = ctx.getFloat("alpha", 1), beta = ctx.getFloat("beta", 1);
  if (!isFloat(ctx.getElementType(0)) && (alpha != 1 || (beta != 1 && beta != 0)))
    return ctx.emitError() << "alpha and beta other than 1 are not supported for integers";
  Value product =
      emitMatmul(ctx, ctx.getInput(0), ctx.getInput(1), {m, n}, transposeLhs, transposeRhs);
  FailureOr<Value> result = addScaled(ctx, product, alpha, beta);
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result);
}

void udnn::onnx::registerMatmulOperators(OperatorRegistry &registry) {
  TypeSet types = kFloatTypes | TypeSet({ElementType::Int32, ElementType::Int64,
                                         ElementType::UInt32, ElementType::UInt64});
  registry.add({"Gemm", {7, 10}, 3, 3, 1, types, importGemm, 0, "alpha or beta for integers"});
  registry.add({"Gemm", {11}, 2, 3, 1, types, importGemm, 0, "alpha or beta for integers"});
  registry.add({"MatMul", {}, 2, 2, 1, types, importMatMul});
}
