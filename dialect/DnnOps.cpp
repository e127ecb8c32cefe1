//===- DnnOps.cpp - generated definitions of the operations -----------------===//
//
// Holds what TableGen generates for all operations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"

using namespace mlir;
using namespace udnn::dnn;

#define GET_OP_CLASSES
#include "DnnOps.cpp.inc"
