//===- CpuFamilies.h - the kernel families of the CPU ------------*- C++ -*-===//
//
// Declares how to make each family of this folder; CpuFamilies.cpp lists them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_CPUFAMILIES_H
#define UDNN_LIB_KERNELS_CPU_CPUFAMILIES_H

#include "udnn/Kernels/KernelFamily.h"

#include <vector>

namespace udnn {

/// Appends all families of the CPU, the specialised ones first.
void appendCpuFamilies(std::vector<std::unique_ptr<KernelFamily>> &families);

namespace cpu {
std::unique_ptr<KernelFamily> createDepthwiseConvFamily();
std::unique_ptr<KernelFamily> createDirectConvFamily();
std::unique_ptr<KernelFamily> createIm2colConvFamily();
std::unique_ptr<KernelFamily> createLrnFamily();
std::unique_ptr<KernelFamily> createMatmulFamily();
std::unique_ptr<KernelFamily> createPoolFamily();
std::unique_ptr<KernelFamily> createRowNormFamily();
/// Runs any unit by upstream tiling and LLVM's loop vectorizer.
std::unique_ptr<KernelFamily> createGenericFamily();
/// Packs, unpacks and transposes f32 tensors.
std::unique_ptr<KernelFamily> createTransformFamily();
std::unique_ptr<KernelFamily> createWinogradFamily();
} // namespace cpu

} // namespace udnn

#endif // UDNN_LIB_KERNELS_CPU_CPUFAMILIES_H
