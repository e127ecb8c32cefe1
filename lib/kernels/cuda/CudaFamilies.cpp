//===- CudaFamilies.cpp - the kernel families of CUDA GPUs ------------------===//
//
// The order in which the planner meets the families: specialised ones first.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CudaFamilies.h"

using namespace udnn;

void udnn::appendCudaFamilies(std::vector<std::unique_ptr<KernelFamily>> &families) {
  families.push_back(cuda::createImplicitGemmFamily());
  families.push_back(cuda::createGenericFamily());
}
