//===- DnnToLinalg.h - primitives as linalg operations -----------*- C++ -*-===//
//
// The reference meaning of every dnn primitive, and what the generic kernel families compile.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LOWERING_DNNTOLINALG_H
#define UDNN_LOWERING_DNNTOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace udnn {

/// Adds the patterns that replace every primitive by `linalg.fill` and `linalg.generic` on tensors,
/// for any dimension numbers. The last operation has the shape of the primitive's result; a
/// normalization's reductions run over the normalized dimensions only.
void populateDnnToLinalgPatterns(mlir::RewritePatternSet &patterns);

} // namespace udnn

#endif // UDNN_LOWERING_DNNTOLINALG_H
