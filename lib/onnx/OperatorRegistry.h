//===- OperatorRegistry.h - the operators that can be imported ---*- C++ -*-===//
//
// The table of ONNX operators: versions, types, and the function that imports a node. A group of
// operators is one file with one `register...Operators` function, declared at the end of this one.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_OPERATORREGISTRY_H
#define UDNN_LIB_ONNX_OPERATORREGISTRY_H

#include "NodeContext.h"
#include "udnn/Onnx/Model.h"

#include "llvm/ADT/StringMap.h"

namespace udnn::onnx {

/// The newest operator set of the default domain that the importer knows, and the oldest.
constexpr int64_t kNewestOpset = 28, kOldestOpset = 7;
/// The newest version of the file format.
constexpr int64_t kNewestIRVersion = 14;
/// No limit on the number of inputs or outputs.
constexpr unsigned kVariadic = ~0u;

/// A set of element types.
class TypeSet {
public:
  constexpr TypeSet(std::initializer_list<ElementType> types) {
    for (ElementType type : types)
      bits |= 1u << int(type);
  }
  constexpr bool contains(ElementType type) const {
    return int(type) >= 0 && int(type) < 32 && (bits >> int(type) & 1);
  }
  constexpr TypeSet operator|(TypeSet other) const {
    other.bits |= bits;
    return other;
  }
  /// "float, double, int32"
  std::string str() const;

private:
  uint32_t bits = 0;
};

constexpr TypeSet kFloatTypes = {ElementType::Float16, ElementType::BFloat16, ElementType::Float,
                                 ElementType::Double};
constexpr TypeSet kSignedTypes = {ElementType::Int8, ElementType::Int16, ElementType::Int32,
                                  ElementType::Int64};
constexpr TypeSet kUnsignedTypes = {ElementType::UInt8, ElementType::UInt16, ElementType::UInt32,
                                    ElementType::UInt64};
constexpr TypeSet kBoolType = {ElementType::Bool};
constexpr TypeSet kIndexTypes = {ElementType::Int32, ElementType::Int64};
constexpr TypeSet kIntegerTypes = kSignedTypes | kUnsignedTypes;
constexpr TypeSet kNumericTypes = kFloatTypes | kIntegerTypes;
constexpr TypeSet kAllTypes = kNumericTypes | kBoolType;

/// Imports one node: reads inputs and attributes from the context and sets the outputs. On failure
/// a diagnostic has been emitted.
using ImportFunction = std::function<mlir::LogicalResult(NodeContext &)>;

/// Checks the sizes of a shape that comes from a constant input or an attribute: 0 or more, with a
/// product that a tensor can have.
mlir::LogicalResult checkShape(const NodeContext &ctx, llvm::ArrayRef<int64_t> shape);

/// Operator sets in which an entry holds, both inclusive.
struct OpsetRange {
  int64_t first = kOldestOpset, last = kNewestOpset;
};

/// One operator of the table, with what is checked before `import` is called.
struct OperatorInfo {
  std::string name;
  OpsetRange opsets;
  /// Number of inputs. The first `minInputs` are present when `import` is called.
  unsigned minInputs, maxInputs;
  unsigned maxOutputs;
  /// Types covered, checked on input number `typedInput` where it is present.
  TypeSet types;
  ImportFunction import;
  unsigned typedInput = 0;
  /// What is not covered, for the documentation: "training_mode = 1 is not covered".
  std::string note = "";
  /// "" is ONNX's default domain.
  std::string domain = "";
};

/// The table of operators.
class OperatorRegistry {
public:
  /// Adds an operator. One name may have several entries with different opsets.
  void add(OperatorInfo info);

  /// The entry for an operator in an operator set, or null.
  const OperatorInfo *find(llvm::StringRef domain, llvm::StringRef name, int64_t opset) const;

  /// All entries of an operator, by first opset; empty when it is unknown.
  llvm::ArrayRef<OperatorInfo> findAll(llvm::StringRef domain, llvm::StringRef name) const;

  /// All entries sorted by domain, name, and opset.
  std::vector<const OperatorInfo *> getSorted() const;

private:
  llvm::StringMap<std::vector<OperatorInfo>> entries;
};

/// The table of everything that the importer covers.
const OperatorRegistry &getOperatorRegistry();

// One function per file of operators; each is called in OperatorRegistry.cpp.
void registerActivationOperators(OperatorRegistry &registry);
void registerArithmeticOperators(OperatorRegistry &registry);
void registerControlOperators(OperatorRegistry &registry);
void registerConvOperators(OperatorRegistry &registry);
void registerIndexOperators(OperatorRegistry &registry);
void registerLogicOperators(OperatorRegistry &registry);
void registerMatmulOperators(OperatorRegistry &registry);
void registerNormOperators(OperatorRegistry &registry);
void registerPoolOperators(OperatorRegistry &registry);
void registerRearrangeOperators(OperatorRegistry &registry);
void registerReductionOperators(OperatorRegistry &registry);
void registerReshapeOperators(OperatorRegistry &registry);
void registerResizeOperators(OperatorRegistry &registry);
void registerShapeOperators(OperatorRegistry &registry);
void registerUnaryOperators(OperatorRegistry &registry);

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_OPERATORREGISTRY_H
