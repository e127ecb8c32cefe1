//===- CpuFamilies.cpp - the kernel families of the CPU --------------------===//
//
// The order in which the planner meets the families: specialised ones first.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"

using namespace udnn;

void udnn::appendCpuFamilies(std::vector<std::unique_ptr<KernelFamily>> &families) {
  families.push_back(cpu::createDirectConvFamily());
  families.push_back(cpu::createWinogradFamily());
  families.push_back(cpu::createDepthwiseConvFamily());
  families.push_back(cpu::createIm2colConvFamily());
  families.push_back(cpu::createMatmulFamily());
  families.push_back(cpu::createPoolFamily());
  families.push_back(cpu::createLrnFamily());
  families.push_back(cpu::createRowNormFamily());
  families.push_back(cpu::createTransformFamily());
  families.push_back(cpu::createGenericFamily());
}
