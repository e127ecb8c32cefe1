//===- EpilogueSyntax.h - directives used by operations' syntax --*- C++ -*-===//
//
// Custom directives of the assembly formats, and the checks of an epilogue.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_EPILOGUESYNTAX_H
#define UDNN_DIALECT_EPILOGUESYNTAX_H

#include "udnn/Dialect/Dnn.h"

namespace udnn::dnn {

/// `[n, c, 0, 1]`
mlir::ParseResult parseDims(mlir::OpAsmParser &parser, DimsAttr &dims);
void printDims(mlir::OpAsmPrinter &printer, mlir::Operation *op, DimsAttr dims);

/// `epilogue(%b : tensor<64xf32> by affine_map<...>, ...) { region }`, or nothing.
mlir::ParseResult parseEpilogue(mlir::OpAsmParser &parser,
                                llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &extras,
                                llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &maps,
                                mlir::Region &region);
void printEpilogue(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange extras,
                   mlir::TypeRange types, mlir::ArrayAttr maps, mlir::Region &region);

/// Checks the epilogue of an operation against its result's type.
mlir::LogicalResult verifyEpilogue(EpilogueOpInterface op);

} // namespace udnn::dnn

#endif // UDNN_DIALECT_EPILOGUESYNTAX_H
