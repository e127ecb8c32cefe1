//===- ControlFlow.cpp - branches and functions --------------------------===//
//
// Imports the branch of an `If` that is taken, and the nodes of a function where it is called.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "OperatorRegistry.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

/// Functions may call functions, and branches may hold branches, to this depth.
static constexpr int kMaxDepth = 64;

static const NodeAttribute *findAttribute(const Node &node, StringRef name) {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

LogicalResult GraphImporter::setOutputs(const Node &node, ArrayRef<std::string> names, Scope &inner,
                                        Scope &scope) {
  for (auto [output, name] : llvm::zip(node.outputs, names)) {
    FailureOr<ImportedValue> value = getValue(name, inner);
    if (failed(value))
      return failure();
    if (!output.empty())
      scope.values[output] = *value;
  }
  return success();
}

LogicalResult GraphImporter::importIf(const Node &node, int64_t opset, Location loc, Scope &scope) {
  FailureOr<SmallVector<ImportedValue>> inputs = getInputs(node, scope);
  if (failed(inputs))
    return failure();
  NodeContext ctx(node, opset, file, builder, loc, *inputs, {}, *this);
  if (inputs->size() != 1 || !inputs->front() || inputs->front().type != ElementType::Bool)
    return ctx.emitError() << "expects one condition of type bool";
  FailureOr<int64_t> condition = ctx.getConstantInt(0);
  if (failed(condition))
    return failure();
  StringRef name = *condition ? "then_branch" : "else_branch";
  const NodeAttribute *branch = findAttribute(node, name);
  if (!branch || !branch->graph)
    return ctx.emitError() << "expects a graph in the attribute '" << name << "'";
  const Graph &graph = *branch->graph;
  if (graph.outputs.size() != node.outputs.size())
    return ctx.emitError() << "expects " << node.outputs.size() << " outputs of '" << name
                           << "', got " << graph.outputs.size();
  if (scope.depth >= kMaxDepth)
    return ctx.emitError() << "branches are nested deeper than " << kMaxDepth;

  Scope inner;
  inner.parent = &scope;
  inner.opsets = scope.opsets;
  inner.depth = scope.depth + 1;
  inner.prefix = cast<NameLoc>(loc).getName().str() + "/";
  std::vector<std::string> outputs;
  for (const ValueInfo &output : graph.outputs)
    outputs.push_back(output.name);
  if (failed(addInitializers(graph, inner)) || failed(importNodes(graph.nodes, outputs, inner)))
    return failure();
  return setOutputs(node, outputs, inner, scope);
}

void udnn::onnx::registerControlOperators(OperatorRegistry &registry) {
  // GraphImporter imports it itself, since its branches are graphs.
  registry.add({"If",
                {},
                1,
                1,
                kVariadic,
                kBoolType,
                nullptr,
                0,
                "a condition that is not known when the model is compiled"});
}

const Function *GraphImporter::findFunction(const Node &node) const {
  for (const Function &candidate : model.functions)
    if (candidate.name == node.opType && candidate.overload == node.overload &&
        (candidate.domain == node.domain ||
         (getDomain(node).empty() && (candidate.domain.empty() || candidate.domain == "ai.onnx"))))
      return &candidate;
  return nullptr;
}

LogicalResult GraphImporter::importCall(const Node &node, const Function &callee, Location loc,
                                        Scope &scope) {
  if (scope.depth >= kMaxDepth)
    return emitError(node, scope) << "functions call each other deeper than " << kMaxDepth
                                  << ", or without an end";
  if (node.inputs.size() > callee.inputs.size() || node.outputs.size() > callee.outputs.size())
    return emitError(node, scope) << "expects at most " << callee.inputs.size() << " inputs and "
                                  << callee.outputs.size() << " outputs, got " << node.inputs.size()
                                  << " and " << node.outputs.size();
  FailureOr<SmallVector<ImportedValue>> inputs = getInputs(node, scope);
  if (failed(inputs))
    return failure();
  std::map<std::string, const NodeAttribute *> attributes;
  for (const NodeAttribute &attribute : callee.defaults)
    attributes[attribute.name] = &attribute;
  for (const NodeAttribute &attribute : node.attributes)
    attributes[attribute.name] = &attribute;

  Scope inner;
  inner.opsets = &callee.opsets;
  inner.attributes = &attributes;
  inner.depth = scope.depth + 1;
  inner.prefix = cast<NameLoc>(loc).getName().str() + "/";
  for (auto [i, name] : llvm::enumerate(callee.inputs))
    inner.values[name] = i < inputs->size() ? (*inputs)[i] : ImportedValue();
  ArrayRef<std::string> outputs = ArrayRef(callee.outputs).take_front(node.outputs.size());
  if (failed(importNodes(callee.nodes, outputs, inner)))
    return failure();
  return setOutputs(node, outputs, inner, scope);
}
