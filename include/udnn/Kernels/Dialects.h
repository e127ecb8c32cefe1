//===- Dialects.h - what kernel families build with ---------------*- C++ -*-===//
//
// The dialects that a context must have loaded before a kernel family is asked anything.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_KERNELS_DIALECTS_H
#define UDNN_KERNELS_DIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace udnn {

/// Registers the dialects that families create operations of while they plan, expand and build, and
/// their interfaces for tiling and bufferization. Passes that call families depend on them.
void registerKernelDialects(mlir::DialectRegistry &registry);

} // namespace udnn

#endif // UDNN_KERNELS_DIALECTS_H
