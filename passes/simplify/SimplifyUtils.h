//===- SimplifyUtils.h - helpers of the simplify passes ----------*- C++ -*-===//
//
// What several passes of this stage ask about element-wise operations and constants.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_SIMPLIFY_SIMPLIFYUTILS_H
#define UDNN_PASSES_SIMPLIFY_SIMPLIFYUTILS_H

#include "udnn/Passes/Simplify.h"

#include "mlir/IR/Builders.h"

namespace udnn {

/// True for a `linalg.generic` on tensors whose loops are all parallel, which writes one result in
/// the order of its loops and does not read its init.
bool isElementwise(mlir::linalg::GenericOp op);

/// Converts a scalar between number types of one kind (float to float, integer to integer,
/// signed); the same value when the types agree.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          mlir::Type type);

/// `tensor.empty` of a static type.
mlir::Value createEmpty(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type);

/// A constant of floats from doubles, each rounded once.
mlir::Value createFloats(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                         llvm::ArrayRef<double> values);

/// The elements of a constant of floats as doubles; nothing when `value` is no such constant.
std::optional<std::vector<double>> getConstantFloats(mlir::Value value);

/// Says in a remark what the pass called `pass` did at `loc`; `kind` is the remark's subcategory.
void report(mlir::Location loc, llvm::StringLiteral pass, llvm::StringLiteral kind,
            const llvm::Twine &what);

/// One location for an operation that does what two did; the first names it.
mlir::Location fuseLocations(mlir::Location first, mlir::Location second);

/// An all-parallel `linalg.generic` on `inputs` whose body is filled by `build` from the scalars of
/// the inputs.
mlir::Value createElementwise(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
    mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> inputMaps,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> build);

} // namespace udnn

#endif // UDNN_PASSES_SIMPLIFY_SIMPLIFYUTILS_H
