//===- MatmulPlan.h - how a matrix product is cut into tasks ----*- C++ -*-===//
//
// Sizes, parameters and grid that planning and emission of products share, and the emitter.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_MATMULPLAN_H
#define UDNN_LIB_KERNELS_CPU_MATMULPLAN_H

#include "ConvProblem.h"

#include "llvm/Support/MathExtras.h"

namespace udnn::cpu {

/// Logical sizes. Where the right side has no batch, the left side's batch is part of `m`.
struct MatmulProblem {
  int64_t batch, m, n, k;
  bool flattened;

  static MatmulProblem get(dnn::MatmulOp op) {
    llvm::ArrayRef<int64_t> lhs =
        mlir::cast<mlir::RankedTensorType>(op.getLhs().getType()).getShape();
    llvm::ArrayRef<int64_t> rhs =
        mlir::cast<mlir::RankedTensorType>(op.getRhs().getType()).getShape();
    llvm::ArrayRef<int64_t> out =
        mlir::cast<mlir::RankedTensorType>(op.getResult().getType()).getShape();
    MatmulProblem p;
    p.m = out[out.size() - 2];
    p.n = out.back();
    p.k = lhs[lhs.size() - (op.getTransposeLhs() ? 2 : 1)];
    p.batch = 1;
    for (int64_t extent : out.drop_back(2))
      p.batch *= extent;
    p.flattened = rhs.size() == 2 && !op.getTransposeLhs() && lhs.size() == out.size();
    if (p.flattened) {
      p.m *= p.batch;
      p.batch = 1;
    }
    return p;
  }
};

/// How the work is cut, from a candidate's (and a kernel's) parameters.
struct MatmulPlan {
  /// What a kernel does: multiply, or pack the right side.
  enum Step : int64_t { kProduct = 0, kPack = 1 };

  int64_t step;
  /// Register tile: rows of the left side x vectors of the right side.
  int64_t rows, vectors;
  /// Register tiles of rows per task.
  int64_t tiles;
  /// The right side is packed: [batch,] [n / (vectors x lanes)] [k] [vectors x lanes].
  bool packed;

  static MatmulPlan get(mlir::DictionaryAttr p) {
    return {getInt(p, "step"), getInt(p, "rows"), getInt(p, "vectors"), getInt(p, "tiles"),
            getInt(p, "packed") != 0};
  }
  mlir::DictionaryAttr getParameters(mlir::MLIRContext *context) const {
    return makeParameters(context, {{"step", step},
                                    {"rows", rows},
                                    {"vectors", vectors},
                                    {"tiles", tiles},
                                    {"packed", packed}});
  }
};

/// The grid: matrices x groups of columns x pieces of rows.
struct MatmulGrid {
  /// Vectors of columns, groups of them, register tiles of rows, and pieces of those.
  int64_t vectors, groups, tiles, pieces;

  MatmulGrid(const MatmulProblem &p, const MatmulPlan &plan, int64_t lanes) {
    vectors = llvm::divideCeilSigned(p.n, lanes);
    groups = llvm::divideCeilSigned(vectors, plan.vectors);
    tiles = splitEvenly(p.m, plan.rows).getCount();
    pieces = llvm::divideCeilSigned(tiles, plan.tiles);
  }
  int64_t countTasks(const MatmulProblem &p) const { return p.batch * groups * pieces; }
};

/// Generates the kernel, which does what its parameters say.
void emitMatmul(dnn::KernelOp kernel, mlir::ModuleOp module, int64_t lanes);

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_MATMULPLAN_H
