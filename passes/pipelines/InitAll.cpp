//===- InitAll.cpp - registers everything that udnn's tools use --------------===//
//
// The only place that knows all dialects, external models and passes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/InitAll.h"

#include "udnn/Dialect/Dnn.h"
#include "udnn/Dialect/Tiling.h"
#include "udnn/Passes/Codegen.h"
#include "udnn/Passes/Lowering.h"
#include "udnn/Passes/Memory.h"
#include "udnn/Passes/Pipelines.h"
#include "udnn/Passes/Plan.h"
#include "udnn/Passes/Select.h"
#include "udnn/Passes/Simplify.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

void udnn::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<dnn::DnnDialect>();
  dnn::registerTilingInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
}

void udnn::registerAllPasses() {
  registerCodegenPasses();
  registerLoweringPasses();
  registerMemoryPasses();
  registerPlanPasses();
  registerSelectPasses();
  registerSimplifyPasses();
  registerPipelines();
}
