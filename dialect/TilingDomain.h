//===- TilingDomain.h - the loops of a primitive -----------------*- C++ -*-===//
//
// Which loops a primitive runs over, and which part of every operand a tile of them reads or
// writes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_TILINGDOMAIN_H
#define UDNN_DIALECT_TILINGDOMAIN_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"

#include <optional>
#include <string>

namespace udnn::dnn {

/// One loop of the iteration domain.
struct TilingLoop {
  int64_t size;
  mlir::utils::IteratorType iterator = mlir::utils::IteratorType::parallel;
  /// Why the loop cannot be tiled; empty when it can.
  std::string refusal;
};

/// The part of one dimension of an operand that a tile touches: it begins at `start` plus the sum
/// of `factor * offset` over the loops and ends with the sum of `factor * (offset + size - 1)`.
/// Without terms it is the whole dimension.
struct DimSlice {
  llvm::SmallVector<std::pair<unsigned, int64_t>> terms;
  /// Negative where the operand is padded.
  int64_t start = 0;
};

/// The channels of a grouped convolution, all plain: which loops run over the output channels and
/// over the input channels of a group, which dimension of the input holds the channels, and how
/// many channels a group has.
struct ChannelGroups {
  unsigned filterLoop, channelLoop, inputDim;
  int64_t filters, channels;
};

/// The loops of a primitive and the slices of its operands.
struct TilingDomain {
  llvm::SmallVector<TilingLoop> loops;
  /// One list of slices per operand, in the operation's order.
  llvm::SmallVector<llvm::SmallVector<DimSlice>> operands;
  /// The dimensions of operand 0 that windows slide over, in the order of the attribute `pads`.
  llvm::SmallVector<unsigned> windowDims;
  /// What operand 0 may be padded with in place of `pads`; null when nothing has the same effect.
  mlir::TypedAttr padding;
  std::optional<ChannelGroups> groups;

  void refuse(unsigned loop, const llvm::Twine &why) {
    if (loops[loop].refusal.empty())
      loops[loop].refusal = why.str();
  }
  /// The slice of a coordinate over the loops; refuses the loops of one that is not linear.
  DimSlice getSlice(mlir::AffineExpr expr);

  /// How many elements of a dimension the whole domain covers, padding included.
  int64_t getExtent(const DimSlice &slice) const;

private:
  bool addTerms(mlir::AffineExpr expr, int64_t factor, DimSlice &slice) const;
};

/// The domain of a primitive.
TilingDomain getTilingDomain(mlir::Operation *op);

} // namespace udnn::dnn

#endif // UDNN_DIALECT_TILINGDOMAIN_H
