//===- IndexAnalysis.cpp - what is known of offsets and sizes ---------------===//
//
// Divisors of indices, and sizes that are cut off at a loop's end.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "IndexAnalysis.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace udnn::dnn;

/// The largest known divisor of a loop's induction variable; 0 for one that is always 0.
static int64_t getInductionDivisor(LoopLikeOpInterface loop, Value variable) {
  std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> starts = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  if (!variables || !starts || !steps)
    return 1;
  for (auto [candidate, start, step] : llvm::zip(*variables, *starts, *steps))
    if (candidate == variable)
      return std::gcd(getKnownDivisor(start), getKnownDivisor(step));
  return 1;
}

int64_t udnn::dnn::getKnownDivisor(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::abs(*constant);
  auto value = cast<Value>(index);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    return loop ? getInductionDivisor(loop, value) : 1;
  }
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return 1;
  // What is known of an operand is a factor of its dimension or symbol.
  AffineMap map = apply.getAffineMap();
  SmallVector<AffineExpr> dims, symbols;
  for (auto [i, operand] : llvm::enumerate(apply.getOperands())) {
    bool isDim = i < map.getNumDims();
    AffineExpr expr = isDim ? getAffineDimExpr(i, map.getContext())
                            : getAffineSymbolExpr(i - map.getNumDims(), map.getContext());
    (isDim ? dims : symbols).push_back(expr * getKnownDivisor(operand));
  }
  AffineExpr expr = map.getResult(0).replaceDimsAndSymbols(dims, symbols);
  expr = simplifyAffineExpr(expr, map.getNumDims(), map.getNumSymbols());
  return expr.getLargestKnownDivisor();
}

/// `map` at `operands`, as an expression over `values`, to which it adds what it reads.
static AffineExpr compose(AffineMap map, ValueRange operands, SmallVectorImpl<Value> &values) {
  SmallVector<Value> inputs(operands);
  affine::fullyComposeAffineMapAndOperands(&map, &inputs);
  SmallVector<AffineExpr> symbols;
  for (Value input : inputs) {
    unsigned number = llvm::find(values, input) - values.begin();
    if (number == values.size())
      values.push_back(input);
    symbols.push_back(getAffineSymbolExpr(number, map.getContext()));
  }
  ArrayRef<AffineExpr> all = symbols;
  return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                all.drop_front(map.getNumDims()));
}

std::optional<int64_t> udnn::dnn::getFullTileSize(OpFoldResult offset, OpFoldResult size,
                                                  int64_t count) {
  auto value = dyn_cast<Value>(size);
  auto start = dyn_cast<Value>(offset);
  auto min = value ? value.getDefiningOp<affine::AffineMinOp>() : nullptr;
  if (!start || !min || min.getMap().getNumResults() != 2)
    return std::nullopt;
  AffineMap map = min.getMap();
  for (unsigned i : {0, 1}) {
    auto full = dyn_cast<AffineConstantExpr>(map.getResult(i));
    if (!full || full.getValue() < 1 || getKnownDivisor(offset) % full.getValue())
      continue;
    SmallVector<Value> values;
    AffineExpr rest = compose(map.getSubMap({1 - i}), min.getOperands(), values);
    AffineExpr first =
        compose(AffineMap::getMultiDimIdentityMap(1, map.getContext()), start, values);
    AffineExpr sum = simplifyAffineExpr(rest + first, 0, values.size());
    if (sum == getAffineConstantExpr(count, map.getContext()))
      return full.getValue();
  }
  return std::nullopt;
}
