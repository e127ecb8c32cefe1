//===- KernelBuilder.cpp - builder kit of kernels ---------------------------===//
//
// Index arithmetic, flat buffers, and control flow.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace udnn;

Buffer KernelBuilder::flatten(Value argument) {
  auto type = cast<MemRefType>(argument.getType());
  Buffer buffer;
  int64_t offset = 0;
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  [[maybe_unused]] LogicalResult strided = type.getStridesAndOffset(buffer.strides, offset);
  assert(succeeded(strided) && "kernel arguments have strides");
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip(buffer.shape, buffer.strides))
    span += (size - 1) * stride;
  auto flat = MemRefType::get({span}, type.getElementType());
  buffer.memref = memref::ReinterpretCastOp::create(builder, loc, flat, argument, /*offset=*/0,
                                                    ArrayRef<int64_t>{span}, ArrayRef<int64_t>{1});
  return buffer;
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

SmallVector<Index> KernelBuilder::delinearize(Index number, ArrayRef<int64_t> shape) {
  SmallVector<Index> coordinates(shape.size(), 0);
  for (int64_t i = int64_t(shape.size()) - 1; i > 0; --i) {
    coordinates[i] = rem(number, shape[i]);
    number = div(number, shape[i]);
  }
  if (!shape.empty())
    coordinates[0] = number;
  return coordinates;
}

Value KernelBuilder::toValue(Index a) {
  if (a.value)
    return a.value;
  Value &known = constants[a.constant];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    known = arith::ConstantIndexOp::create(builder, loc, a.constant);
  }
  return known;
}

Index KernelBuilder::add(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return a.constant + b.constant;
  if (a == Index(0))
    return b;
  if (b == Index(0))
    return a;
  return Value(arith::AddIOp::create(builder, loc, toValue(a), toValue(b),
                                     arith::IntegerOverflowFlags::nsw));
}

Index KernelBuilder::sub(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return a.constant - b.constant;
  if (b == Index(0))
    return a;
  return Value(arith::SubIOp::create(builder, loc, toValue(a), toValue(b),
                                     arith::IntegerOverflowFlags::nsw));
}

Index KernelBuilder::mul(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return a.constant * b.constant;
  if (a == Index(0) || b == Index(0))
    return 0;
  if (a == Index(1))
    return b;
  if (b == Index(1))
    return a;
  return Value(arith::MulIOp::create(builder, loc, toValue(a), toValue(b),
                                     arith::IntegerOverflowFlags::nsw));
}

Index KernelBuilder::div(Index a, int64_t b) {
  if (a.isConstant())
    return a.constant / b;
  return b == 1 ? a : Index(Value(arith::DivUIOp::create(builder, loc, a.value, toValue(b))));
}

Index KernelBuilder::rem(Index a, int64_t b) {
  if (a.isConstant())
    return a.constant % b;
  return b == 1 ? Index(0)
                : Index(Value(arith::RemUIOp::create(builder, loc, a.value, toValue(b))));
}

Index KernelBuilder::ceilDiv(Index a, int64_t b) { return div(add(a, b - 1), b); }

Index KernelBuilder::max(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return std::max(a.constant, b.constant);
  return Value(arith::MaxSIOp::create(builder, loc, toValue(a), toValue(b)));
}

Index KernelBuilder::min(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return std::min(a.constant, b.constant);
  return Value(arith::MinSIOp::create(builder, loc, toValue(a), toValue(b)));
}

Value KernelBuilder::compare(arith::CmpIPredicate predicate, Index a, Index b) {
  return arith::CmpIOp::create(builder, loc, predicate, toValue(a), toValue(b));
}

Value KernelBuilder::logicalAnd(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Values KernelBuilder::loop(Index lo, Index hi, int64_t step, ValueRange carried,
                           function_ref<Values(Index, Values)> body) {
  if (lo.isConstant() && hi.isConstant() && hi.constant - lo.constant <= step)
    return hi.constant > lo.constant ? body(lo, Values(carried)) : Values(carried);
  auto loop = scf::ForOp::create(builder, loc, toValue(lo), toValue(hi), toValue(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values results = body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  if (!carried.empty())
    scf::YieldOp::create(builder, loc, results);
  return Values(loop.getResults());
}

void KernelBuilder::loop(Index lo, Index hi, int64_t step, function_ref<void(Index)> body) {
  loop(lo, hi, step, ValueRange(), [&](Index iv, Values) {
    body(iv);
    return Values();
  });
}

void KernelBuilder::branch(Value condition, function_ref<void()> then,
                           function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(op.elseBlock());
  otherwise();
}
