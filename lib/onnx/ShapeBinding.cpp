//===- ShapeBinding.cpp - static shapes of a model's inputs -----------------===//
//
// Shapes come from the model, --dim, --shape, --freeze and the example data; all must agree.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ShapeBinding.h"
#include "reader/TensorSize.h"
#include "udnn/Onnx/Model.h"
#include "udnn/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace udnn;
using namespace udnn::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

class Binder {
public:
  Binder(const Model &model, const OnnxImportOptions &options, BoundInputs &bound,
         std::string &error)
      : model(model), options(options), bound(bound), error(error) {}

  LogicalResult run() {
    if (failed(collectInputs()) || failed(readFrozen()) || failed(readExamples()) ||
        failed(bindValues()) || failed(bindShapes()) || failed(bindDims()))
      return failure();
    return resolve();
  }

private:
  LogicalResult fail(const Twine &message) {
    error = (model.path + ": " + message).str();
    return failure();
  }

  LogicalResult collectInputs() {
    llvm::StringSet<> initializers;
    for (const Tensor &initializer : model.graph.initializers)
      initializers.insert(initializer.name);
    for (const ValueInfo &info : model.graph.inputs) {
      if (initializers.contains(info.name))
        continue;
      if (info.kind != "tensor")
        return fail("input '" + info.name + "' is a " +
                    (info.kind.empty() ? "value of no type" : info.kind) + ", expected a tensor");
      if (getElementSize(info.type) == 0)
        return fail("input '" + info.name + "': element type '" + getElementTypeName(info.type) +
                    "' is not supported");
      BoundInput &input = bound.inputs.emplace_back();
      input.info = &info;
      for (const Dimension &dim : info.dims)
        input.shape.push_back(dim.value);
      hasShape.push_back(info.hasShape);
    }
    return success();
  }

  BoundInput *find(StringRef name) {
    for (BoundInput &input : bound.inputs)
      if (input.info->name == name)
        return &input;
    return nullptr;
  }

  std::string listInputs() const {
    std::vector<std::string> names;
    for (const BoundInput &input : bound.inputs)
      names.push_back("'" + input.info->name + "'");
    return names.empty() ? "none" : llvm::join(names, ", ");
  }

  LogicalResult readFrozen() {
    for (const auto &[name, path] : options.freezes) {
      BoundInput *input = find(name);
      if (!input)
        return fail("--freeze: the model has no input '" + name + "'; its inputs are " +
                    listInputs());
      auto tensor = std::make_unique<Tensor>();
      if (!readTensor(path, *tensor, error))
        return failure();
      input->value = tensor.get();
      input->frozen = true;
      bound.values.push_back(std::move(tensor));
    }
    return success();
  }

  /// Example tensors belong to inputs by name, or by their order where names are missing.
  LogicalResult readExamples() {
    if (options.exampleData.empty())
      return success();
    std::vector<Tensor> tensors;
    if (!readTestData(options.exampleData, "input", tensors, error))
      return failure();
    bool byName = llvm::all_of(tensors, [&](const Tensor &t) { return find(t.name) != nullptr; });
    if (!byName && tensors.size() > bound.inputs.size())
      return fail("the example data has " + Twine(tensors.size()) + " inputs, the model " +
                  Twine(bound.inputs.size()));
    for (size_t i = 0; i < tensors.size(); ++i) {
      BoundInput *input = byName ? find(tensors[i].name) : &bound.inputs[i];
      if (input->frozen)
        continue;
      bound.values.push_back(std::make_unique<Tensor>(std::move(tensors[i])));
      input->value = bound.values.back().get();
    }
    return success();
  }

  static std::string print(ArrayRef<int64_t> shape) {
    std::string text = "[";
    for (auto [i, size] : llvm::enumerate(shape))
      text += (i ? ", " : "") + (size < 0 ? "?" : std::to_string(size));
    return text + "]";
  }

  /// Unites the shape of input `i` with one given by `source`.
  LogicalResult unite(size_t i, ArrayRef<int64_t> shape, const Twine &source) {
    BoundInput &input = bound.inputs[i];
    if (!hasShape[i]) {
      input.shape.assign(shape.begin(), shape.end());
      hasShape[i] = true;
      return success();
    }
    bool agrees = input.shape.size() == shape.size();
    for (size_t d = 0; agrees && d < shape.size(); ++d)
      agrees = input.shape[d] < 0 || input.shape[d] == shape[d];
    if (!agrees)
      return fail(source + " gives input '" + input.info->name + "' the shape " + print(shape) +
                  ", but the model declares " + print(input.shape));
    input.shape.assign(shape.begin(), shape.end());
    return success();
  }

  LogicalResult bindValues() {
    for (auto [i, input] : llvm::enumerate(bound.inputs)) {
      if (!input.value)
        continue;
      std::string source = input.frozen ? "--freeze" : "the example data";
      if (input.value->type != input.info->type)
        return fail(source + " gives input '" + input.info->name + "' the type " +
                    getElementTypeName(input.value->type) + ", but the model declares " +
                    getElementTypeName(input.info->type));
      if (failed(unite(i, input.value->dims, source)))
        return failure();
    }
    return success();
  }

  LogicalResult bindShapes() {
    for (const auto &[name, shape] : options.shapes) {
      BoundInput *input = find(name);
      if (!input)
        return fail("--shape: the model has no input '" + name + "'; its inputs are " +
                    listInputs());
      if (failed(unite(input - bound.inputs.data(), shape, "--shape")))
        return failure();
    }
    return success();
  }

  /// Binds a name to a size, once.
  LogicalResult bindName(const std::string &name, int64_t size, const Twine &source) {
    auto [it, isNew] = sizes.try_emplace(name, size);
    if (!isNew && it->second != size)
      return fail("dimension '" + name + "' is " + Twine(it->second) + " in one place, but " +
                  source + " makes it " + Twine(size));
    return success();
  }

  LogicalResult bindDims() {
    std::set<std::string> names;
    for (const BoundInput &input : bound.inputs)
      for (const Dimension &dim : input.info->dims)
        if (!dim.name.empty())
          names.insert(dim.name);
    for (const auto &[name, size] : options.dims) {
      if (!names.count(name))
        return fail("--dim: the model has no symbolic dimension '" + name + "'; it has " +
                    (names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'"));
      if (failed(bindName(name, size, "--dim")))
        return failure();
    }
    for (const BoundInput &input : bound.inputs)
      for (auto [dim, size] : llvm::zip(input.info->dims, input.shape))
        if (!dim.name.empty() && size >= 0 &&
            failed(bindName(dim.name, size, "the shape of input '" + input.info->name + "'")))
          return failure();
    return success();
  }

  /// Puts the sizes of names in, and reports what is still unbound.
  LogicalResult resolve() {
    std::set<std::string> unboundNames;
    std::vector<std::string> unboundInputs;
    for (auto [i, input] : llvm::enumerate(bound.inputs)) {
      if (!hasShape[i]) {
        unboundInputs.push_back("--shape " + input.info->name + "=<shape of any rank>");
        continue;
      }
      bool anonymous = false;
      for (auto [d, size] : llvm::enumerate(input.shape)) {
        StringRef name = d < input.info->dims.size() ? StringRef(input.info->dims[d].name) : "";
        if (size < 0 && !name.empty()) {
          auto it = sizes.find(name.str());
          if (it != sizes.end())
            size = it->second;
          else
            unboundNames.insert(name.str());
        }
        anonymous |= size < 0 && name.empty();
      }
      if (anonymous)
        unboundInputs.push_back("--shape " + input.info->name + "=" + suggest(input));
      if (failed(checkSize(input)))
        return failure();
    }
    if (unboundNames.empty() && unboundInputs.empty())
      return success();
    return reportUnbound(unboundNames, unboundInputs);
  }

  /// A shape for the example command: 1 for what is not known.
  static std::string suggest(const BoundInput &input) {
    std::vector<std::string> sizes;
    for (int64_t size : input.shape)
      sizes.push_back(std::to_string(size < 0 ? 1 : size));
    return llvm::join(sizes, "x");
  }

  LogicalResult checkSize(const BoundInput &input) {
    if (llvm::any_of(input.shape, [](int64_t size) { return size < 0; }) ||
        computeTensorBytes(input.shape, getElementSize(input.info->type)))
      return success();
    return fail("input '" + input.info->name + "' of shape " + print(input.shape) +
                " is too large: it has more than " + formatBytes(kMaxTensorBytes));
  }

  LogicalResult reportUnbound(const std::set<std::string> &names,
                              const std::vector<std::string> &inputs) {
    std::string message = "the model's inputs have dimensions without a size:";
    for (const BoundInput &input : bound.inputs) {
      std::vector<std::string> dims;
      for (auto [d, size] : llvm::enumerate(input.shape)) {
        StringRef name = d < input.info->dims.size() ? StringRef(input.info->dims[d].name) : "";
        dims.push_back(size >= 0 ? std::to_string(size) : name.empty() ? "?" : name.str());
      }
      message += "\n  '" + input.info->name + "': [" + llvm::join(dims, ", ") + "]";
    }
    message += "\ngive their sizes, for example:";
    // A shape binds the names in it, so names are listed only where they are elsewhere.
    for (const std::string &name : names)
      message += " --dim " + name + "=1";
    for (const std::string &input : inputs)
      message += " " + input;
    return fail(message);
  }

  const Model &model;
  const OnnxImportOptions &options;
  BoundInputs &bound;
  std::string &error;
  SmallVector<bool> hasShape;
  std::map<std::string, int64_t> sizes;
};

} // namespace

LogicalResult udnn::onnx::bindInputs(const Model &model, const OnnxImportOptions &options,
                                     BoundInputs &bound, std::string &error) {
  return Binder(model, options, bound, error).run();
}
