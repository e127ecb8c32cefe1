//===- KernelFamily.cpp - what all kernel families share -------------------===//
//
// Out-of-line parts of the interface of kernel families.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Kernels/KernelFamily.h"

using namespace udnn;

bool Candidate::keepsLayouts() const {
  auto isPlain = [](dnn::DimsAttr layout) { return !layout; };
  return llvm::all_of(inputLayouts, isPlain) && llvm::all_of(resultLayouts, isPlain);
}

KernelFamily::~KernelFamily() = default;
