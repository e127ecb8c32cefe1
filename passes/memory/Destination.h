//===- Destination.h - where a value is computed --------------------*- C++ -*-===//
//
// Follows a tensor to the empty tensor that is filled to make it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_MEMORY_DESTINATION_H
#define UDNN_PASSES_MEMORY_DESTINATION_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace udnn {

/// The `tensor.empty` into which dispatches and insertions compute `value`, or null.
mlir::tensor::EmptyOp getDestination(mlir::Value value);

} // namespace udnn

#endif // UDNN_PASSES_MEMORY_DESTINATION_H
