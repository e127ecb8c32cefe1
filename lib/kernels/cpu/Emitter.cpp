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

Emitter::Emitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
    : KernelBuilder(module.getContext(), kernel.getLoc()), lanes(lanes),
      vectorType(VectorType::get({lanes}, builder.getF32Type())) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  if (kernel.getWorkerBytes())
    types.push_back(MemRefType::get({kernel.getWorkerBytes()}, builder.getI8Type()));
  types.push_back(builder.getIndexType());
  builder.setInsertionPointToEnd(module.getBody());
  function =
      func::FuncOp::create(builder, loc, kernel.getSymName(), builder.getFunctionType(types, {}));
  start(function.addEntryBlock());
  task = function.getArguments().back();
  for (unsigned i = 0, e = kernel.getArgumentTypes().size(); i < e; ++i)
    buffers.push_back(flatten(function.getArgument(i)));
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
