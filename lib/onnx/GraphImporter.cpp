//===- GraphImporter.cpp - imports the nodes of a model --------------------===//
//
// Names, values and nodes. What single operators mean is in the table of operators.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "GraphOrder.h"
#include "OperatorRegistry.h"
#include "reader/TensorSize.h"
#include "udnn/Support/Bytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

/// A tensor above this size is no shape arithmetic and is not evaluated while importing.
static constexpr int64_t kEvaluationLimitBytes = int64_t(64) << 20;

bool Scope::defines(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (scope->values.contains(name) || scope->initializers.contains(name))
      return true;
  return false;
}

GraphImporter::GraphImporter(const Model &model, func::FuncOp function)
    : model(model), function(function), builder(function.getContext()), file(model.path),
      evaluator(std::make_unique<ConstantEvaluator>(kEvaluationLimitBytes)) {}

//===----------------------------------------------------------------------===//
// Locations and errors
//===----------------------------------------------------------------------===//

InFlightDiagnostic GraphImporter::emitError(Location loc) const {
  return mlir::emitError(loc) << file << ": ";
}

InFlightDiagnostic GraphImporter::emitError(const Node &node, const Scope &scope) const {
  std::string name = scope.prefix + (node.name.empty() ? node.opType : node.name);
  InFlightDiagnostic diagnostic =
      emitError(NameLoc::get(StringAttr::get(function->getContext(), name)));
  diagnostic << "node '" << name << "' (";
  if (!getDomain(node).empty())
    diagnostic << node.domain << ".";
  diagnostic << node.opType;
  auto opset = scope.opsets->find(getDomain(node).str());
  if (opset != scope.opsets->end())
    diagnostic << ", opset " << opset->second;
  diagnostic << "): ";
  return diagnostic;
}

Location GraphImporter::getLocation(const Node &node, const Scope &scope) {
  std::string base = scope.prefix + (node.name.empty() ? node.opType : node.name);
  std::string name = base;
  for (int i = 1; !usedNames.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return NameLoc::get(builder.getStringAttr(name));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<ImportedValue> GraphImporter::getValue(const std::string &name, const Scope &scope) {
  if (name.empty())
    return ImportedValue();
  for (const Scope *s = &scope; s; s = s->parent) {
    auto value = s->values.find(name);
    if (value != s->values.end()) {
      ImportedValue found = value->second;
      if (auto argument = dyn_cast_or_null<BlockArgument>(found.value))
        if (auto it = frozen.find(argument.getArgNumber()); it != frozen.end())
          found.value = it->second;
      return found;
    }
    auto initializer = s->initializers.find(name);
    if (initializer == s->initializers.end())
      continue;
    const Tensor &tensor = *initializer->second;
    ElementsAttr attr = getTensorAttr(tensor, builder.getContext());
    if (!attr)
      return emitError(builder.getUnknownLoc())
             << "initializer '" << name << "': element type '" << getElementTypeName(tensor.type)
             << "' is not supported";
    Value &constant = materialized[s->prefix + "\n" + name];
    if (!constant)
      constant = arith::ConstantOp::create(builder, NameLoc::get(builder.getStringAttr(name)),
                                           cast<TypedAttr>(attr));
    return ImportedValue{constant, tensor.type};
  }
  return emitError(builder.getUnknownLoc()) << "expects a definition of value '" << name << "'";
}

FailureOr<SmallVector<ImportedValue>> GraphImporter::getInputs(const Node &node,
                                                               const Scope &scope) {
  SmallVector<ImportedValue> inputs;
  for (const std::string &name : node.inputs) {
    FailureOr<ImportedValue> value = getValue(name, scope);
    if (failed(value))
      return failure();
    inputs.push_back(*value);
  }
  return inputs;
}

LogicalResult GraphImporter::addInitializers(const Graph &graph, Scope &scope) {
  for (const Tensor &initializer : graph.initializers)
    if (!scope.initializers.try_emplace(initializer.name, &initializer).second)
      return emitError(builder.getUnknownLoc())
             << "expects one initializer named '" << initializer.name << "', got two";
  if (!graph.sparseInitializers.empty())
    return emitError(builder.getUnknownLoc()) << "initializer '" << graph.sparseInitializers.front()
                                              << "': sparse tensors are not supported";
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void GraphImporter::setArgumentValue(unsigned i, const Tensor &value, bool isFrozen) {
  argumentValues[i] = &value;
  if (isFrozen)
    frozen[i] = nullptr;
}

Value GraphImporter::freeze(unsigned argument) {
  Value &constant = frozen[argument];
  if (constant)
    return constant;
  ElementsAttr attr = getTensorAttr(*argumentValues.at(argument), builder.getContext());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  constant = arith::ConstantOp::create(
      builder, NameLoc::get(builder.getStringAttr(argumentNames[argument])), cast<TypedAttr>(attr));
  function.getArgument(argument).replaceAllUsesWith(constant);
  function.setArgAttr(argument, "dnn.frozen", attr);
  mlir::emitRemark(constant.getLoc()) << file << ": input '" << argumentNames[argument]
                                      << "' is frozen: the compiled model holds its value";
  return constant;
}

/// Adds what the results of `op` depend on, values that its regions capture included.
static void insertDependencies(Operation *op, llvm::SetVector<Value> &values) {
  if (std::optional<SmallVector<Value>> operands = getEvaluationOperands(op)) {
    values.insert_range(*operands);
    return;
  }
  values.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), values);
}

/// The block arguments that a value depends on, in order.
static llvm::SetVector<unsigned> getArguments(Value value) {
  llvm::SetVector<unsigned> arguments;
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Value v = seen[i];
    if (auto argument = dyn_cast<BlockArgument>(v))
      arguments.insert(argument.getArgNumber());
    else
      insertDependencies(v.getDefiningOp(), seen);
  }
  return arguments;
}

ElementsAttr GraphImporter::evaluate(Value value, std::string &reason) {
  if (ElementsAttr attr = evaluator->evaluate(value))
    return attr;
  llvm::SetVector<unsigned> arguments = getArguments(value);
  bool froze = false;
  for (unsigned argument : arguments) {
    if (!argumentValues.count(argument)) {
      const std::string &name = argumentNames[argument];
      reason = "it depends on the value of the model's input '" + name +
               "'; give one with --freeze " + name + "=FILE or with --example-data DIR";
      return nullptr;
    }
    Value constant = freeze(argument);
    if (value == function.getArgument(argument))
      value = constant;
    froze = true;
  }
  // What was remembered about values that depended on the arguments no longer holds.
  if (froze) {
    evaluator = std::make_unique<ConstantEvaluator>(kEvaluationLimitBytes);
    if (ElementsAttr attr = evaluator->evaluate(value))
      return attr;
  }
  reason = "its value cannot be computed from constants here";
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::importNodes(ArrayRef<Node> nodes, ArrayRef<std::string> outputs,
                                         Scope &scope) {
  std::vector<const Node *> order;
  GraphError error;
  if (!orderNodes(
          nodes, outputs, [&](StringRef name) { return scope.defines(name); }, order, error)) {
    if (error.node)
      return emitError(*error.node, scope) << error.message;
    return emitError(builder.getUnknownLoc()) << error.message;
  }
  for (const Node *node : order)
    if (failed(importNode(*node, scope)))
      return failure();
  return success();
}

Node GraphImporter::resolveAttributes(const Node &node, const Scope &scope) const {
  Node resolved = node;
  resolved.attributes.clear();
  for (const NodeAttribute &attribute : node.attributes) {
    if (attribute.reference.empty()) {
      resolved.attributes.push_back(attribute);
      continue;
    }
    const Scope *owner = &scope;
    while (owner && !owner->attributes)
      owner = owner->parent;
    auto it = owner ? owner->attributes->find(attribute.reference)
                    : std::map<std::string, const NodeAttribute *>::const_iterator();
    // An attribute that the caller leaves out is left out here as well.
    if (!owner || it == owner->attributes->end())
      continue;
    resolved.attributes.push_back(*it->second);
    resolved.attributes.back().name = attribute.name;
  }
  return resolved;
}

LogicalResult GraphImporter::importNode(const Node &node, Scope &scope) {
  bool hasReference =
      llvm::any_of(node.attributes, [](const NodeAttribute &a) { return !a.reference.empty(); });
  if (hasReference)
    return importNode(resolveAttributes(node, scope), scope);
  Location loc = getLocation(node, scope);
  if (const Function *callee = findFunction(node))
    return importCall(node, *callee, loc, scope);
  auto opset = scope.opsets->find(getDomain(node).str());
  if (opset == scope.opsets->end())
    return emitError(node, scope) << "expects an operator set for the domain '" << node.domain
                                  << "' among the imports, got none";
  if (getDomain(node).empty() && node.opType == "If")
    return importIf(node, opset->second, loc, scope);
  return importOperator(node, opset->second, loc, scope);
}

/// Checks the number of inputs and outputs and the type of a node against the table.
static LogicalResult checkSignature(const OperatorInfo &info, const NodeContext &ctx) {
  unsigned count = ctx.node.inputs.size();
  if (count > info.maxInputs || count < info.minInputs) {
    InFlightDiagnostic diagnostic = ctx.emitError() << "expects " << info.minInputs;
    if (info.maxInputs == kVariadic)
      diagnostic << " or more";
    else if (info.maxInputs != info.minInputs)
      diagnostic << " to " << info.maxInputs;
    return diagnostic << " inputs, got " << count;
  }
  for (unsigned i = 0; i < info.minInputs; ++i)
    if (!ctx.hasInput(i))
      return ctx.emitError() << "expects input " << i << ", which is left out";
  if (ctx.node.outputs.size() > info.maxOutputs)
    return ctx.emitError() << "expects at most " << info.maxOutputs << " outputs, got "
                           << ctx.node.outputs.size();
  if (ctx.hasInput(info.typedInput) && !info.types.contains(ctx.getElementType(info.typedInput)))
    return ctx.emitError() << "element type '"
                           << getElementTypeName(ctx.getElementType(info.typedInput))
                           << "' is not supported; supported are " << info.types.str();
  return success();
}

LogicalResult GraphImporter::importOperator(const Node &node, int64_t opset, Location loc,
                                            Scope &scope) {
  const OperatorRegistry &registry = getOperatorRegistry();
  const OperatorInfo *info = registry.find(getDomain(node), node.opType, opset);
  if (!info) {
    InFlightDiagnostic diagnostic = emitError(node, scope);
    ArrayRef<OperatorInfo> others = registry.findAll(getDomain(node), node.opType);
    if (others.empty())
      return diagnostic << "operator '" << node.opType << "' of domain '"
                        << (getDomain(node).empty() ? "ai.onnx" : node.domain)
                        << "' is not supported";
    diagnostic << "opset " << opset << " is not supported; supported are";
    for (const OperatorInfo &other : others)
      diagnostic << " " << other.opsets.first << "-" << other.opsets.last;
    return diagnostic;
  }
  FailureOr<SmallVector<ImportedValue>> inputs = getInputs(node, scope);
  if (failed(inputs))
    return failure();
  SmallVector<bool> wanted;
  for (const std::string &output : node.outputs)
    wanted.push_back(!output.empty());
  NodeContext ctx(node, opset, file, builder, loc, *inputs, wanted, *this);
  if (failed(checkSignature(*info, ctx)) || failed(info->import(ctx)) || ctx.hasAttributeError())
    return failure();
  for (auto [name, value] : llvm::zip(node.outputs, ctx.getOutputs())) {
    if (name.empty())
      continue;
    if (!value)
      return ctx.emitError() << "output '" << name << "' is not supported";
    RankedTensorType type = value.getTensorType();
    if (!computeTensorBytes(type.getShape(), getElementSize(value.type)))
      return ctx.emitError() << "expects output '" << name << "' of at most "
                             << formatBytes(kMaxTensorBytes) << ", got " << type;
    scope.values[name] = value;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The whole graph
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::run(ArrayRef<const ValueInfo *> arguments) {
  Scope scope;
  scope.opsets = &model.opsets;
  Block *body = &function.front();
  builder.setInsertionPointToStart(body);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    argumentNames.push_back(argument->name);
    if (!scope.values
             .try_emplace(argument->name, ImportedValue{body->getArgument(i), argument->type})
             .second)
      return emitError(builder.getUnknownLoc())
             << "expects one input named '" << argument->name << "', got two";
  }
  for (auto &entry : frozen)
    freeze(entry.first);
  builder.setInsertionPointToEnd(body);
  std::vector<std::string> outputs;
  for (const ValueInfo &output : model.graph.outputs) {
    if (llvm::is_contained(outputs, output.name))
      return emitError(builder.getUnknownLoc())
             << "expects one output named '" << output.name << "', got two";
    outputs.push_back(output.name);
  }
  if (failed(addInitializers(model.graph, scope)) ||
      failed(importNodes(model.graph.nodes, outputs, scope)))
    return failure();
  return finish(scope);
}

/// Files are written for one size and changed for another; the declared shape of an output then
/// tells the old one.
void GraphImporter::warnAboutShape(const ValueInfo &output, RankedTensorType type) const {
  bool fits = !output.hasShape || int64_t(output.dims.size()) == type.getRank();
  for (size_t i = 0; fits && output.hasShape && i < output.dims.size(); ++i)
    fits = output.dims[i].value < 0 || output.dims[i].value == type.getDimSize(i);
  if (!fits)
    mlir::emitWarning(UnknownLoc::get(type.getContext()))
        << file << ": the shape that output '" << output.name << "' is declared with is not its "
        << type;
}

LogicalResult GraphImporter::finish(Scope &scope) {
  SmallVector<Value> results;
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (const ValueInfo &output : model.graph.outputs) {
    FailureOr<ImportedValue> value = getValue(output.name, scope);
    if (failed(value))
      return failure();
    if (!*value)
      return emitError(builder.getUnknownLoc()) << "output '" << output.name << "' has no value";
    if (output.type != ElementType::Undefined && output.type != value->type)
      return emitError(builder.getUnknownLoc())
             << "output '" << output.name << "' is declared as " << getElementTypeName(output.type)
             << ", but its value has type " << getElementTypeName(value->type);
    warnAboutShape(output, value->getTensorType());
    results.push_back(value->value);
    types.push_back(value->value.getType());
    attributes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("dnn.name", builder.getStringAttr(output.name)),
         builder.getNamedAttr("dnn.type",
                              builder.getStringAttr(getElementTypeName(value->type)))}));
  }
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  function.setFunctionType(
      FunctionType::get(builder.getContext(), function.getArgumentTypes(), types));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
  // Shape arithmetic has done its work and goes.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}
