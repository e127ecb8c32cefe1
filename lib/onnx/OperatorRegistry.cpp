//===- OperatorRegistry.cpp - the operators that can be imported -----------===//
//
// Look-up in the table of operators, and its print-out.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"
#include "udnn/Onnx/Import.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace udnn;
using namespace udnn::onnx;
using llvm::StringRef;

std::string TypeSet::str() const {
  std::vector<std::string> names;
  for (int i = 0; i < 32; ++i)
    if (contains(ElementType(i)))
      names.push_back(getElementTypeName(ElementType(i)));
  return llvm::join(names, ", ");
}

static std::string getKey(StringRef domain, StringRef name) { return (domain + "::" + name).str(); }

void OperatorRegistry::add(OperatorInfo info) {
  std::vector<OperatorInfo> &list = entries[getKey(info.domain, info.name)];
  list.push_back(std::move(info));
  llvm::sort(list, [](const OperatorInfo &a, const OperatorInfo &b) {
    return a.opsets.first < b.opsets.first;
  });
}

llvm::ArrayRef<OperatorInfo> OperatorRegistry::findAll(StringRef domain, StringRef name) const {
  auto it = entries.find(getKey(domain, name));
  return it == entries.end() ? llvm::ArrayRef<OperatorInfo>() : llvm::ArrayRef(it->second);
}

const OperatorInfo *OperatorRegistry::find(StringRef domain, StringRef name, int64_t opset) const {
  for (const OperatorInfo &info : findAll(domain, name))
    if (info.opsets.first <= opset && opset <= info.opsets.last)
      return &info;
  return nullptr;
}

std::vector<const OperatorInfo *> OperatorRegistry::getSorted() const {
  std::vector<const OperatorInfo *> sorted;
  for (const auto &entry : entries)
    for (const OperatorInfo &info : entry.second)
      sorted.push_back(&info);
  llvm::sort(sorted, [](const OperatorInfo *a, const OperatorInfo *b) {
    return std::tie(a->domain, a->name, a->opsets.first) <
           std::tie(b->domain, b->name, b->opsets.first);
  });
  return sorted;
}

const OperatorRegistry &udnn::onnx::getOperatorRegistry() {
  static const OperatorRegistry registry = [] {
    OperatorRegistry r;
    registerActivationOperators(r);
    registerArithmeticOperators(r);
    registerControlOperators(r);
    registerConvOperators(r);
    registerIndexOperators(r);
    registerLogicOperators(r);
    registerMatmulOperators(r);
    registerNormOperators(r);
    registerPoolOperators(r);
    registerRearrangeOperators(r);
    registerReductionOperators(r);
    registerReshapeOperators(r);
    registerResizeOperators(r);
    registerShapeOperators(r);
    registerUnaryOperators(r);
    return r;
  }();
  return registry;
}

void udnn::printOnnxOperators(llvm::raw_ostream &os) {
  os << "# ONNX operators\n\nWhat `udnn-opt --list-onnx-operators` prints: the operators that can "
        "be "
        "imported, the operator sets\nin which they can, and the element types of their main "
        "input.\n\n"
        "| operator | domain | opsets | types | not covered |\n|---|---|---|---|---|\n";
  for (const OperatorInfo *info : getOperatorRegistry().getSorted())
    os << "| " << info->name << " | " << (info->domain.empty() ? "ai.onnx" : info->domain) << " | "
       << info->opsets.first << "-" << info->opsets.last << " | " << info->types.str() << " | "
       << info->note << " |\n";
}
