//===- Registry.cpp - the table of kernel families --------------------------===//
//
// Lists all families, in the order in which equally fast ones are preferred.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "cpu/CpuFamilies.h"
#include "cuda/CudaFamilies.h"

namespace udnn {

static std::vector<std::unique_ptr<KernelFamily>> createKernelFamilies() {
  std::vector<std::unique_ptr<KernelFamily>> families;
  appendCpuFamilies(families);
  appendCudaFamilies(families);
  return families;
}

llvm::ArrayRef<std::unique_ptr<KernelFamily>> getKernelFamilies() {
  static const std::vector<std::unique_ptr<KernelFamily>> families = createKernelFamilies();
  return families;
}

llvm::SmallVector<const KernelFamily *> getKernelFamilies(dnn::DeviceAttr device) {
  llvm::SmallVector<const KernelFamily *> families;
  for (const auto &family : getKernelFamilies())
    if (family->getName().split('.').first == device.getKind().getValue())
      families.push_back(family.get());
  return families;
}

const KernelFamily *getFallbackFamily(dnn::DeviceAttr device) {
  llvm::SmallVector<const KernelFamily *> families = getKernelFamilies(device);
  return families.empty() ? nullptr : families.back();
}

const KernelFamily *lookupKernelFamily(llvm::StringRef name) {
  for (const auto &family : getKernelFamilies())
    if (family->getName() == name)
      return family.get();
  return nullptr;
}

} // namespace udnn
