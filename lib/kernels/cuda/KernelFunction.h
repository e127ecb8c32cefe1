//===- KernelFunction.h - the frame of a CUDA kernel -------------*- C++ -*-===//
//
// Every kernel is a gpu.func in one gpu.module.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CUDA_KERNELFUNCTION_H
#define UDNN_LIB_KERNELS_CUDA_KERNELFUNCTION_H

#include "udnn/Kernels/KernelFamily.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace udnn::cuda {

/// Starts the function of `kernel` in the gpu.module of `module`: one argument per argument of the
/// kernel (one element for an empty tensor, whose pointer nobody follows), then the scratch memory
/// where the kernel has any. `shared` are the types of buffers in shared memory, in the address
/// space of workgroups. The body is an entry block that returns.
mlir::gpu::GPUFuncOp createKernelFunction(dnn::KernelOp kernel, const LaunchShape &shape,
                                          mlir::ModuleOp module,
                                          llvm::ArrayRef<mlir::Type> shared = {});

/// `blockIdx.x` and `threadIdx.x` as indices.
mlir::Value getBlockId(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::gpu::Dimension dimension = mlir::gpu::Dimension::x);
mlir::Value getThreadId(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace udnn::cuda

#endif // UDNN_LIB_KERNELS_CUDA_KERNELFUNCTION_H
