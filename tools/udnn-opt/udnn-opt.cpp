//===- udnn-opt.cpp - see and transform a model at any stage ----------------===//
//
// mlir-opt with the dnn dialect, its passes, and ONNX files as input.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  udnn::registerAllDialects(registry);
  mlir::registerAllPasses();
  udnn::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "udnn optimizer driver\n", registry));
}
