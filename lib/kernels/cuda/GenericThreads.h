//===- GenericThreads.h - loops to blocks and threads ------------*- C++ -*-===//
//
// The last steps of the generic family on GPUs: a bufferized function becomes a kernel's body.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CUDA_GENERICTHREADS_H
#define UDNN_LIB_KERNELS_CUDA_GENERICTHREADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace udnn::cuda {

/// Threads of a block.
inline constexpr int64_t kGenericThreads = 256;

/// Bytes that the temporaries of `function` take together, each aligned. Fails on a size that is
/// not known.
mlir::FailureOr<int64_t> countTemporaryBytes(mlir::func::FuncOp function);

/// Makes each of `tasks` tasks the work of one thread: temporaries are the thread's own, linalg
/// operations become loops. The last argument of `function` is the task's index.
llvm::LogicalResult mapTaskToThread(mlir::func::FuncOp function, int64_t tasks);

/// Makes each task the work of one block: temporaries lie in the block's part of the scratch memory
/// (the last argument but one, where there are any), the elements that a linalg operation computes
/// are divided between the threads, with a barrier after each operation.
llvm::LogicalResult mapTaskToBlock(mlir::func::FuncOp function);

/// Moves the body of `function`, which no longer uses its last argument, into `kernel`.
void moveBody(mlir::func::FuncOp function, mlir::gpu::GPUFuncOp kernel);

} // namespace udnn::cuda

#endif // UDNN_LIB_KERNELS_CUDA_GENERICTHREADS_H
