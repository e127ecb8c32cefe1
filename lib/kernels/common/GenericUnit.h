//===- GenericUnit.h - what generic families ask of a unit -------*- C++ -*-===//
//
// How much a unit computes and moves, whether it is element-wise, and how its tiling is written
// as parameters.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_COMMON_GENERICUNIT_H
#define UDNN_LIB_KERNELS_COMMON_GENERICUNIT_H

#include "GenericBody.h"

#include "udnn/Kernels/KernelFamily.h"

namespace udnn::generic {

/// The candidate that runs the unit with the layouts it has: work, bytes and error, without
/// parameters. Fails when a tensor's shape is not static or its bytes exceed 63 bits.
mlir::FailureOr<Candidate> describeUnit(dnn::UnitOp unit);

/// True when every operation of the unit computes element by element on whole tensors: a layout
/// that all of them share changes nothing but the order of elements.
bool isElementwise(dnn::UnitOp unit);

/// True when every operation that reads `argument` reads it where it writes.
bool isReadInPlace(mlir::BlockArgument argument);

/// For each result, the input that it may overwrite (-1: none): one that is read at the written
/// place only.
llvm::SmallVector<int64_t> getInPlaceInputs(dnn::UnitOp unit);

/// What a function is made from.
Problem getProblem(dnn::UnitOp unit);
Problem getProblem(dnn::KernelOp kernel);

/// Checks that a kernel's arguments are those of its body: its text may have been edited.
llvm::LogicalResult verifyArguments(dnn::KernelOp kernel);

/// A tiling as a kernel's parameters, and back.
mlir::DictionaryAttr makeTilingParameters(mlir::MLIRContext *context, const Tiling &tiling);
Tiling getTiling(mlir::DictionaryAttr parameters);

/// Parameters of a candidate: those of its kernel and the scratch bytes that it needs.
mlir::DictionaryAttr addScratch(mlir::DictionaryAttr kernelParameters, int64_t scratchBytes);
/// The scratch bytes in a candidate's parameters; none where they were not planned.
std::optional<int64_t> getScratch(mlir::DictionaryAttr parameters);

} // namespace udnn::generic

#endif // UDNN_LIB_KERNELS_COMMON_GENERICUNIT_H
