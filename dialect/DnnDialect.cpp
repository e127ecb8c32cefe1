//===- DnnDialect.cpp - registration of the dnn dialect ----------------------===//
//
// Registers operations, attributes and types.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace udnn::dnn;

#include "DnnDialect.cpp.inc"
#include "DnnEnums.cpp.inc"
#include "DnnInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "DnnTypes.cpp.inc"

void DnnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "DnnOps.cpp.inc"
      >();
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "DnnTypes.cpp.inc"
      >();
}
