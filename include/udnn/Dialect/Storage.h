//===- Storage.h - bytes of elements and tensors -----------------*- C++ -*-===//
//
// How many bytes values take where they are stored: in the arena, as constants, in scratch memory.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_STORAGE_H
#define UDNN_DIALECT_STORAGE_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace udnn {

/// Bytes of one element as it lies in memory (i1: 1, index: 8), or 0 for a type that is not stored.
int64_t getElementStorageBytes(mlir::Type type);

/// Bytes of a contiguous tensor or memref; none when its shape is not static, or when they exceed
/// 63 bits.
std::optional<int64_t> getStorageBytes(mlir::ShapedType type);

} // namespace udnn

#endif // UDNN_DIALECT_STORAGE_H
