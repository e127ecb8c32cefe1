//===- Emitter.h - builder kit of the CPU kernels ----------------*- C++ -*-===//
//
// Emits register-blocked f32 kernels: flat buffers, vectors of the device's width, loops that carry
// vectors.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_EMITTER_H
#define UDNN_LIB_KERNELS_CPU_EMITTER_H

#include "../common/KernelBuilder.h"

#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace udnn::cpu {

using Vectors = llvm::SmallVector<mlir::Value>;

/// Emits the function of one kernel. Vectors are `vector<lanes x f32>`.
class Emitter : public KernelBuilder {
public:
  /// Starts the function of `kernel` in `module`.
  Emitter(dnn::KernelOp kernel, mlir::ModuleOp module, int64_t lanes);

  /// Ends the function.
  void finish();

  int64_t getLanes() const { return lanes; }
  mlir::VectorType getVectorType() const { return vectorType; }
  Index getTask() const { return task; }
  unsigned getNumBuffers() const { return buffers.size(); }
  const Buffer &getBuffer(unsigned i) const { return buffers[i]; }
  /// A part of the worker's scratch memory, in floats.
  Buffer getScratch(int64_t offset, llvm::ArrayRef<int64_t> shape);

  // Vectors.
  mlir::Value splat(double value);
  mlir::Value load(const Buffer &buffer, Index at);
  mlir::Value loadScalar(const Buffer &buffer, Index at);
  /// Loads `lanes` floats of which only the lanes set in `mask` are touched; the others are 0.
  mlir::Value load(const Buffer &buffer, Index at, mlir::Value mask);
  mlir::Value broadcast(const Buffer &buffer, Index at);
  /// Asks for `count` floats from `at` to come into the second-level cache.
  void prefetch(const Buffer &buffer, Index at, int64_t count);
  void store(mlir::Value vector, const Buffer &buffer, Index at);
  void store(mlir::Value vector, const Buffer &buffer, Index at, mlir::Value mask);
  /// A mask of the first `count` lanes.
  mlir::Value mask(Index count);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value addf(mlir::Value a, mlir::Value b);
  mlir::Value subf(mlir::Value a, mlir::Value b);
  mlir::Value mulf(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// The larger of both; NaN when `a` is NaN. One instruction.
  mlir::Value maxKeepingNaN(mlir::Value a, mlir::Value b);
  mlir::Value minKeepingNaN(mlir::Value a, mlir::Value b);

private:
  int64_t lanes;
  mlir::VectorType vectorType;
  mlir::func::FuncOp function;
  mlir::Value task;
  llvm::SmallVector<Buffer> buffers;
};

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_EMITTER_H
