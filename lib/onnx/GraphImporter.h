//===- GraphImporter.h - imports the nodes of a model ------------*- C++ -*-===//
//
// Walks a model's graph, its functions and the branches that are taken, and emits operations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_GRAPHIMPORTER_H
#define UDNN_LIB_ONNX_GRAPHIMPORTER_H

#include "NodeContext.h"
#include "udnn/Constants/Evaluate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace udnn::onnx {

/// Names that are visible while the nodes of a graph or a function are imported.
struct Scope {
  const Scope *parent = nullptr;
  const OpsetImports *opsets = nullptr;
  /// In a function: the attributes of the node that calls it, and the function's defaults.
  const std::map<std::string, const NodeAttribute *> *attributes = nullptr;
  /// Put before the names of nodes, so that those of a function called twice differ.
  std::string prefix;
  int depth = 0;
  llvm::StringMap<ImportedValue> values;
  /// Initializers that have not been used yet.
  llvm::StringMap<const Tensor *> initializers;

  /// True when the name is known here or in an enclosing scope.
  bool defines(llvm::StringRef name) const;
};

class GraphImporter : public ConstantSource {
public:
  GraphImporter(const Model &model, mlir::func::FuncOp function);

  /// The value of argument `i` is known: `frozen` says that it is taken as a constant right away,
  /// else it becomes one when a shape depends on it.
  void setArgumentValue(unsigned i, const Tensor &value, bool frozen);

  /// Imports the whole graph into the function and sets its result types and attributes.
  mlir::LogicalResult run(llvm::ArrayRef<const ValueInfo *> arguments);

  mlir::ElementsAttr evaluate(mlir::Value value, std::string &reason) override;
  mlir::ElementsAttr tryEvaluate(mlir::Value value) override { return evaluator->evaluate(value); }

private:
  mlir::InFlightDiagnostic emitError(mlir::Location loc) const;
  mlir::InFlightDiagnostic emitError(const Node &node, const Scope &scope) const;

  mlir::LogicalResult importNodes(llvm::ArrayRef<Node> nodes, llvm::ArrayRef<std::string> outputs,
                                  Scope &scope);
  mlir::LogicalResult importNode(const Node &node, Scope &scope);
  mlir::LogicalResult importOperator(const Node &node, int64_t opset, mlir::Location loc,
                                     Scope &scope);
  /// Gives the outputs of `node` in `scope` the values called `names` in `inner`.
  mlir::LogicalResult setOutputs(const Node &node, llvm::ArrayRef<std::string> names, Scope &inner,
                                 Scope &scope);
  mlir::LogicalResult importIf(const Node &node, int64_t opset, mlir::Location loc, Scope &scope);
  mlir::LogicalResult importCall(const Node &node, const Function &callee, mlir::Location loc,
                                 Scope &scope);
  mlir::LogicalResult addInitializers(const Graph &graph, Scope &scope);
  mlir::LogicalResult finish(Scope &scope);
  void warnAboutShape(const ValueInfo &output, mlir::RankedTensorType type) const;

  /// The value with this name, which orderNodes has checked to exist; an initializer becomes an
  /// operation now. Fails for initializers of a type that is not covered.
  mlir::FailureOr<ImportedValue> getValue(const std::string &name, const Scope &scope);
  mlir::FailureOr<mlir::SmallVector<ImportedValue>> getInputs(const Node &node, const Scope &scope);
  const Function *findFunction(const Node &node) const;
  mlir::Location getLocation(const Node &node, const Scope &scope);
  /// The node with the references to its function's attributes resolved.
  Node resolveAttributes(const Node &node, const Scope &scope) const;

  mlir::Value freeze(unsigned argument);

  const Model &model;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  std::string file;
  std::unique_ptr<ConstantEvaluator> evaluator;
  std::map<unsigned, const Tensor *> argumentValues;
  /// Constants that stand for frozen arguments.
  std::map<unsigned, mlir::Value> frozen;
  llvm::SmallVector<std::string> argumentNames;
  llvm::StringMap<mlir::Value> materialized;
  std::set<std::string> usedNames;
};

/// The domain of a node's operator, empty for the default one, which "ai.onnx" is another name of.
inline llvm::StringRef getDomain(const Node &node) {
  return node.domain == "ai.onnx" ? llvm::StringRef() : llvm::StringRef(node.domain);
}

/// The attribute that holds a tensor; a large one points into the tensor's memory and keeps it
/// alive. Null for element types that are not covered.
mlir::ElementsAttr getTensorAttr(const Tensor &tensor, mlir::MLIRContext *context);

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_GRAPHIMPORTER_H
