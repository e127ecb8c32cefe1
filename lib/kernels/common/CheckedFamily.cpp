//===- CheckedFamily.cpp - parameters of kernel families -------------------===//
//
// A family around another one that lets only sound parameters through.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CheckedFamily.h"

using namespace mlir;
using namespace udnn;

namespace {

class CheckedFamily : public KernelFamily {
public:
  CheckedFamily(std::unique_ptr<KernelFamily> family, std::vector<ParameterRange> ranges,
                bool (*runs)(Operation *))
      : family(std::move(family)), ranges(std::move(ranges)), runs(runs) {}

  StringRef getName() const override { return family->getName(); }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    family->getCandidates(unit, device, list);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    if (std::string problem = explain(unit.getPrimitive(), parameters); !problem.empty())
      return unit.emitError() << problem;
    return family->expand(unit, parameters, device, builder);
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    if (!explain(kernel.getPrimitive(), kernel.getParameters()).empty())
      return {{0, 0, 0}, {1, 1, 1}, 0};
    return family->getLaunchShape(kernel, device);
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    if (std::string problem = explain(kernel.getPrimitive(), kernel.getParameters());
        !problem.empty())
      return kernel.emitError() << problem;
    return family->build(kernel, device, module);
  }

private:
  /// What is wrong with the primitive or the parameters; empty when they are sound.
  std::string explain(Operation *primitive, DictionaryAttr parameters) const;

  std::unique_ptr<KernelFamily> family;
  std::vector<ParameterRange> ranges;
  bool (*runs)(Operation *);
};

} // namespace

std::string CheckedFamily::explain(Operation *primitive, DictionaryAttr parameters) const {
  if (!runs(primitive))
    return "the kernel family '" + getName().str() + "' does not run this operation";
  auto about = [&](StringRef name) {
    return ("expects the parameter '" + name + "' of the kernel family '" + getName() + "' to be ")
        .str();
  };
  for (const ParameterRange &range : ranges) {
    Attribute attr = parameters.get(range.name);
    auto integer = dyn_cast_or_null<IntegerAttr>(attr);
    bool isInteger = integer && integer.getType().isInteger(64);
    if (isInteger && integer.getInt() >= range.minimum && integer.getInt() <= range.maximum)
      continue;
    std::string problem = about(range.name) + "an i64 from " + std::to_string(range.minimum) +
                          " to " + std::to_string(range.maximum) + ", got ";
    llvm::raw_string_ostream stream(problem);
    if (isInteger)
      stream << integer.getInt();
    else if (attr)
      stream << attr;
    else
      stream << "none";
    return problem;
  }
  for (NamedAttribute attr : parameters)
    if (llvm::none_of(ranges, [&](const ParameterRange &range) {
          return range.name == attr.getName().getValue();
        }))
      return "the kernel family '" + getName().str() + "' has no parameter '" +
             attr.getName().str() + "'";
  return {};
}

std::unique_ptr<KernelFamily> udnn::withParameters(std::unique_ptr<KernelFamily> family,
                                                   std::vector<ParameterRange> ranges,
                                                   bool (*runs)(Operation *)) {
  return std::make_unique<CheckedFamily>(std::move(family), std::move(ranges), runs);
}
