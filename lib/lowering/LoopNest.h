//===- LoopNest.h - linalg.generic from loops and accesses -------*- C++ -*-===//
//
// Builds a linalg.generic whose operands may be read at positions that no indexing map can name.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_LOWERING_LOOPNEST_H
#define UDNN_LIB_LOWERING_LOOPNEST_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace udnn {

/// One logical dimension of a tensor that is read, and the coordinate at which it is read.
struct Axis {
  /// The coordinate over the loops. With a divisor the coordinate is `expr / divisor`, and
  /// positions where that leaves a remainder are outside.
  mlir::AffineExpr expr;
  /// Logical size; coordinates beyond it, and negative ones, are outside.
  int64_t size;
  /// Physical dimension, and that of the inner block where there is one.
  int64_t position;
  int64_t blockPosition = -1;
  int64_t block = 1;
  int64_t divisor = 1;
};

/// What an access gave in the body.
struct Element {
  mlir::Value value;
  /// Whether the position was inside the tensor; null where it always is. Outside, `value` is
  /// some element.
  mlir::Value inside;
};

/// The body of a nest while it is built.
struct NestBody {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// One per access, in the order of the calls of `read`.
  llvm::ArrayRef<Element> elements;
  /// Elements of the inits.
  mlir::ValueRange accumulators;

  /// The value of an expression over the loops, whose divisions have non-negative numerators.
  mlir::Value index(mlir::AffineExpr expr) const;
  /// `elements[i]` converted to `type`, or zero where it is outside.
  mlir::Value getOrZero(unsigned i, mlir::Type type) const;
  /// `elements[i]` converted to `type`.
  mlir::Value get(unsigned i, mlir::Type type) const;
};

/// Loops with accesses, to be built as one linalg.generic.
class LoopNest {
public:
  using BodyFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(NestBody)>;

  LoopNest(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::AffineExpr addParallel(int64_t size) {
    return addLoop(size, mlir::utils::IteratorType::parallel);
  }
  mlir::AffineExpr addReduction(int64_t size) {
    return addLoop(size, mlir::utils::IteratorType::reduction);
  }
  llvm::SmallVector<mlir::AffineExpr> addParallel(llvm::ArrayRef<int64_t> sizes);

  /// Reads a tensor at one coordinate per logical dimension.
  void read(mlir::Value tensor, llvm::ArrayRef<Axis> axes);
  /// Reads a tensor at one coordinate per physical dimension.
  void read(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> indices);

  /// Builds the operation; every init is indexed by its own expressions.
  mlir::ValueRange build(mlir::ValueRange inits,
                         llvm::ArrayRef<llvm::SmallVector<mlir::AffineExpr>> initIndices,
                         BodyFn body);
  mlir::Value build(mlir::Value init, llvm::ArrayRef<mlir::AffineExpr> indices, BodyFn body);

private:
  struct Access {
    mlir::Value tensor;
    llvm::SmallVector<Axis> axes;
    /// Number of the operand, or -1 when read by tensor.extract.
    int64_t operand = -1;
  };

  mlir::AffineExpr addLoop(int64_t size, mlir::utils::IteratorType iterator);
  bool addAsOperand(Access &access);
  void addShapeOperand();
  Element extract(const NestBody &body, const Access &access) const;
  std::pair<int64_t, int64_t> getRange(mlir::AffineExpr expr) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  llvm::SmallVector<Access> accesses;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>> operandIndices;
};

/// The logical axes of a tensor with dimension numbers; `getExpr` gives the coordinate by role.
llvm::SmallVector<Axis> getAxes(dnn::DimsAttr dims, mlir::RankedTensorType type,
                                llvm::function_ref<mlir::AffineExpr(int64_t)> getExpr);

/// The logical coordinate of a role, given one expression per physical dimension.
mlir::AffineExpr getLogicalExpr(dnn::DimsAttr dims, int64_t role,
                                llvm::ArrayRef<mlir::AffineExpr> physical);

/// The type in which a primitive without a stated accumulator computes: f64 for f64, f32 for other
/// floats, integers in themselves.
mlir::Type getComputeType(mlir::Type type);

/// Float or integer constant of a scalar type.
mlir::Value makeScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);

/// Converts between floats, or between signless integers as signed ones.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          mlir::Type type, bool isUnsigned = false);

/// A new tensor filled with `value`.
mlir::Value makeFilled(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                       mlir::Value value);

} // namespace udnn

#endif // UDNN_LIB_LOWERING_LOOPNEST_H
