//===- DirectPlan.h - how a direct convolution is cut into tasks ----*- C++ -*-===//
//
// Parameters and grid that planning and emission of direct convolutions share, and the emitter.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_DIRECTPLAN_H
#define UDNN_LIB_KERNELS_CPU_DIRECTPLAN_H

#include "ConvProblem.h"

#include "llvm/Support/MathExtras.h"

namespace udnn::cpu {

/// How the work is cut, from a candidate's parameters.
struct DirectPlan {
  /// Register tile, and output rows (register tiles of a pointwise convolution) per task.
  int64_t columns, vectors, rows;
  /// The input has plain channels.
  bool plainInput;
  /// Tasks next to each other share filters, not pixels.
  bool filtersOutside;
  /// Blocks of input channels per pass over a task's pixels; sums rest in scratch memory between
  /// passes. 0: one pass.
  int64_t passBlocks;

  static DirectPlan get(mlir::DictionaryAttr parameters) {
    return {getInt(parameters, "columns"),
            getInt(parameters, "vectors"),
            getInt(parameters, "rows"),
            getInt(parameters, "plain_input") != 0,
            getInt(parameters, "filters_outside") != 0,
            getInt(parameters, "pass_blocks")};
  }

  mlir::DictionaryAttr getParameters(mlir::MLIRContext *context) const {
    return makeParameters(context, {{"columns", columns},
                                    {"vectors", vectors},
                                    {"rows", rows},
                                    {"plain_input", plainInput},
                                    {"filters_outside", filtersOutside},
                                    {"pass_blocks", passBlocks}});
  }

  /// Bytes of the sums between passes.
  int64_t getWorkerBytes(const ConvProblem &p, int64_t lanes) const {
    return passBlocks ? 4 * p.oh * p.ow * vectors * lanes : 0;
  }
};

/// The grid: images x groups of filters x pieces of rows.
struct DirectGrid {
  /// Groups of `vectors` filter vectors in a group of the convolution, and in all.
  int64_t filterGroupsPerGroup, filterGroups, pieces;
  /// Register tiles of a pointwise plane, or rows.
  int64_t lines;

  DirectGrid(const ConvProblem &p, const DirectPlan &plan, int64_t lanes) {
    int64_t vectors = llvm::divideCeilSigned(p.getGroupK(), lanes);
    filterGroupsPerGroup = llvm::divideCeilSigned(vectors, plan.vectors);
    filterGroups = filterGroupsPerGroup * p.groups;
    lines = p.isPointwise() ? splitEvenly(p.oh * p.ow, plan.columns).getCount() : p.oh;
    pieces = llvm::divideCeilSigned(lines, plan.rows);
  }
};

/// Generates the kernel.
void emitDirectConv(dnn::KernelOp kernel, mlir::ModuleOp module, int64_t lanes);

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_DIRECTPLAN_H
