//===- CodegenCuda.h - the steps of CUDA code generation ---------*- C++ -*-===//
//
// Shared by the files of this folder: MLIR to NVVM, NVVM to PTX, PTX to a cubin, and where the CUDA
// toolkit lies.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CODEGEN_CUDA_CODEGENCUDA_H
#define UDNN_LIB_CODEGEN_CUDA_CODEGENCUDA_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <string>
#include <vector>

namespace udnn::codegen {

/// Registers what CUDA code generation loads.
void registerCudaDialects(mlir::DialectRegistry &registry);

/// Lowers the kernel functions in the gpu.module of `module` to the LLVM and NVVM dialects: plain
/// pointers instead of memrefs, approximations or calls of libdevice instead of `math`.
llvm::LogicalResult lowerToNVVM(mlir::ModuleOp module);

/// Translates a lowered gpu.module, links what it calls of libdevice, and compiles it to PTX.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module, dnn::DeviceAttr device);

/// Runs `ptxas` on PTX and returns the cubin.
mlir::FailureOr<std::vector<char>> assemble(llvm::StringRef ptx, llvm::StringRef ptxas,
                                            llvm::StringRef arch, mlir::Location loc);

/// Fails when `CUDA_HOME` is set to what is no folder.
llvm::LogicalResult checkToolkit(mlir::Location loc);

/// The path of a file of the CUDA toolkit, such as "bin/ptxas": in `CUDA_HOME` alone when that is
/// set, else beside the `ptxas` on `PATH` or in /usr/local/cuda.
std::optional<std::string> findToolkitFile(llvm::StringRef relativePath);

} // namespace udnn::codegen

#endif // UDNN_LIB_CODEGEN_CUDA_CODEGENCUDA_H
