//===- Epilogue.h - epilogue regions on vectors ------------------*- C++ -*-===//
//
// Clones the scalar epilogue of a primitive onto vectors, loading the extra operands by their
// maps.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_EPILOGUE_H
#define UDNN_LIB_KERNELS_CPU_EPILOGUE_H

#include "../common/LinearAccess.h"
#include "Emitter.h"

#include "mlir/IR/IRMapping.h"

#include <string>

namespace udnn::cpu {

/// Why the epilogue of `op` (with plain dimensions) cannot be emitted on vectors along the
/// result's dimension `laneDim`; empty when it can. Result-shaped extras are assumed to be read in
/// the result's layout. `lineDim` >= 0: lanes run on into that outer dimension, whose neighbour
/// `laneDim` is (flattened pixels).
std::string explainEpilogue(dnn::EpilogueOpInterface op, int64_t laneDim, int64_t lineDim = -1);

/// Emits the epilogue of a kernel's primitive.
class Epilogue {
public:
  /// `extras` are the extra operands' buffers, `laneDim` is the dimension of the physical result
  /// that runs along the lanes.
  Epilogue(Emitter &emitter, dnn::EpilogueOpInterface op, llvm::ArrayRef<Buffer> extras,
           int64_t laneDim);

  /// The stored value for the sums `accumulator` at `coordinates` of the physical result (those of
  /// the first lane). Lanes that lie beyond the end of an extra operand are not read.
  mlir::Value apply(mlir::Value accumulator, llvm::ArrayRef<Index> coordinates);

  /// True when extra operands do not break a plane of `width` columns, taken as one long row: the
  /// result's dimensions `rowDim` and `columnDim` may then be addressed as (0, pixel).
  bool isFlat(int64_t rowDim, int64_t columnDim, int64_t width) const;

  /// Forgets what has been loaded: called where a new basic block begins.
  void beginBlock() { loaded.clear(); }

private:
  struct Loaded {
    unsigned extra;
    llvm::SmallVector<Index> key;
    mlir::Value vector;
  };

  mlir::Value loadExtra(unsigned extra, llvm::ArrayRef<Index> coordinates);
  mlir::Value cloneOp(mlir::Operation &op, mlir::IRMapping &mapping);

  Emitter &emitter;
  dnn::EpilogueOpInterface op;
  llvm::SmallVector<Buffer> extras;
  llvm::SmallVector<LinearAccess> accesses;
  /// Elements of each extra where a vector may reach beyond its end, else 0.
  llvm::SmallVector<int64_t> ends;
  int64_t laneDim;
  llvm::SmallVector<Loaded> loaded;
};

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_EPILOGUE_H
