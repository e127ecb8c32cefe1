//===- GenericLoops.h - generic kernels on the CPU ---------------*- C++ -*-===//
//
// The last steps of the generic family of the CPU: temporaries, and loops that LLVM vectorizes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_GENERICLOOPS_H
#define UDNN_LIB_KERNELS_CPU_GENERICLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace udnn::generic {

/// Places temporaries on the stack or in the scratch memory and returns the bytes that the latter
/// needs. With `hasScratch` the last but one argument is the scratch memory, else temporaries
/// that need it stay. Fails on temporaries whose size is not known.
mlir::FailureOr<int64_t> placeTemporaries(mlir::func::FuncOp function, bool hasScratch);

/// Orders and joins the loops of linalg operations on buffers so that innermost loops are long
/// and contiguous, and allows reductions to be reordered.
llvm::LogicalResult prepareLoops(mlir::func::FuncOp function);

} // namespace udnn::generic

#endif // UDNN_LIB_KERNELS_CPU_GENERICLOOPS_H
