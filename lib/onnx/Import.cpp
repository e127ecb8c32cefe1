//===- Import.cpp - from an ONNX file to a module --------------------------===//
//
// Reads the file, binds shapes, and has the graph imported into func.func @main.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Onnx/Import.h"
#include "GraphImporter.h"
#include "OperatorRegistry.h"
#include "ShapeBinding.h"
#include "udnn/Dialect/Dnn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

void udnn::registerOnnxImportDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, dnn::DnnDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect>();
}

/// Checks the versions of the file format and of the default operator set.
static LogicalResult checkVersions(const Model &model, Location loc) {
  if (model.irVersion < 3 || model.irVersion > kNewestIRVersion)
    return emitError(loc) << model.path << ": IR version " << model.irVersion
                          << " is not supported; supported are 3 to " << kNewestIRVersion;
  auto check = [&](const OpsetImports &opsets, const std::string &where) -> LogicalResult {
    auto it = opsets.find("");
    if (it == opsets.end() || (it->second >= kOldestOpset && it->second <= kNewestOpset))
      return success();
    return emitError(loc) << model.path << ": " << where << "opset " << it->second
                          << " is not supported; supported are " << kOldestOpset << " to "
                          << kNewestOpset;
  };
  if (failed(check(model.opsets, "")))
    return failure();
  for (const Function &function : model.functions)
    if (failed(check(function.opsets, "function '" + function.name + "': ")))
      return failure();
  return success();
}

/// @main with one argument per input and an empty body.
static func::FuncOp createFunction(ModuleOp module, const BoundInputs &bound) {
  OpBuilder builder(module.getBodyRegion());
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Location> locations;
  for (const BoundInput &input : bound.inputs) {
    types.push_back(
        RankedTensorType::get(input.shape, getMLIRType(input.info->type, builder.getContext())));
    attributes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("dnn.name", builder.getStringAttr(input.info->name)),
         builder.getNamedAttr("dnn.type",
                              builder.getStringAttr(getElementTypeName(input.info->type)))}));
    locations.push_back(NameLoc::get(builder.getStringAttr(input.info->name)));
  }
  auto function =
      func::FuncOp::create(builder, module.getLoc(), "main", builder.getFunctionType(types, {}));
  function.setAllArgAttrs(attributes);
  Block *body = builder.createBlock(&function.getBody(), {}, types, locations);
  (void)body;
  return function;
}

FailureOr<OwningOpRef<ModuleOp>> udnn::importOnnx(StringRef path, const OnnxImportOptions &options,
                                                  MLIRContext *context) {
  DialectRegistry registry;
  registerOnnxImportDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  Location loc = UnknownLoc::get(context);
  std::string error;
  std::unique_ptr<Model> model = readModel(path.str(), error);
  if (!model)
    return emitError(loc) << error;
  if (failed(checkVersions(*model, loc)))
    return failure();
  BoundInputs bound;
  if (failed(bindInputs(*model, options, bound, error)))
    return emitError(loc) << error;

  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(context, path, 0, 0));
  func::FuncOp function = createFunction(*module, bound);
  GraphImporter importer(*model, function);
  SmallVector<const ValueInfo *> arguments;
  for (auto [i, input] : llvm::enumerate(bound.inputs)) {
    arguments.push_back(input.info);
    if (input.value)
      importer.setArgumentValue(i, *input.value, input.frozen);
  }
  if (failed(importer.run(arguments)) || failed(verify(*module)))
    return failure();
  return module;
}
