//===- CudaFamilies.h - the kernel families of CUDA GPUs ---------*- C++ -*-===//
//
// Declares how to make each family of this folder; CudaFamilies.cpp lists them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CUDA_CUDAFAMILIES_H
#define UDNN_LIB_KERNELS_CUDA_CUDAFAMILIES_H

#include "udnn/Kernels/KernelFamily.h"

#include <vector>

namespace udnn {

/// Appends all families of CUDA GPUs, the specialised ones first.
void appendCudaFamilies(std::vector<std::unique_ptr<KernelFamily>> &families);

namespace cuda {
/// Runs any unit: a thread per element, or a block per tile where elements depend on each other.
std::unique_ptr<KernelFamily> createGenericFamily();
/// Convolutions and matrix products as one matrix product in tiles.
std::unique_ptr<KernelFamily> createImplicitGemmFamily();
} // namespace cuda

} // namespace udnn

#endif // UDNN_LIB_KERNELS_CUDA_CUDAFAMILIES_H
