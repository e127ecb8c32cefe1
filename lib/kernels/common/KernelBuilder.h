//===- KernelBuilder.h - builder kit of kernels ------------------*- C++ -*-===//
//
// Index arithmetic that folds while it is emitted, flat views of buffers, and loops that carry
// values.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_COMMON_KERNELBUILDER_H
#define UDNN_LIB_KERNELS_COMMON_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace udnn {

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

/// A flat view of an argument: element (i, j, ..) is at i*strides[0] + j*strides[1] + ..
struct Buffer {
  mlir::Value memref;
  llvm::SmallVector<int64_t> shape, strides;
};

using Values = llvm::SmallVector<mlir::Value>;

/// Emits the body of a function.
class KernelBuilder {
public:
  KernelBuilder(mlir::MLIRContext *context, mlir::Location loc) : builder(context), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  /// Goes on at the start of `block`, the entry of a function, where constants are put.
  void start(mlir::Block *block) {
    entry = block;
    builder.setInsertionPointToStart(block);
  }

  /// Views an argument as one dimension, whatever its strides are.
  Buffer flatten(mlir::Value argument);

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
  /// Splits `number` into coordinates of `shape`, the last one running fastest.
  llvm::SmallVector<Index> delinearize(Index number, llvm::ArrayRef<int64_t> shape);
  mlir::Value toValue(Index a);
  /// i1 of a comparison.
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Index a, Index b);
  /// i1: 0 <= a < bound.
  mlir::Value inside(Index a, int64_t bound) {
    return compare(mlir::arith::CmpIPredicate::ult, a, bound);
  }
  mlir::Value logicalAnd(mlir::Value a, mlir::Value b);

  /// `for (iv = lo; iv < hi; iv += step)` that carries values. A loop known to run at most once
  /// is not emitted as a loop.
  Values loop(Index lo, Index hi, int64_t step, mlir::ValueRange carried,
              llvm::function_ref<Values(Index, Values)> body);
  void loop(Index lo, Index hi, int64_t step, llvm::function_ref<void(Index)> body);
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);

protected:
  mlir::OpBuilder builder;
  mlir::Location loc;

private:
  mlir::Block *entry = nullptr;
  llvm::DenseMap<int64_t, mlir::Value> constants;
};

} // namespace udnn

#endif // UDNN_LIB_KERNELS_COMMON_KERNELBUILDER_H
