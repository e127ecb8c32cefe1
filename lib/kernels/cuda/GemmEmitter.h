//===- GemmEmitter.h - matrix products in tiles ------------------*- C++ -*-===//
//
// Generates the kernel of a matrix product: tiles in shared memory, accumulators in registers, the
// epilogue before the only store.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CUDA_GEMMEMITTER_H
#define UDNN_LIB_KERNELS_CUDA_GEMMEMITTER_H

#include "GemmProblem.h"

#include "udnn/Kernels/KernelFamily.h"

namespace udnn::cuda {

/// How a product is cut: a block computes `m` x `n` elements in steps of `k`.
struct GemmTile {
  int64_t m, n, k;
  /// With `mma` 16-bit operands go to the tensor cores, 32 x 32 elements per warp; else each thread
  /// holds a square of `perThread` x `perThread` accumulators.
  bool mma;
  int64_t perThread;

  int64_t getThreads() const { return mma ? m * n / 32 : m * n / (perThread * perThread); }
};

/// The launch of a product.
LaunchShape getGemmLaunch(const GemmProblem &problem, const GemmTile &tile);

/// Why the epilogue of `op` cannot be generated; empty when it can.
std::string explainGemmEpilogue(dnn::EpilogueOpInterface op);

/// Generates the function of `kernel`, whose arguments are a and b of `problem` in the order
/// `aArgument`, `1 - aArgument`, the epilogue's extra operands, and the result.
void emitGemm(dnn::KernelOp kernel, GemmProblem &problem, const GemmTile &tile, int64_t aArgument,
              mlir::ModuleOp module);

} // namespace udnn::cuda

#endif // UDNN_LIB_KERNELS_CUDA_GEMMEMITTER_H
