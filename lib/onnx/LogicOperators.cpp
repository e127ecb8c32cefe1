//===- LogicOperators.cpp - comparisons, logic and bits ---------------------===//
//
// Equal, Greater, Less, GreaterOrEqual, LessOrEqual, And, Or, Xor, BitwiseAnd, BitwiseOr,
// BitwiseXor, BitShift.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

namespace {
/// The predicates of one comparison for floats, signed and unsigned integers.
struct Comparison {
  arith::CmpFPredicate ofFloats;
  arith::CmpIPredicate ofSigned, ofUnsigned;
};
} // namespace

static ImportFunction makeComparison(Comparison comparison) {
  return [comparison](NodeContext &ctx) {
    if (failed(checkSameTypes(ctx)))
      return failure();
    ElementType type = ctx.getElementType(0);
    return importPredicate(ctx, 2, [&](ElementEmitter &e, ValueRange v) {
      if (isFloat(type))
        return e.emit<arith::CmpFOp>(comparison.ofFloats, v[0], v[1]);
      return e.emit<arith::CmpIOp>(isUnsigned(type) ? comparison.ofUnsigned : comparison.ofSigned,
                                   v[0], v[1]);
    });
  };
}

/// An operator that is one integer operation of the arith dialect.
template <typename ArithOp>
static LogicalResult importBits(NodeContext &ctx) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  return importElementwise(
      ctx, 2, [](ElementEmitter &e, ValueRange v) { return e.emit<ArithOp>(v[0], v[1]); });
}

static LogicalResult importBitShift(NodeContext &ctx) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  std::string direction = ctx.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return ctx.emitError() << "expects 'direction' to be LEFT or RIGHT, got '" << direction << "'";
  bool isArithmetic = direction == "RIGHT" && !isUnsigned(ctx.getElementType(0));
  int64_t width = ctx.getInputType(0).getElementTypeBitWidth();
  return importElementwise(ctx, 2, [&](ElementEmitter &e, ValueRange v) {
    // As unsigned numbers, negative shifts are too large as well.
    Value fits = e.less(v[1], e.constant(v[1], width), /*isUnsigned=*/true);
    if (isArithmetic)
      return e.emit<arith::ShRSIOp>(v[0], e.select(fits, v[1], e.constant(v[1], width - 1)));
    Value zero = e.constant(v[1], 0);
    Value amount = e.select(fits, v[1], zero);
    Value shifted = direction == "LEFT" ? e.emit<arith::ShLIOp>(v[0], amount)
                                        : e.emit<arith::ShRUIOp>(v[0], amount);
    return e.select(fits, shifted, zero);
  });
}

void udnn::onnx::registerLogicOperators(OperatorRegistry &registry) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  auto add = [&](const char *name, OpsetRange opsets, TypeSet types, ImportFunction import) {
    registry.add({name, opsets, 2, 2, 1, types, std::move(import)});
  };
  add("And", {}, kBoolType, importBits<arith::AndIOp>);
  add("BitShift", {11, 27}, kUnsignedTypes, importBitShift);
  add("BitShift", {28}, kIntegerTypes, importBitShift);
  add("BitwiseAnd", {18}, kIntegerTypes, importBits<arith::AndIOp>);
  add("BitwiseOr", {18}, kIntegerTypes, importBits<arith::OrIOp>);
  add("BitwiseXor", {18}, kIntegerTypes, importBits<arith::XOrIOp>);
  add("Equal", {}, kAllTypes, makeComparison({F::OEQ, I::eq, I::eq}));
  add("Greater", {}, kNumericTypes, makeComparison({F::OGT, I::sgt, I::ugt}));
  add("GreaterOrEqual", {12}, kNumericTypes, makeComparison({F::OGE, I::sge, I::uge}));
  add("Less", {}, kNumericTypes, makeComparison({F::OLT, I::slt, I::ult}));
  add("LessOrEqual", {12}, kNumericTypes, makeComparison({F::OLE, I::sle, I::ule}));
  add("Or", {}, kBoolType, importBits<arith::OrIOp>);
  add("Xor", {}, kBoolType, importBits<arith::XOrIOp>);
}
