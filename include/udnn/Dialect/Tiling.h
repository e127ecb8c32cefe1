//===- Tiling.h - tiling of primitives ---------------------------*- C++ -*-===//
//
// TilingInterface of the primitives over their full iteration domain.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_TILING_H
#define UDNN_DIALECT_TILING_H

#include "mlir/IR/DialectRegistry.h"

namespace udnn::dnn {

/// Attaches TilingInterface to every primitive; the dialect's documentation says which loops can be
/// tiled. Tiles and their positions are `affine`, `scf` and `tensor` operations, whose dialects are
/// loaded together with the dnn dialect.
void registerTilingInterfaceExternalModels(mlir::DialectRegistry &registry);

} // namespace udnn::dnn

#endif // UDNN_DIALECT_TILING_H
