//===- NodeContext.cpp - what the import of one node works with ------------===//
//
// Inputs, attributes and constants of a node. What is emitted is in NodeEmission.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "udnn/Constants/Evaluate.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

bool udnn::onnx::isUnsigned(ElementType type) {
  switch (type) {
  case ElementType::UInt8:
  case ElementType::UInt16:
  case ElementType::UInt32:
  case ElementType::UInt64:
  case ElementType::Bool:
    return true;
  default:
    return false;
  }
}

bool udnn::onnx::isFloat(ElementType type) {
  return type == ElementType::Float || type == ElementType::Float16 ||
         type == ElementType::BFloat16 || type == ElementType::Double;
}

Type udnn::onnx::getMLIRType(ElementType type, MLIRContext *context) {
  Builder b(context);
  switch (type) {
  case ElementType::Float:
    return b.getF32Type();
  case ElementType::Float16:
    return b.getF16Type();
  case ElementType::BFloat16:
    return b.getBF16Type();
  case ElementType::Double:
    return b.getF64Type();
  case ElementType::Bool:
    return b.getI1Type();
  default:
    break;
  }
  int64_t bytes = getElementSize(type);
  return bytes ? b.getIntegerType(8 * bytes) : Type();
}

InFlightDiagnostic NodeContext::emitError() const {
  return mlir::emitError(loc) << file << ": node '" << cast<NameLoc>(loc).getName().getValue()
                              << "' (" << (node.domain.empty() ? "" : node.domain + ".")
                              << node.opType << ", opset " << opset << "): ";
}

//===----------------------------------------------------------------------===//
// Constant inputs
//===----------------------------------------------------------------------===//

FailureOr<ElementsAttr> NodeContext::getConstantInput(unsigned i) {
  std::string reason;
  if (ElementsAttr attr = constants.evaluate(getInput(i), reason))
    return attr;
  return emitError() << "expects input " << i << " ('" << node.inputs[i]
                     << "') to be known when the model is compiled, but " << reason;
}

/// Reads element `i` of `bytes` as T.
template <typename T>
static T readElement(const ConstantBytes &bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data.data() + i * sizeof(T), sizeof(T));
  return value;
}

static int64_t readInteger(const ConstantBytes &bytes, int64_t i, ElementType type) {
  switch (getElementSize(type)) {
  case 1:
    return isUnsigned(type) ? int64_t(readElement<uint8_t>(bytes, i))
                            : readElement<int8_t>(bytes, i);
  case 2:
    return isUnsigned(type) ? int64_t(readElement<uint16_t>(bytes, i))
                            : readElement<int16_t>(bytes, i);
  case 4:
    return isUnsigned(type) ? int64_t(readElement<uint32_t>(bytes, i))
                            : readElement<int32_t>(bytes, i);
  default:
    return readElement<int64_t>(bytes, i);
  }
}

static double readFloat(const ConstantBytes &bytes, int64_t i, Type type) {
  if (type.isF32())
    return readElement<float>(bytes, i);
  if (type.isF64())
    return readElement<double>(bytes, i);
  APFloat value(cast<FloatType>(type).getFloatSemantics(),
                APInt(16, readElement<uint16_t>(bytes, i)));
  return value.convertToDouble();
}

/// No list of axes, sizes or indices that decides a shape is longer.
static constexpr int64_t kMaxListSize = int64_t(1) << 24;

static FailureOr<SmallVector<int64_t>> readIntegers(ElementsAttr attr, ElementType type) {
  if (attr.getNumElements() > kMaxListSize)
    return failure();
  FailureOr<ConstantBytes> bytes = getConstantBytes(attr);
  if (failed(bytes))
    return failure();
  SmallVector<int64_t> values;
  for (int64_t e = 0, n = bytes->type.getNumElements(); e < n; ++e)
    values.push_back(readInteger(*bytes, e, type));
  return values;
}

FailureOr<SmallVector<int64_t>> NodeContext::getConstantInts(unsigned i) {
  ElementType type = getElementType(i);
  if (isFloat(type))
    return emitError() << "expects input " << i << " of an integer type, got "
                       << getElementTypeName(type);
  FailureOr<ElementsAttr> attr = getConstantInput(i);
  if (failed(attr))
    return failure();
  FailureOr<SmallVector<int64_t>> values = readIntegers(*attr, type);
  if (failed(values))
    return emitError() << "cannot read the constant of input " << i;
  return values;
}

std::optional<SmallVector<int64_t>> NodeContext::tryConstantInts(unsigned i) {
  ElementsAttr attr = constants.tryEvaluate(getInput(i));
  if (!attr || isFloat(getElementType(i)))
    return std::nullopt;
  FailureOr<SmallVector<int64_t>> values = readIntegers(attr, getElementType(i));
  if (failed(values))
    return std::nullopt;
  return *values;
}

FailureOr<SmallVector<double>> NodeContext::getConstantFloats(unsigned i) {
  ElementType type = getElementType(i);
  if (!isFloat(type))
    return emitError() << "expects input " << i << " of a float type, got "
                       << getElementTypeName(type);
  FailureOr<ElementsAttr> attr = getConstantInput(i);
  if (failed(attr))
    return failure();
  FailureOr<ConstantBytes> bytes = failure();
  if (attr->getNumElements() <= kMaxListSize)
    bytes = getConstantBytes(*attr);
  if (failed(bytes))
    return emitError() << "cannot read the constant of input " << i;
  SmallVector<double> values;
  for (int64_t e = 0, n = bytes->type.getNumElements(); e < n; ++e)
    values.push_back(readFloat(*bytes, e, bytes->type.getElementType()));
  return values;
}

template <typename T>
static FailureOr<T> getOnly(NodeContext &ctx, unsigned i, FailureOr<SmallVector<T>> values) {
  if (failed(values))
    return failure();
  if (values->size() != 1)
    return ctx.emitError() << "expects input " << i << " to have one element, got "
                           << values->size();
  return values->front();
}

FailureOr<int64_t> NodeContext::getConstantInt(unsigned i) {
  return getOnly(*this, i, getConstantInts(i));
}

FailureOr<double> NodeContext::getConstantFloat(unsigned i) {
  return getOnly(*this, i, getConstantFloats(i));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const NodeAttribute *NodeContext::findAttribute(StringRef name) const {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

const NodeAttribute *NodeContext::findAttribute(StringRef name, NodeAttribute::Kind kind) {
  const NodeAttribute *attribute = findAttribute(name);
  if (!attribute || attribute->kind == kind)
    return attribute;
  emitError() << "expects attribute '" << name << "' of kind " << getKindName(kind) << ", got "
              << getKindName(attribute->kind);
  attributeError = true;
  return nullptr;
}

int64_t NodeContext::getInt(StringRef name, int64_t defaultValue) {
  const NodeAttribute *attribute = findAttribute(name, NodeAttribute::Kind::Int);
  return attribute ? attribute->i : defaultValue;
}

float NodeContext::getFloat(StringRef name, float defaultValue) {
  const NodeAttribute *attribute = findAttribute(name, NodeAttribute::Kind::Float);
  return attribute ? attribute->f : defaultValue;
}

std::string NodeContext::getString(StringRef name, StringRef defaultValue) {
  const NodeAttribute *attribute = findAttribute(name, NodeAttribute::Kind::String);
  return attribute ? attribute->s : defaultValue.str();
}

SmallVector<int64_t> NodeContext::getInts(StringRef name, ArrayRef<int64_t> defaultValue) {
  const NodeAttribute *attribute = findAttribute(name, NodeAttribute::Kind::Ints);
  return attribute ? llvm::to_vector(ArrayRef<int64_t>(attribute->ints))
                   : llvm::to_vector(defaultValue);
}

SmallVector<float> NodeContext::getFloats(StringRef name, ArrayRef<float> defaultValue) {
  const NodeAttribute *attribute = findAttribute(name, NodeAttribute::Kind::Floats);
  return attribute ? llvm::to_vector(ArrayRef<float>(attribute->floats))
                   : llvm::to_vector(defaultValue);
}

std::shared_ptr<const Tensor> NodeContext::getTensor(StringRef name) {
  const NodeAttribute *attribute = findAttribute(name, NodeAttribute::Kind::Tensor);
  return attribute ? attribute->tensor : nullptr;
}

FailureOr<int64_t> NodeContext::requireInt(StringRef name) {
  if (!hasAttribute(name))
    return emitError() << "expects the attribute '" << name << "'";
  return getInt(name, 0);
}

FailureOr<SmallVector<int64_t>> NodeContext::requireInts(StringRef name) {
  if (!hasAttribute(name))
    return emitError() << "expects the attribute '" << name << "'";
  return getInts(name);
}

FailureOr<int64_t> NodeContext::normalizeAxis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    return emitError() << "expects an axis of " << rank << " dimensions, got " << axis;
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> NodeContext::normalizeAxes(ArrayRef<int64_t> axes,
                                                           int64_t rank) const {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normalized = normalizeAxis(axis, rank);
    if (failed(normalized))
      return failure();
    if (llvm::is_contained(result, *normalized))
      return emitError() << "expects different axes, got " << *normalized << " twice";
    result.push_back(*normalized);
  }
  return result;
}

LogicalResult NodeContext::setOutput(unsigned i, Value value, ElementType type) {
  auto tensorType = cast<RankedTensorType>(value.getType());
  // How a tensor without elements is computed does not matter, and upstream operations are not made
  // for it: slices, for example, must start at an element.
  if (tensorType.getNumElements() == 0)
    value = createEmpty(tensorType.getShape(), tensorType.getElementType());
  if (i < outputs.size())
    outputs[i] = {value, type};
  return success();
}
