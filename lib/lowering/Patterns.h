//===- Patterns.h - the groups of lowering patterns --------------*- C++ -*-===//
//
// What the files of this folder add to populateDnnToLinalgPatterns.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_LOWERING_PATTERNS_H
#define UDNN_LIB_LOWERING_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace udnn {

/// Convolutions and matrix products.
void populateConvToLinalgPatterns(mlir::RewritePatternSet &patterns);
/// Maximum and average pooling.
void populatePoolToLinalgPatterns(mlir::RewritePatternSet &patterns);
/// Softmax and normalizations.
void populateNormToLinalgPatterns(mlir::RewritePatternSet &patterns);
/// Resampling.
void populateResizeToLinalgPatterns(mlir::RewritePatternSet &patterns);

} // namespace udnn

#endif // UDNN_LIB_LOWERING_PATTERNS_H
