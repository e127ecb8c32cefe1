//===- Dnn.h - the dnn dialect -----------------------------------*- C++ -*-===//
//
// Declares the dialect with its attributes, types, interfaces and operations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DIALECT_DNN_H
#define UDNN_DIALECT_DNN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <limits>

#include "DnnDialect.h.inc"

#include "DnnEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "DnnAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "DnnTypes.h.inc"

#include "DnnInterfaces.h.inc"

#define GET_OP_CLASSES
#include "DnnOps.h.inc"

#endif // UDNN_DIALECT_DNN_H
