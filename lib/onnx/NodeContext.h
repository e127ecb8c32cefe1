//===- NodeContext.h - what the import of one node works with ----*- C++ -*-===//
//
// Inputs, attributes, constants and outputs of the node that is being imported, and helpers that
// emit common operations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_ONNX_NODECONTEXT_H
#define UDNN_LIB_ONNX_NODECONTEXT_H

#include "udnn/Onnx/Model.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Value.h"

namespace udnn::onnx {

/// A tensor value and its ONNX element type, which says what the signless MLIR type does not.
struct ImportedValue {
  mlir::Value value;
  ElementType type = ElementType::Undefined;

  explicit operator bool() const { return bool(value); }
  mlir::RankedTensorType getTensorType() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
};

/// True for uint8, uint16, uint32, uint64 and bool.
bool isUnsigned(ElementType type);
/// True for float16, bfloat16, float and double.
bool isFloat(ElementType type);
/// The signless MLIR type, or null for a type that is not covered.
mlir::Type getMLIRType(ElementType type, mlir::MLIRContext *context);

/// What a node's import asks of the importer as a whole.
class ConstantSource {
public:
  virtual ~ConstantSource() = default;
  /// The constant that `value` equals. Freezes graph inputs with a known example value on the way.
  /// When there is none, returns null and says why in `reason`.
  virtual mlir::ElementsAttr evaluate(mlir::Value value, std::string &reason) = 0;
  /// The same without freezing anything.
  virtual mlir::ElementsAttr tryEvaluate(mlir::Value value) = 0;
};

class NodeContext {
public:
  NodeContext(const Node &node, int64_t opset, llvm::StringRef file, mlir::OpBuilder &builder,
              mlir::Location loc, llvm::ArrayRef<ImportedValue> inputs,
              llvm::ArrayRef<bool> wantedOutputs, ConstantSource &constants)
      : node(node), opset(opset), builder(builder), loc(loc), file(file), inputs(inputs),
        wantedOutputs(wantedOutputs), constants(constants), outputs(wantedOutputs.size()) {}

  const Node &node;
  /// Version of the operator set in the node's domain.
  const int64_t opset;
  mlir::OpBuilder &builder;
  const mlir::Location loc;

  /// Emits "file: node 'x' (Op, opset 13): ..." at the node's location. Converts to failure().
  mlir::InFlightDiagnostic emitError() const;

  // Inputs.
  unsigned getNumInputs() const { return inputs.size(); }
  bool hasInput(unsigned i) const { return i < inputs.size() && bool(inputs[i]); }
  /// Input `i`, or null when it is left out.
  mlir::Value getInput(unsigned i) const { return i < inputs.size() ? inputs[i].value : nullptr; }
  /// Type and ONNX element type of an input that is present.
  mlir::RankedTensorType getInputType(unsigned i) const { return inputs[i].getTensorType(); }
  ElementType getElementType(unsigned i) const { return inputs[i].type; }
  llvm::ArrayRef<ImportedValue> getInputs() const { return inputs; }

  // Constant inputs. They fail with a diagnostic that says what the value depends on.
  /// The constant that input `i` equals; the input must be present.
  mlir::FailureOr<mlir::ElementsAttr> getConstantInput(unsigned i);
  /// Elements of a constant input of any integer type or bool, flattened.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getConstantInts(unsigned i);
  /// Elements of a constant input of any float type, flattened.
  mlir::FailureOr<llvm::SmallVector<double>> getConstantFloats(unsigned i);
  /// The same where the value is known without freezing an input; null where it is not.
  std::optional<llvm::SmallVector<int64_t>> tryConstantInts(unsigned i);
  /// The only element of a constant input.
  mlir::FailureOr<int64_t> getConstantInt(unsigned i);
  mlir::FailureOr<double> getConstantFloat(unsigned i);

  // Attributes. An attribute of the wrong kind is a diagnostic; the node's import then fails after
  // the function returns, so that importers need not check every access.
  bool hasAttribute(llvm::StringRef name) const { return findAttribute(name) != nullptr; }
  int64_t getInt(llvm::StringRef name, int64_t defaultValue);
  float getFloat(llvm::StringRef name, float defaultValue);
  std::string getString(llvm::StringRef name, llvm::StringRef defaultValue);
  llvm::SmallVector<int64_t> getInts(llvm::StringRef name,
                                     llvm::ArrayRef<int64_t> defaultValue = {});
  llvm::SmallVector<float> getFloats(llvm::StringRef name, llvm::ArrayRef<float> defaultValue = {});
  /// Null when the attribute is absent.
  std::shared_ptr<const Tensor> getTensor(llvm::StringRef name);
  /// An integer attribute without a default.
  mlir::FailureOr<int64_t> requireInt(llvm::StringRef name);
  mlir::FailureOr<llvm::SmallVector<int64_t>> requireInts(llvm::StringRef name);
  bool hasAttributeError() const { return attributeError; }

  /// `axis` counted from the front, checked against [-rank, rank).
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank) const;
  /// The same for several axes, which must differ.
  mlir::FailureOr<llvm::SmallVector<int64_t>> normalizeAxes(llvm::ArrayRef<int64_t> axes,
                                                            int64_t rank) const;

  // Outputs.
  unsigned getNumOutputs() const { return outputs.size(); }
  /// True when the node names output `i`.
  bool wantsOutput(unsigned i) const { return i < wantedOutputs.size() && wantedOutputs[i]; }
  /// Sets output `i`, of the type of input 0 unless said otherwise. Always succeeds.
  mlir::LogicalResult setOutput(unsigned i, mlir::Value value, ElementType type);
  mlir::LogicalResult setOutput(unsigned i, mlir::Value value) {
    return setOutput(i, value, getElementType(0));
  }
  llvm::ArrayRef<ImportedValue> getOutputs() const { return outputs; }

  // Emission.
  mlir::Type getType(ElementType type) const;
  mlir::RankedTensorType getTensorType(llvm::ArrayRef<int64_t> shape,
                                       mlir::Type elementType) const {
    return mlir::RankedTensorType::get(shape, elementType);
  }
  /// tensor.empty
  mlir::Value createEmpty(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  /// A constant tensor with every element the same number (for integers cut to their width).
  mlir::Value createSplat(llvm::ArrayRef<int64_t> shape, mlir::Type elementType, double value);
  /// A scalar constant of a float or integer type, for the body of a linalg.generic.
  static mlir::Value createScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                                  double value);
  /// A constant tensor of i64.
  mlir::Value createInts(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> values);
  mlir::Value createConstant(mlir::ElementsAttr value);

  /// The shape that the shapes broadcast to by NumPy's rules; a diagnostic when they do not.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  broadcastShapes(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes) const;

  /// Emits the scalar computation of one element; gets one scalar per operand.
  using ElementBody =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange elements)>;
  /// A linalg.generic over all elements of the operands, broadcast by NumPy's rules.
  mlir::FailureOr<mlir::Value> createElementwise(llvm::ArrayRef<mlir::Value> operands,
                                                 mlir::Type resultElementType, ElementBody body);
  /// The same with the result's shape given, to which the operands must broadcast.
  mlir::FailureOr<mlir::Value> createElementwise(llvm::ArrayRef<mlir::Value> operands,
                                                 llvm::ArrayRef<int64_t> shape,
                                                 mlir::Type resultElementType, ElementBody body);
  /// A linalg.generic over all elements of `value` and of a vector with one element per channel
  /// (dimension 1).
  mlir::Value createChannelwise(mlir::Value value, mlir::Value vector, ElementBody body);
  /// Reinterprets the elements of `value` in row-major order in another shape of the same size, by
  /// tensor.collapse_shape and tensor.expand_shape.
  mlir::Value createReshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// linalg.transpose; the identity gives `value` itself.
  mlir::Value createTranspose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Converts elements as ONNX Cast does; the same type gives `value` itself.
  mlir::Value createCast(mlir::Value value, ElementType from, ElementType to);
  /// The scalar conversion of `createCast`.
  static mlir::Value createScalarCast(mlir::OpBuilder &builder, mlir::Location loc,
                                      mlir::Value element, ElementType from, ElementType to);

private:
  const NodeAttribute *findAttribute(llvm::StringRef name) const;
  const NodeAttribute *findAttribute(llvm::StringRef name, NodeAttribute::Kind kind);

  llvm::StringRef file;
  llvm::ArrayRef<ImportedValue> inputs;
  llvm::ArrayRef<bool> wantedOutputs;
  ConstantSource &constants;
  llvm::SmallVector<ImportedValue> outputs;
  bool attributeError = false;
};

} // namespace udnn::onnx

#endif // UDNN_LIB_ONNX_NODECONTEXT_H
