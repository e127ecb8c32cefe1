//===- Emitter.h - builder kit of the CPU kernels ----------------*- C++ -*-===//
//
// Emits register-blocked f32 kernels: index arithmetic that folds, flat buffers, vectors of the
// device's width, loops that carry vectors.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_EMITTER_H
#define UDNN_LIB_KERNELS_CPU_EMITTER_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace udnn::cpu {

/// An index that is known while emitting (`value` is null) or at run time.
struct Index {
  mlir::Value value;
  int64_t constant = 0;

  Index(int64_t constant) : constant(constant) {}
  Index(int constant) : constant(constant) {}
  Index(mlir::Value value) : value(value) {}

  bool isConstant() const { return !value; }
  bool operator==(const Index &other) const {
    return value == other.value && (value || constant == other.constant);
  }
};

/// A flat f32 view of an argument: element (i, j, ..) is at i*strides[0] + j*strides[1] + ..
struct Buffer {
  mlir::Value memref;
  llvm::SmallVector<int64_t> shape, strides;
};

using Vectors = llvm::SmallVector<mlir::Value>;

/// Emits the function of one kernel. Vectors are `vector<lanes x f32>`.
class Emitter {
public:
  /// Starts the function of `kernel` in `module`.
  Emitter(dnn::KernelOp kernel, mlir::ModuleOp module, int64_t lanes);

  /// Ends the function.
  void finish();

  int64_t getLanes() const { return lanes; }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::VectorType getVectorType() const { return vectorType; }
  Index getTask() const { return task; }
  unsigned getNumBuffers() const { return buffers.size(); }
  const Buffer &getBuffer(unsigned i) const { return buffers[i]; }
  /// A part of the worker's scratch memory, in floats.
  Buffer getScratch(int64_t offset, llvm::ArrayRef<int64_t> shape);

  // Index arithmetic. Operands of div and rem are not negative.
  Index add(Index a, Index b);
  Index sub(Index a, Index b);
  Index mul(Index a, Index b);
  Index div(Index a, int64_t b);
  Index rem(Index a, int64_t b);
  /// Rounds up; for a >= 0.
  Index ceilDiv(Index a, int64_t b);
  Index max(Index a, Index b);
  Index min(Index a, Index b);
  /// a*b + c.
  Index mad(Index a, Index b, Index c) { return add(mul(a, b), c); }
  mlir::Value toValue(Index a);
  /// i1 of a comparison.
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Index a, Index b);
  /// i1: 0 <= a < bound.
  mlir::Value inside(Index a, int64_t bound) {
    return compare(mlir::arith::CmpIPredicate::ult, a, bound);
  }
  mlir::Value logicalAnd(mlir::Value a, mlir::Value b);

  // Vectors.
  mlir::Value splat(double value);
  mlir::Value load(const Buffer &buffer, Index at);
  mlir::Value loadScalar(const Buffer &buffer, Index at);
  /// Loads `lanes` floats of which only the lanes set in `mask` are touched; the others are 0.
  mlir::Value load(const Buffer &buffer, Index at, mlir::Value mask);
  mlir::Value broadcast(const Buffer &buffer, Index at);
  /// Asks for `count` floats from `at` to come into the second-level cache.
  void prefetch(const Buffer &buffer, Index at, int64_t count);
  void store(mlir::Value vector, const Buffer &buffer, Index at);
  void store(mlir::Value vector, const Buffer &buffer, Index at, mlir::Value mask);
  /// A mask of the first `count` lanes.
  mlir::Value mask(Index count);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value addf(mlir::Value a, mlir::Value b);
  mlir::Value subf(mlir::Value a, mlir::Value b);
  mlir::Value mulf(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// The larger of both; NaN when `a` is NaN. One instruction.
  mlir::Value maxKeepingNaN(mlir::Value a, mlir::Value b);
  mlir::Value minKeepingNaN(mlir::Value a, mlir::Value b);

  /// `for (iv = lo; iv < hi; iv += step)` that carries vectors. A loop known to run at most once
  /// is not emitted as a loop.
  Vectors loop(Index lo, Index hi, int64_t step, mlir::ValueRange carried,
               llvm::function_ref<Vectors(Index, Vectors)> body);
  void loop(Index lo, Index hi, int64_t step, llvm::function_ref<void(Index)> body);
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);

private:
  mlir::OpBuilder builder;
  mlir::Location loc;
  int64_t lanes;
  mlir::VectorType vectorType;
  mlir::func::FuncOp function;
  mlir::Value task;
  llvm::SmallVector<Buffer> buffers;
  llvm::DenseMap<int64_t, mlir::Value> constants;
};

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_EMITTER_H
