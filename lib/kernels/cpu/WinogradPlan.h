//===- WinogradPlan.h - how F(4x4, 3x3) is cut into tasks ------*- C++ -*-===//
//
// Parameters and sizes that planning and emission of Winograd convolutions share, and the emitter.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_WINOGRADPLAN_H
#define UDNN_LIB_KERNELS_CPU_WINOGRADPLAN_H

#include "ConvProblem.h"

#include "llvm/Support/MathExtras.h"

namespace udnn::cpu {

/// Numbers of a transformed tile.
inline constexpr int64_t kWinogradPoints = 36;

/// How the work is cut, from a candidate's (and a kernel's) parameters.
struct WinogradPlan {
  /// What a kernel does: all of a block, or one of the three launches.
  enum Step : int64_t { kBlock = 0, kInput = 1, kProduct = 2, kOutput = 3 };

  int64_t step;
  /// Rows and columns of tiles in a block; the whole result (all images) for three launches.
  int64_t blockRows, blockColumns;
  /// Register tile of the products, and tiles of a product's piece.
  int64_t columns, vectors, piece;

  static WinogradPlan get(mlir::DictionaryAttr p) {
    return {getInt(p, "step"),    getInt(p, "block_rows"), getInt(p, "block_columns"),
            getInt(p, "columns"), getInt(p, "vectors"),    getInt(p, "piece")};
  }
  mlir::DictionaryAttr getParameters(mlir::MLIRContext *context) const {
    return makeParameters(context, {{"step", step},
                                    {"block_rows", blockRows},
                                    {"block_columns", blockColumns},
                                    {"columns", columns},
                                    {"vectors", vectors},
                                    {"piece", piece}});
  }
};

/// Sizes in tiles and vectors.
struct WinogradSizes {
  int64_t tileRows, tileColumns;
  /// Vectors of input channels and of filters, in a group and in all.
  int64_t groupInputs, groupFilters, inputs, filters;
  /// Groups of filter vectors in a group of the convolution and in all.
  int64_t groupFilterGroups, filterGroups;
  /// Blocks of an image.
  int64_t rowBlocks, columnBlocks;
  /// Tiles in the workspace, and pieces of them.
  int64_t tiles, pieces;

  WinogradSizes(const ConvProblem &p, const WinogradPlan &plan, int64_t lanes) {
    tileRows = llvm::divideCeilSigned(p.oh, 4);
    tileColumns = llvm::divideCeilSigned(p.ow, 4);
    groupInputs = llvm::divideCeilSigned(p.getGroupC(), lanes);
    groupFilters = llvm::divideCeilSigned(p.getGroupK(), lanes);
    inputs = groupInputs * p.groups;
    filters = groupFilters * p.groups;
    groupFilterGroups = llvm::divideCeilSigned(groupFilters, plan.vectors);
    filterGroups = groupFilterGroups * p.groups;
    rowBlocks = llvm::divideCeilSigned(tileRows, plan.blockRows);
    columnBlocks = llvm::divideCeilSigned(tileColumns, plan.blockColumns);
    tiles = plan.step == WinogradPlan::kBlock ? plan.blockRows * plan.blockColumns
                                              : p.n * tileRows * tileColumns;
    pieces = llvm::divideCeilSigned(tiles, plan.piece);
  }

  int64_t countTasks(const ConvProblem &p, int64_t step) const {
    switch (step) {
    case WinogradPlan::kInput:
      return inputs * p.n * tileRows;
    case WinogradPlan::kProduct:
      return kWinogradPoints * pieces * filterGroups;
    case WinogradPlan::kOutput:
      return filters * p.n * tileRows;
    default:
      return p.n * rowBlocks * columnBlocks;
    }
  }
};

/// Generates the kernel, which does what its parameters say.
void emitWinograd(dnn::KernelOp kernel, mlir::ModuleOp module, int64_t lanes);

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_WINOGRADPLAN_H
