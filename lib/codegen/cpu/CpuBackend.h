//===- CpuBackend.h - the backend for the CPU -------------------*- C++ -*-===//
//
// Declares how to make it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_CODEGEN_CPU_CPUBACKEND_H
#define UDNN_LIB_CODEGEN_CPU_CPUBACKEND_H

#include "udnn/Codegen/Backend.h"

#include <memory>

namespace udnn::codegen {

/// One ELF shared library: families generate functions on memrefs, MLIR lowers them to LLVM IR,
/// LLVM makes objects on the context's threads, and lld links them in process.
std::unique_ptr<Backend> createCpuBackend();

} // namespace udnn::codegen

#endif // UDNN_LIB_CODEGEN_CPU_CPUBACKEND_H
