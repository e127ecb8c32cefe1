//===- GraphOrder.h - checks and order of a graph's nodes --------*- C++ -*-===//
//
// Finds the nodes that a graph's outputs need and an order in which they can be imported.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_GRAPHORDER_H
#define UDNN_LIB_ONNX_GRAPHORDER_H

#include "udnn/Onnx/Model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace udnn::onnx {

/// What is wrong with a graph, and at which node (null: at none).
struct GraphError {
  const Node *node = nullptr;
  std::string message;
};

/// Orders the nodes that `outputs` depend on so that every value is defined before it is used;
/// nodes keep their order where they can. `isDefined` tells whether a name is known without a node:
/// a graph input, an initializer, or a value of an enclosing graph. Fails, with `error` set, when a
/// name has two definitions or none, or when nodes depend on each other in a cycle.
bool orderNodes(llvm::ArrayRef<Node> nodes, llvm::ArrayRef<std::string> outputs,
                llvm::function_ref<bool(llvm::StringRef)> isDefined,
                std::vector<const Node *> &order, GraphError &error);

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_GRAPHORDER_H
