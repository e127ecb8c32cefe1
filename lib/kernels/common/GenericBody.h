//===- GenericBody.h - steps of the generic family ---------------*- C++ -*-===//
//
// A kernel's body becomes a function on tensors, is cut into tasks, and bufferized.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_COMMON_GENERICBODY_H
#define UDNN_LIB_KERNELS_COMMON_GENERICBODY_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace udnn::generic {

/// What a function is made from: the unit's region and the types of the kernel's arguments
/// (memrefs: inputs, then outputs).
struct Problem {
  mlir::Region *body;
  llvm::SmallVector<mlir::MemRefType> arguments;
  int64_t outputs;

  int64_t getNumInputs() const { return int64_t(arguments.size()) - outputs; }
};

/// How the work is cut: sizes of the tiles of the last operation's loops (0: not cut), and the
/// number of tiles.
struct Tiling {
  llvm::SmallVector<int64_t> sizes;
  int64_t tasks = 1;
};

/// Adds patterns that replace pads and layout transforms by linalg.generic.
void populateTransformPatterns(mlir::RewritePatternSet &patterns);

/// Appends a function of `problem` to `module`, with the body on tensors, lowered to linalg:
/// arguments of the problem, `scratchBytes` of scratch memory when not zero, the task's index.
mlir::FailureOr<mlir::func::FuncOp> createTensorFunction(llvm::StringRef name,
                                                         const Problem &problem,
                                                         int64_t scratchBytes,
                                                         mlir::ModuleOp module);

/// How finely work may be cut: operations below which a task is not worth its overhead, and the
/// largest number of tasks.
struct TilingLimits {
  int64_t minTaskWork, maxTasks;
};

/// Chooses tiles for the function so that no work is done twice; one task where that is not
/// possible or not worth it.
Tiling chooseTiling(mlir::func::FuncOp function, const TilingLimits &limits);

/// Reduces the function's computation to that of the tile whose number the last argument holds.
llvm::LogicalResult tileToTask(mlir::func::FuncOp function, const Tiling &tiling);

/// Turns tensors into memrefs.
llvm::LogicalResult bufferizeFunction(mlir::ModuleOp module);

/// True when every write to an output reaches the task's own tile only.
bool writesOwnTileOnly(mlir::func::FuncOp function, const Problem &problem);

/// The function of `problem`, cut to one task as `tiling` says, and bufferized. Fails when it
/// cannot be cut so, or when a task would write beyond its own tile.
mlir::FailureOr<mlir::func::FuncOp> createTaskFunction(llvm::StringRef name, const Problem &problem,
                                                       const Tiling &tiling, int64_t scratchBytes,
                                                       mlir::ModuleOp module);

/// Alignment of temporaries in bytes.
inline constexpr int64_t kTemporaryAlignment = 64;

/// Bytes that a temporary takes, up to the next aligned one. Fails on a size that is not known or
/// exceeds 63 bits.
mlir::FailureOr<int64_t> getTemporaryBytes(mlir::MemRefType type);

} // namespace udnn::generic

#endif // UDNN_LIB_KERNELS_COMMON_GENERICBODY_H
