//===- Epilogue.cpp - epilogue regions on vectors ----------------------------===//
//
// Coverage check and emission of epilogues.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "../common/OuterValues.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

/// Why an operation of the region cannot be cloned onto vectors; empty when it can.
static std::string explainOp(Operation &op) {
  if (std::string why = explainOuterValues(op); !why.empty())
    return why;
  if (isa<dnn::YieldOp>(op))
    return {};
  auto isCovered = [](Type type) { return type.isF32() || type.isInteger(1); };
  if (!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) || op.getNumResults() != 1 ||
      !llvm::all_of(op.getOperandTypes(), isCovered) || !isCovered(op.getResult(0).getType()))
    return ("the epilogue's operation '" + op.getName().getStringRef() + "' is not on f32").str();
  if (!isa<arith::ConstantOp>(op) && !op.hasTrait<OpTrait::Vectorizable>())
    return ("the epilogue's operation '" + op.getName().getStringRef() + "' has no vector form")
        .str();
  return {};
}

/// Why an extra operand cannot be loaded; empty when it can.
static std::string explainExtra(dnn::EpilogueOpInterface op, unsigned extra, int64_t laneDim,
                                int64_t lineDim) {
  std::string name = "extra operand " + std::to_string(extra);
  OperandRange extras = op.getExtrasOperandRange();
  auto type = dyn_cast<RankedTensorType>(extras[extra].getType());
  if (!type || !type.getElementType().isF32())
    return name + " of the epilogue is not an f32 tensor";
  auto access = linearize(op.getExtraMapValues()[extra], getRowMajorStrides(type.getShape()));
  if (!access)
    return name + " of the epilogue has a map that is not linear";
  if (isResultShaped(op, extra))
    return {};
  int64_t lane = access->coefficients[laneDim];
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  bool breaks = lineDim >= 0 && result.getDimSize(lineDim) > 1 &&
                access->coefficients[lineDim] != lane * result.getDimSize(laneDim);
  if ((lane != 0 && lane != 1) || breaks)
    return name + " of the epilogue is not contiguous along the vectors";
  return {};
}

std::string cpu::explainEpilogue(dnn::EpilogueOpInterface op, int64_t laneDim, int64_t lineDim) {
  Region &region = op.getEpilogueRegion();
  if (region.empty())
    return {};
  for (Operation &nested : region.front())
    if (std::string why = explainOp(nested); !why.empty())
      return why;
  for (unsigned i = 0, e = op.getExtrasOperandRange().size(); i < e; ++i)
    if (std::string why = explainExtra(op, i, laneDim, lineDim); !why.empty())
      return why;
  return {};
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Epilogue::Epilogue(Emitter &emitter, dnn::EpilogueOpInterface op, ArrayRef<Buffer> extras,
                   int64_t laneDim)
    : emitter(emitter), op(op), extras(extras), laneDim(laneDim) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  for (auto [map, extra] : llvm::zip(op.getExtraMapValues(), this->extras)) {
    LinearAccess access = *linearize(map, extra.strides);
    int64_t last = access.constant;
    for (auto [coefficient, size] : llvm::zip(access.coefficients, shape))
      last += coefficient * (size - 1);
    if (shape[laneDim] % emitter.getLanes() != 0)
      last += access.coefficients[laneDim] * (emitter.getLanes() - 1);
    int64_t size = cast<MemRefType>(extra.memref.getType()).getDimSize(0);
    ends.push_back(last >= size ? size : 0);
    accesses.push_back(std::move(access));
  }
}

bool Epilogue::isFlat(int64_t rowDim, int64_t columnDim, int64_t width) const {
  return llvm::all_of(accesses, [&](const LinearAccess &access) {
    return access.coefficients[rowDim] == width * access.coefficients[columnDim];
  });
}

Value Epilogue::loadExtra(unsigned extra, ArrayRef<Index> coordinates) {
  const LinearAccess &access = accesses[extra];
  SmallVector<Index> key;
  for (auto [coefficient, coordinate] : llvm::zip(access.coefficients, coordinates))
    if (coefficient != 0)
      key.push_back(coordinate);
  for (const Loaded &known : loaded)
    if (known.extra == extra && known.key == key)
      return known.vector;
  Index at = access.constant;
  for (auto [coefficient, coordinate] : llvm::zip(access.coefficients, coordinates))
    at = emitter.mad(coordinate, coefficient, at);
  Value vector;
  if (access.coefficients[laneDim] == 0)
    vector = emitter.broadcast(extras[extra], at);
  else if (ends[extra])
    vector = emitter.load(extras[extra], at, emitter.mask(emitter.sub(ends[extra], at)));
  else
    vector = emitter.load(extras[extra], at);
  loaded.push_back({extra, key, vector});
  return vector;
}

/// The vector form of a scalar constant.
static Value splatConstant(Emitter &emitter, arith::ConstantOp constant) {
  auto type = VectorType::get({emitter.getLanes()}, constant.getType());
  auto attr = DenseElementsAttr::get(type, constant.getValue());
  return arith::ConstantOp::create(emitter.getBuilder(), emitter.getLoc(), attr);
}

static bool isConstantNumber(Value value) {
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isNaN();
}

Value Epilogue::cloneOp(Operation &op, IRMapping &mapping) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return splatConstant(emitter, constant);
  // A maximum with a number is one instruction when written so that NaN passes as it should.
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
    Value lhs = op.getOperand(0), rhs = op.getOperand(1);
    if (isConstantNumber(lhs))
      std::swap(lhs, rhs);
    if (isConstantNumber(rhs)) {
      Value a = mapping.lookup(lhs), b = mapping.lookup(rhs);
      return isa<arith::MaximumFOp>(op) ? emitter.maxKeepingNaN(a, b) : emitter.minKeepingNaN(a, b);
    }
  }
  Operation *clone = op.cloneWithoutRegions(mapping);
  Type element = op.getResult(0).getType();
  clone->getResult(0).setType(VectorType::get({emitter.getLanes()}, element));
  emitter.getBuilder().insert(clone);
  return clone->getResult(0);
}

Value Epilogue::apply(Value accumulator, ArrayRef<Index> coordinates) {
  Region &region = op.getEpilogueRegion();
  if (region.empty())
    return accumulator;
  IRMapping mapping;
  Block &block = region.front();
  mapping.map(block.getArgument(0), accumulator);
  for (unsigned i = 0, e = extras.size(); i < e; ++i)
    if (!block.getArgument(i + 1).use_empty())
      mapping.map(block.getArgument(i + 1), loadExtra(i, coordinates));
  for (Operation &nested : block)
    for (Value operand : nested.getOperands())
      if (arith::ConstantOp constant = getOuterConstant(operand, region))
        if (!mapping.contains(operand))
          mapping.map(operand, splatConstant(emitter, constant));
  for (Operation &nested : block.without_terminator())
    mapping.map(nested.getResult(0), cloneOp(nested, mapping));
  return mapping.lookup(block.getTerminator()->getOperand(0));
}
