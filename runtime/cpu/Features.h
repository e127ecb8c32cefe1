//===- Features.h - what the host CPU can do ---------------------*- C++ -*-===//
//
// Looks up CPU features by LLVM's names.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CPU_FEATURES_H
#define UDNN_RUNTIME_CPU_FEATURES_H

#include <string>

namespace udnn::runtime {

/// True when this CPU and its operating system have the feature. False for an unknown name.
bool hasCPUFeature(const std::string &name);

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CPU_FEATURES_H
