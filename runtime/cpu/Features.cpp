//===- Features.cpp - what the host CPU can do ----------------------------===//
//
// Asks for the features that artifacts name; any other one counts as missing.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Features.h"

using namespace udnn;

#if defined(__x86_64__)

bool runtime::hasCPUFeature(const std::string &name) {
  __builtin_cpu_init();
#define CPU_FEATURE(NAME)                                                                          \
  if (name == NAME)                                                                                \
    return __builtin_cpu_supports(NAME) != 0;
#include "udnn/Support/CpuFeatures.def"
  return false;
}

#else

// Other architectures: the loader refuses code of another machine, and finer features have no
// portable query.
bool runtime::hasCPUFeature(const std::string &) { return true; }

#endif
