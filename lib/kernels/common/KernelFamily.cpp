//===- KernelFamily.cpp - what all kernel families share -------------------===//
//
// Out-of-line parts of the interface of kernel families.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Kernels/KernelFamily.h"

using namespace udnn;

KernelFamily::~KernelFamily() = default;
