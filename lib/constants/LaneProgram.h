//===- LaneProgram.h - scalar code run over many elements --------*- C++ -*-===//
//
// Scalar arith and math operations, compiled once and run over lanes of elements.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CONSTANTS_LANEPROGRAM_H
#define UDNN_LIB_CONSTANTS_LANEPROGRAM_H

#include "udnn/Constants/Evaluate.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace udnn {

/// What a register holds in each of its lanes: float (f32, and f16 and bf16 rounded after every
/// operation), double, or int64_t (integers sign-extended from their width, so true is -1).
enum class LaneKind { Float, Double, Integer };

LaneKind getLaneKind(mlir::Type elementType);

/// Reads `count` elements of `type` that lie `stride` elements apart into lanes, or writes them.
void loadLanes(mlir::Type type, char *lanes, const char *memory, int64_t stride, int64_t count);
void storeLanes(mlir::Type type, const char *lanes, char *memory, int64_t stride, int64_t count);

/// A straight-line program over registers of up to `kLanes` lanes each.
class LaneProgram {
public:
  static constexpr int64_t kLanes = 128;

  /// Gives the constant that a value from outside the program equals.
  using CapturedFn = llvm::function_ref<mlir::FailureOr<ConstantBytes>(mlir::Value)>;

  /// A new register that holds `value` (a block argument, or an operand from outside).
  int64_t addInput(mlir::Value value);

  /// Appends an operation of `arith`, `math`, `linalg.index` or `tensor.extract`. Values that have
  /// no register yet are looked up through `captured`.
  mlir::LogicalResult addOp(mlir::Operation &op, CapturedFn captured);

  /// Appends all operations of the block but its terminator.
  mlir::LogicalResult addBlock(mlir::Block &block, CapturedFn captured);

  /// The register of a value, looked up through `captured` where it has none yet.
  mlir::FailureOr<int64_t> getRegister(mlir::Value value, CapturedFn captured);

  /// Registers (byte offsets) that must hold an iteration index: pairs of dimension and register.
  llvm::ArrayRef<std::pair<int64_t, int64_t>> getIndices() const { return indices; }

  /// Allocates the registers and sets what is constant.
  std::vector<char> makeRegisters() const;

  /// Runs over the first `lanes` lanes. False when the result is undefined (a division by zero, an
  /// index out of bounds).
  bool run(char *registers, int64_t lanes) const;

private:
  using Step = std::function<bool(char *registers, int64_t lanes)>;

  int64_t newRegister();
  mlir::LogicalResult addExtract(mlir::Operation &op, CapturedFn captured);
  Step makeStep(mlir::Operation &op, int64_t result, llvm::ArrayRef<int64_t> operands);

  int64_t numRegisters = 0;
  llvm::DenseMap<mlir::Value, int64_t> registers;
  std::vector<Step> initializers, steps;
  llvm::SmallVector<std::pair<int64_t, int64_t>> indices;
};

} // namespace udnn

#endif // UDNN_LIB_CONSTANTS_LANEPROGRAM_H
