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

/// True when a tensor that the unit reads or writes has no elements.
static bool isEmpty(dnn::UnitOp unit) {
  return llvm::any_of(unit->getOperandTypes(), [](mlir::Type type) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 0;
  });
}

void collectCandidates(const KernelFamily &family, dnn::UnitOp unit, dnn::DeviceAttr device,
                       CandidateList &list) {
  // Specialised families divide sizes by each other, so none of them has to think of zeros. Nothing
  // is gained by changing the layout of nothing either.
  bool empty = isEmpty(unit);
  if (empty && &family != getFallbackFamily(device))
    return list.reject("does not run operations on tensors without elements");
  family.getCandidates(unit, device, list);
  if (empty)
    llvm::erase_if(list.candidates,
                   [](const Candidate &candidate) { return !candidate.keepsLayouts(); });
  if (list.candidates.empty() && list.reason.empty())
    list.reject("does not run this operation");
}

const KernelFamily *lookupKernelFamily(llvm::StringRef name) {
  for (const auto &family : getKernelFamilies())
    if (family->getName() == name)
      return family.get();
  return nullptr;
}

} // namespace udnn
