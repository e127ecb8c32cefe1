//===- GraphOrder.cpp - checks and order of a graph's nodes ----------------===//
//
// Definitions by name, what is reachable from the outputs, and Kahn's algorithm on it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GraphOrder.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

#include <queue>

using namespace udnn::onnx;
using llvm::StringRef;

namespace {

/// Adds the names that a graph's nodes take from enclosing graphs.
void collectCaptures(const Graph &graph, std::vector<std::string> &captures) {
  llvm::StringSet<> own;
  for (const ValueInfo &input : graph.inputs)
    own.insert(input.name);
  for (const Tensor &initializer : graph.initializers)
    own.insert(initializer.name);
  for (const Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      own.insert(output);
  std::vector<std::string> used;
  for (const Node &node : graph.nodes) {
    used.insert(used.end(), node.inputs.begin(), node.inputs.end());
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        collectCaptures(*attribute.graph, used);
  }
  for (const ValueInfo &output : graph.outputs)
    used.push_back(output.name);
  for (const std::string &name : used)
    if (!name.empty() && !own.contains(name))
      captures.push_back(name);
}

/// Names that a node depends on, those of its subgraphs included.
std::vector<std::string> getUses(const Node &node) {
  std::vector<std::string> uses;
  for (const std::string &input : node.inputs)
    if (!input.empty())
      uses.push_back(input);
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.graph)
      collectCaptures(*attribute.graph, uses);
  return uses;
}

class Orderer {
public:
  Orderer(llvm::ArrayRef<Node> nodes, llvm::function_ref<bool(StringRef)> isDefined,
          GraphError &error)
      : nodes(nodes), isDefined(isDefined), error(error) {}

  bool run(llvm::ArrayRef<std::string> outputs, std::vector<const Node *> &order) {
    return defineOutputs() && resolveUses() && markNeeded(outputs) && sort(order);
  }

private:
  bool fail(const Node *node, const llvm::Twine &message) {
    error = {node, message.str()};
    return false;
  }

  /// Maps every output to its node.
  bool defineOutputs() {
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const std::string &output : nodes[i].outputs) {
        if (output.empty())
          continue;
        if (!definedBy.try_emplace(output, i).second || isDefined(output))
          return fail(&nodes[i],
                      "expects one definition of value '" + output + "', got another one");
      }
    return true;
  }

  /// Finds the nodes that every node depends on.
  bool resolveUses() {
    dependencies.resize(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const std::string &use : getUses(nodes[i])) {
        auto it = definedBy.find(use);
        if (it != definedBy.end())
          dependencies[i].push_back(it->second);
        else if (!isDefined(use))
          return fail(&nodes[i], "expects a definition of value '" + use +
                                     "': no node, input or initializer has this name");
      }
    return true;
  }

  bool markNeeded(llvm::ArrayRef<std::string> outputs) {
    needed.assign(nodes.size(), false);
    std::vector<size_t> work;
    auto need = [&](size_t i) {
      if (!needed[i])
        work.push_back(i);
      needed[i] = true;
    };
    for (const std::string &output : outputs) {
      auto it = definedBy.find(output);
      if (it != definedBy.end())
        need(it->second);
      else if (!output.empty() && !isDefined(output))
        return fail(nullptr, "expects a definition of the output '" + output +
                                 "': no node, input or initializer has this name");
    }
    while (!work.empty()) {
      size_t i = work.back();
      work.pop_back();
      for (size_t dependency : dependencies[i])
        need(dependency);
    }
    return true;
  }

  bool sort(std::vector<const Node *> &order) {
    std::vector<size_t> open(nodes.size());
    std::vector<std::vector<size_t>> users(nodes.size());
    std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready;
    size_t count = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!needed[i])
        continue;
      ++count;
      open[i] = dependencies[i].size();
      for (size_t dependency : dependencies[i])
        users[dependency].push_back(i);
      if (open[i] == 0)
        ready.push(i);
    }
    order.clear();
    while (!ready.empty()) {
      size_t i = ready.top();
      ready.pop();
      open[i] = 0;
      order.push_back(&nodes[i]);
      for (size_t user : users[i])
        if (--open[user] == 0)
          ready.push(user);
    }
    if (order.size() == count)
      return true;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (needed[i] && open[i] > 0)
        return fail(&nodes[i], "depends on its own output through a cycle of nodes");
    return fail(nullptr, "has a cycle of nodes");
  }

  llvm::ArrayRef<Node> nodes;
  llvm::function_ref<bool(StringRef)> isDefined;
  GraphError &error;
  llvm::StringMap<size_t> definedBy;
  std::vector<std::vector<size_t>> dependencies;
  std::vector<bool> needed;
};

} // namespace

bool udnn::onnx::orderNodes(llvm::ArrayRef<Node> nodes, llvm::ArrayRef<std::string> outputs,
                            llvm::function_ref<bool(StringRef)> isDefined,
                            std::vector<const Node *> &order, GraphError &error) {
  return Orderer(nodes, isDefined, error).run(outputs, order);
}
