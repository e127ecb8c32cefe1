//===- SimplifyUtils.cpp - helpers of the simplify passes -------------------===//
//
// What several passes of this stage ask about element-wise operations and constants.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "udnn/Constants/Evaluate.h"

#include "mlir/IR/Remarks.h"

#include <cstring>

using namespace mlir;

namespace udnn {

bool isElementwise(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(init).isIdentity() && !op.payloadUsesValueFromOperand(init);
}

Value convertScalar(OpBuilder &builder, Location loc, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    if (fromWidth < toWidth)
      return arith::ExtFOp::create(builder, loc, type, value);
    if (fromWidth > toWidth)
      return arith::TruncFOp::create(builder, loc, type, value);
    Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, loc, type, wide);
  }
  if (fromWidth < toWidth)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}

Value createEmpty(OpBuilder &builder, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
}

Value createFloats(OpBuilder &builder, Location loc, RankedTensorType type,
                   ArrayRef<double> values) {
  auto elementType = cast<FloatType>(type.getElementType());
  std::vector<char> bytes(values.size() * getElementBytes(elementType));
  char *to = bytes.data();
  for (double value : values) {
    if (elementType.isF32()) {
      float single = value;
      to = std::copy_n(reinterpret_cast<const char *>(&single), sizeof single, to);
      continue;
    }
    APFloat number(value);
    bool lost;
    number.convert(elementType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    to = std::copy_n(reinterpret_cast<const char *>(&bits), getElementBytes(elementType), to);
  }
  return arith::ConstantOp::create(builder, loc, type,
                                   cast<TypedAttr>(makeConstant(type, std::move(bytes))));
}

std::optional<std::vector<double>> getConstantFloats(Value value) {
  FailureOr<ConstantBytes> bytes = ConstantEvaluator().evaluateBytes(value);
  auto type = failed(bytes) ? FloatType() : dyn_cast<FloatType>(bytes->type.getElementType());
  if (!type)
    return std::nullopt;
  int64_t elementBytes = getElementBytes(type);
  std::vector<double> values;
  values.reserve(bytes->type.getNumElements());
  for (const char *from = bytes->data.begin(); from != bytes->data.end(); from += elementBytes) {
    if (type.isF32()) {
      float single;
      std::memcpy(&single, from, sizeof single);
      values.push_back(single);
      continue;
    }
    uint64_t bits = 0;
    std::memcpy(&bits, from, elementBytes);
    APFloat number(type.getFloatSemantics(), APInt(elementBytes * 8, bits));
    bool lost;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    values.push_back(number.convertToDouble());
  }
  return values;
}

void report(Location loc, StringLiteral pass, StringLiteral kind, const Twine &what) {
  remark::passed(loc, remark::RemarkOpts::name(pass).category("dnn.simplify").subCategory(kind))
      << what.str();
}

Location fuseLocations(Location first, Location second) {
  return FusedLoc::get(first.getContext(), {first, second});
}

Value createElementwise(OpBuilder &builder, Location loc, RankedTensorType type, ValueRange inputs,
                        ArrayRef<AffineMap> inputMaps,
                        function_ref<Value(OpBuilder &, Location, ValueRange)> build) {
  SmallVector<AffineMap> maps = llvm::to_vector(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value empty = createEmpty(builder, loc, type);
  return linalg::GenericOp::create(builder, loc, type, inputs, empty, maps, iterators,
                                   [&](OpBuilder &nested, Location bodyLoc, ValueRange arguments) {
                                     linalg::YieldOp::create(nested, bodyLoc,
                                                             build(nested, bodyLoc, arguments));
                                   })
      .getResult(0);
}

} // namespace udnn
