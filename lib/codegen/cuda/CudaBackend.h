//===- CudaBackend.h - the backend for CUDA GPUs ----------------*- C++ -*-===//
//
// Declares how to make it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CODEGEN_CUDA_CUDABACKEND_H
#define UDNN_LIB_CODEGEN_CUDA_CUDABACKEND_H

#include "udnn/Codegen/Backend.h"

#include <memory>

namespace udnn::codegen {

/// One cubin or PTX text: families generate functions in a gpu.module, MLIR lowers them to NVVM,
/// LLVM makes PTX. It becomes a cubin when the target is one architecture only ("sm_90a") and ptxas
/// is found (in `CUDA_HOME` when that is set, else on `PATH` or in /usr/local/cuda); else it stays
/// PTX, which later architectures run as well.
std::unique_ptr<Backend> createCudaBackend();

} // namespace udnn::codegen

#endif // UDNN_LIB_CODEGEN_CUDA_CUDABACKEND_H
