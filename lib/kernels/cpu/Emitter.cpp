//===- Emitter.cpp - builder kit of the CPU kernels --------------------------===//
//
// The emitter that the CPU families share.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

//===----------------------------------------------------------------------===//
// The function and its buffers
//===----------------------------------------------------------------------===//

/// Views an argument as one dimension, whatever its strides are.
static Buffer flatten(OpBuilder &builder, Location loc, Value argument) {
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

Emitter::Emitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
    : builder(module.getContext()), loc(kernel.getLoc()), lanes(lanes),
      vectorType(VectorType::get({lanes}, builder.getF32Type())) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  if (kernel.getWorkerBytes())
    types.push_back(MemRefType::get({kernel.getWorkerBytes()}, builder.getI8Type()));
  types.push_back(builder.getIndexType());
  builder.setInsertionPointToEnd(module.getBody());
  function =
      func::FuncOp::create(builder, loc, kernel.getSymName(), builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  task = function.getArguments().back();
  for (unsigned i = 0, e = kernel.getArgumentTypes().size(); i < e; ++i)
    buffers.push_back(flatten(builder, loc, function.getArgument(i)));
}

void Emitter::finish() { func::ReturnOp::create(builder, loc); }

Buffer Emitter::getScratch(int64_t offset, ArrayRef<int64_t> shape) {
  Value scratch = function.getArgument(function.getNumArguments() - 2);
  Buffer buffer;
  buffer.shape.assign(shape.begin(), shape.end());
  buffer.strides.assign(shape.size(), 1);
  int64_t size = 1;
  for (int64_t i = shape.size() - 1; i >= 0; --i) {
    buffer.strides[i] = size;
    size *= shape[i];
  }
  auto type = MemRefType::get({size}, builder.getF32Type());
  buffer.memref =
      memref::ViewOp::create(builder, loc, type, scratch, toValue(offset * 4), ValueRange());
  return buffer;
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::toValue(Index a) {
  if (a.value)
    return a.value;
  Value &known = constants[a.constant];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.getBody().front());
    known = arith::ConstantIndexOp::create(builder, loc, a.constant);
  }
  return known;
}

Index Emitter::add(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return a.constant + b.constant;
  if (a == Index(0))
    return b;
  if (b == Index(0))
    return a;
  return Value(arith::AddIOp::create(builder, loc, toValue(a), toValue(b),
                                     arith::IntegerOverflowFlags::nsw));
}

Index Emitter::sub(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return a.constant - b.constant;
  if (b == Index(0))
    return a;
  return Value(arith::SubIOp::create(builder, loc, toValue(a), toValue(b),
                                     arith::IntegerOverflowFlags::nsw));
}

Index Emitter::mul(Index a, Index b) {
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

Index Emitter::div(Index a, int64_t b) {
  if (a.isConstant())
    return a.constant / b;
  return b == 1 ? a : Index(Value(arith::DivUIOp::create(builder, loc, a.value, toValue(b))));
}

Index Emitter::rem(Index a, int64_t b) {
  if (a.isConstant())
    return a.constant % b;
  return b == 1 ? Index(0)
                : Index(Value(arith::RemUIOp::create(builder, loc, a.value, toValue(b))));
}

Index Emitter::ceilDiv(Index a, int64_t b) { return div(add(a, b - 1), b); }

Index Emitter::max(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return std::max(a.constant, b.constant);
  return Value(arith::MaxSIOp::create(builder, loc, toValue(a), toValue(b)));
}

Index Emitter::min(Index a, Index b) {
  if (a.isConstant() && b.isConstant())
    return std::min(a.constant, b.constant);
  return Value(arith::MinSIOp::create(builder, loc, toValue(a), toValue(b)));
}

Value Emitter::compare(arith::CmpIPredicate predicate, Index a, Index b) {
  return arith::CmpIOp::create(builder, loc, predicate, toValue(a), toValue(b));
}

Value Emitter::logicalAnd(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value Emitter::splat(double value) {
  auto attr = DenseElementsAttr::get(vectorType, static_cast<float>(value));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value Emitter::load(const Buffer &buffer, Index at) {
  return vector::LoadOp::create(builder, loc, vectorType, buffer.memref, toValue(at));
}

Value Emitter::loadScalar(const Buffer &buffer, Index at) {
  return memref::LoadOp::create(builder, loc, buffer.memref, toValue(at));
}

Value Emitter::load(const Buffer &buffer, Index at, Value mask) {
  return vector::MaskedLoadOp::create(builder, loc, vectorType, buffer.memref, toValue(at), mask,
                                      splat(0));
}

Value Emitter::broadcast(const Buffer &buffer, Index at) {
  return vector::BroadcastOp::create(builder, loc, vectorType, loadScalar(buffer, at));
}

void Emitter::prefetch(const Buffer &buffer, Index at, int64_t count) {
  constexpr int64_t kLineFloats = 16;
  for (int64_t i = 0; i < count; i += kLineFloats)
    memref::PrefetchOp::create(builder, loc, buffer.memref, toValue(add(at, i)),
                               /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
}

void Emitter::store(Value vector, const Buffer &buffer, Index at) {
  vector::StoreOp::create(builder, loc, vector, buffer.memref, toValue(at));
}

void Emitter::store(Value vector, const Buffer &buffer, Index at, Value mask) {
  vector::MaskedStoreOp::create(builder, loc, buffer.memref, toValue(at), mask, vector);
}

Value Emitter::mask(Index count) {
  auto type = VectorType::get({lanes}, builder.getI1Type());
  return vector::CreateMaskOp::create(builder, loc, type, ValueRange{toValue(count)});
}

Value Emitter::fma(Value a, Value b, Value c) {
  return vector::FMAOp::create(builder, loc, a, b, c);
}
Value Emitter::addf(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
Value Emitter::subf(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
Value Emitter::mulf(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }

Value Emitter::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value Emitter::maxKeepingNaN(Value a, Value b) {
  Value less = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  return select(less, b, a);
}

Value Emitter::minKeepingNaN(Value a, Value b) {
  Value greater = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  return select(greater, b, a);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Vectors Emitter::loop(Index lo, Index hi, int64_t step, ValueRange carried,
                      function_ref<Vectors(Index, Vectors)> body) {
  if (lo.isConstant() && hi.isConstant() && hi.constant - lo.constant <= step)
    return hi.constant > lo.constant ? body(lo, Vectors(carried)) : Vectors(carried);
  auto loop = scf::ForOp::create(builder, loc, toValue(lo), toValue(hi), toValue(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Vectors results = body(loop.getInductionVar(), Vectors(loop.getRegionIterArgs()));
  if (!carried.empty())
    scf::YieldOp::create(builder, loc, results);
  return Vectors(loop.getResults());
}

void Emitter::loop(Index lo, Index hi, int64_t step, function_ref<void(Index)> body) {
  loop(lo, hi, step, ValueRange(), [&](Index iv, Vectors) {
    body(iv);
    return Vectors();
  });
}

void Emitter::branch(Value condition, function_ref<void()> then, function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(op.elseBlock());
  otherwise();
}
