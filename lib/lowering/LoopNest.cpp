//===- LoopNest.cpp - linalg.generic from loops and accesses ----------------===//
//
// Decides which accesses become operands with indexing maps and which tensor.extracts.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <algorithm>

using namespace mlir;
using namespace udnn;
using namespace udnn::dnn;

//===----------------------------------------------------------------------===//
// Loops and accesses
//===----------------------------------------------------------------------===//

AffineExpr LoopNest::addLoop(int64_t size, utils::IteratorType iterator) {
  sizes.push_back(size);
  iterators.push_back(iterator);
  return builder.getAffineDimExpr(sizes.size() - 1);
}

SmallVector<AffineExpr> LoopNest::addParallel(ArrayRef<int64_t> newSizes) {
  return llvm::map_to_vector(newSizes, [&](int64_t size) { return addParallel(size); });
}

/// Whether tiling a loop of `expr` reads one slice: sums of loops with positive factors.
static bool isSliceable(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return isSliceable(binary.getLHS()) && isSliceable(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor && factor.getValue() > 0 &&
         isSliceable(binary.getLHS());
}

static int64_t floorDivide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// Smallest and largest value of an expression over the loops.
std::pair<int64_t, int64_t> LoopNest::getRange(AffineExpr expr) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {0, std::max<int64_t>(sizes[dim.getPosition()] - 1, 0)};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto [low, high] = getRange(binary.getLHS());
  auto [low2, high2] = getRange(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return {low + low2, high + high2};
  case AffineExprKind::Mul:
    return low2 >= 0 ? std::pair(low * low2, high * low2) : std::pair(high * low2, low * low2);
  case AffineExprKind::FloorDiv:
    return {floorDivide(low, low2), floorDivide(high, low2)};
  default:
    return {0, low2 - 1};
  }
}

/// Makes the access an operand where an indexing map can name its position.
bool LoopNest::addAsOperand(Access &access) {
  auto type = cast<RankedTensorType>(access.tensor.getType());
  SmallVector<AffineExpr> indices(type.getRank());
  for (const Axis &axis : access.axes) {
    bool isUnit = axis.size == 1 && axis.expr == builder.getAffineConstantExpr(0);
    if (axis.blockPosition >= 0 || axis.divisor != 1 || (!isUnit && !isSliceable(axis.expr)) ||
        getRange(axis.expr).second >= axis.size)
      return false;
    // A plain loop must walk its whole dimension.
    if (isa<AffineDimExpr>(axis.expr) && getRange(axis.expr).second + 1 < axis.size)
      return false;
    if (!isUnit)
      indices[axis.position] = axis.expr;
  }
  // Dimensions of one element that no loop walks are dropped: maps hold no constants.
  SmallVector<AffineExpr> kept;
  SmallVector<int64_t> shape;
  for (auto [i, expr] : llvm::enumerate(indices))
    if (expr) {
      kept.push_back(expr);
      shape.push_back(type.getDimSize(i));
    }
  if (kept.size() != indices.size()) {
    SmallVector<ReassociationIndices> groups(kept.size());
    int64_t group = -1;
    for (auto [i, expr] : llvm::enumerate(indices)) {
      group += expr != nullptr;
      if (!groups.empty())
        groups[std::max<int64_t>(group, 0)].push_back(i);
    }
    access.tensor = tensor::CollapseShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()), access.tensor, groups);
  }
  access.operand = operands.size();
  operands.push_back(access.tensor);
  operandIndices.push_back(kept);
  return true;
}

void LoopNest::read(Value tensor, ArrayRef<Axis> axes) {
  Access access{tensor, SmallVector<Axis>(axes)};
  addAsOperand(access);
  accesses.push_back(access);
}

void LoopNest::read(Value tensor, ArrayRef<AffineExpr> indices) {
  SmallVector<Axis> axes;
  for (auto [i, expr] : llvm::enumerate(indices))
    axes.push_back({expr, cast<RankedTensorType>(tensor.getType()).getDimSize(i), int64_t(i)});
  read(tensor, axes);
}

/// Adds an operand that is never read but gives the range of the loops that no other operand gives.
void LoopNest::addShapeOperand() {
  llvm::SmallBitVector covered(sizes.size());
  for (ArrayRef<AffineExpr> indices : operandIndices)
    for (AffineExpr expr : indices)
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        covered.set(dim.getPosition());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> indices;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!covered.test(i)) {
      shape.push_back(size);
      indices.push_back(builder.getAffineDimExpr(i));
    }
  if (shape.empty())
    return;
  operands.push_back(tensor::EmptyOp::create(builder, loc, shape, builder.getI8Type()));
  operandIndices.push_back(indices);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

ValueRange LoopNest::build(ValueRange inits, ArrayRef<SmallVector<AffineExpr>> initIndices,
                           BodyFn body) {
  // The inits' loops are known from the inits.
  size_t numInputs = operandIndices.size();
  llvm::append_range(operandIndices, initIndices);
  addShapeOperand();
  bool hasShape = operandIndices.size() > numInputs + initIndices.size();
  if (hasShape)
    std::rotate(operandIndices.begin() + numInputs, operandIndices.end() - 1, operandIndices.end());
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> indices : operandIndices)
    maps.push_back(AffineMap::get(sizes.size(), 0, indices, builder.getContext()));
  auto generic = linalg::GenericOp::create(
      builder, loc, inits.getTypes(), operands, inits, maps, iterators,
      [&](OpBuilder &b, Location bodyLoc, ValueRange arguments) {
        SmallVector<Element> elements;
        NestBody nest{b, bodyLoc, {}, arguments.take_back(inits.size())};
        for (const Access &access : accesses)
          elements.push_back(access.operand >= 0 ? Element{arguments[access.operand], {}}
                                                 : extract(nest, access));
        nest.elements = elements;
        SmallVector<Value> results = body(nest);
        for (auto [result, accumulator] : llvm::zip(results, nest.accumulators))
          result = convertScalar(b, bodyLoc, result, accumulator.getType());
        linalg::YieldOp::create(b, bodyLoc, results);
      });
  return generic.getResults();
}

Value LoopNest::build(Value init, ArrayRef<AffineExpr> indices, BodyFn body) {
  return build(ValueRange(init), {SmallVector<AffineExpr>(indices)}, body)[0];
}

/// Reads by tensor.extract at clamped indices.
Element LoopNest::extract(const NestBody &body, const Access &access) const {
  OpBuilder &b = body.builder;
  Location bodyLoc = body.loc;
  auto type = cast<RankedTensorType>(access.tensor.getType());
  Element element;
  if (type.getNumElements() == 0) {
    element.value = makeScalar(b, bodyLoc, type.getElementType(), 0);
    element.inside = arith::ConstantIntOp::create(b, bodyLoc, 0, 1);
    return element;
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, bodyLoc, value);
  };
  auto require = [&](arith::CmpIPredicate predicate, Value value, int64_t bound) {
    Value test = arith::CmpIOp::create(b, bodyLoc, predicate, value, constant(bound));
    element.inside =
        element.inside ? arith::AndIOp::create(b, bodyLoc, element.inside, test).getResult() : test;
  };
  SmallVector<Value> indices(type.getRank());
  for (const Axis &axis : access.axes) {
    auto [low, high] = getRange(axis.expr);
    Value index = body.index(axis.expr);
    if (low < 0) {
      require(arith::CmpIPredicate::sge, index, 0);
      index = arith::MaxSIOp::create(b, bodyLoc, index, constant(0));
    }
    if (axis.divisor != 1) {
      Value divisor = constant(axis.divisor);
      require(arith::CmpIPredicate::eq, arith::RemUIOp::create(b, bodyLoc, index, divisor), 0);
      index = arith::DivUIOp::create(b, bodyLoc, index, divisor);
    }
    if (high / axis.divisor >= axis.size) {
      require(arith::CmpIPredicate::slt, index, axis.size);
      index = arith::MinSIOp::create(b, bodyLoc, index, constant(axis.size - 1));
    }
    indices[axis.position] = index;
    if (axis.blockPosition < 0)
      continue;
    Value block = constant(axis.block);
    indices[axis.position] = arith::DivUIOp::create(b, bodyLoc, index, block);
    indices[axis.blockPosition] = arith::RemUIOp::create(b, bodyLoc, index, block);
  }
  element.value = tensor::ExtractOp::create(b, bodyLoc, access.tensor, indices);
  return element;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Value NestBody::index(AffineExpr expr) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return linalg::IndexOp::create(builder, loc, dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = index(binary.getLHS()), rhs = index(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  default:
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  }
}

Value NestBody::get(unsigned i, Type type) const {
  return convertScalar(builder, loc, elements[i].value, type);
}

Value NestBody::getOrZero(unsigned i, Type type) const {
  Value value = get(i, type);
  if (!elements[i].inside)
    return value;
  return arith::SelectOp::create(builder, loc, elements[i].inside, value,
                                 makeScalar(builder, loc, type, 0));
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

SmallVector<Axis> udnn::getAxes(DimsAttr dims, RankedTensorType type,
                                function_ref<AffineExpr(int64_t)> getExpr) {
  SmallVector<Axis> axes;
  for (auto [i, role, block] : llvm::enumerate(dims.getRoles(), dims.getBlocks()))
    if (block == 1)
      axes.push_back({getExpr(role), dims.getLogicalSize(role, type.getShape()), int64_t(i),
                      dims.findBlock(role), dims.getBlock(role)});
  return axes;
}

AffineExpr udnn::getLogicalExpr(DimsAttr dims, int64_t role, ArrayRef<AffineExpr> physical) {
  AffineExpr expr = physical[dims.find(role)];
  if (int64_t inner = dims.findBlock(role); inner >= 0)
    return expr * dims.getBlock(role) + physical[inner];
  return expr;
}

Type udnn::getComputeType(Type type) {
  if (!isa<FloatType>(type) || type.isF64())
    return type;
  return Float32Type::get(type.getContext());
}

Value udnn::makeScalar(OpBuilder &builder, Location loc, Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, int64_t(value)));
}

Value udnn::convertScalar(OpBuilder &builder, Location loc, Value value, Type type,
                          bool isUnsigned) {
  if (value.getType() == type)
    return value;
  // Upstream converts between types of different width only.
  if (isa<FloatType>(value.getType()) && isa<FloatType>(type) &&
      value.getType().getIntOrFloatBitWidth() == type.getIntOrFloatBitWidth()) {
    Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, loc, type, wide);
  }
  return convertScalarToDtype(builder, loc, value, type, isUnsigned);
}

Value udnn::makeFilled(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Value value) {
  Value empty = tensor::EmptyOp::create(builder, loc, shape, value.getType());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}
