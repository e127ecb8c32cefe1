//===- InitAll.h - registers everything that udnn's tools use -----*- C++ -*-===//
//
// One call for the dialects with their external models, one for the passes and pipelines.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_INITALL_H
#define UDNN_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace udnn {

/// Registers the dnn dialect, all upstream dialects and extensions, and the external models that
/// connect them.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers udnn's passes and pipelines as command-line options.
void registerAllPasses();

} // namespace udnn

#endif // UDNN_INITALL_H
