//===- LaneProgram.cpp - scalar code run over many elements -----------------===//
//
// Registers, memory access, indices and lookups of a lane program.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LaneProgram.h"

#include "Half.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace udnn {

static constexpr int64_t kRegisterBytes = LaneProgram::kLanes * 8;

LaneKind getLaneKind(Type type) {
  if (type.isF64())
    return LaneKind::Double;
  return isa<FloatType>(type) ? LaneKind::Float : LaneKind::Integer;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

template <typename Lane, typename Element, typename F>
static void load(char *lanes, const char *memory, int64_t stride, int64_t count, F convert) {
  Lane *to = reinterpret_cast<Lane *>(lanes);
  const Element *from = reinterpret_cast<const Element *>(memory);
  auto get = [&](int64_t i) {
    Element element; // The bytes of a mapped file need not be aligned.
    std::memcpy(&element, from + i, sizeof element);
    return Lane(convert(element));
  };
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = get(i);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = get(i * stride);
}

void loadLanes(Type type, char *lanes, const char *memory, int64_t stride, int64_t count) {
  auto same = [](auto element) { return element; };
  if (type.isF32())
    return load<float, float>(lanes, memory, stride, count, same);
  if (type.isF64())
    return load<double, double>(lanes, memory, stride, count, same);
  if (type.isF16())
    return load<float, uint16_t>(lanes, memory, stride, count, floatFromFloat16);
  if (type.isBF16())
    return load<float, uint16_t>(lanes, memory, stride, count, floatFromBFloat16);
  if (type.isInteger(1))
    return load<int64_t, int8_t>(lanes, memory, stride, count, [](int8_t b) { return b ? -1 : 0; });
  switch (getElementBytes(type)) {
  case 1:
    return load<int64_t, int8_t>(lanes, memory, stride, count, same);
  case 2:
    return load<int64_t, int16_t>(lanes, memory, stride, count, same);
  case 4:
    return load<int64_t, int32_t>(lanes, memory, stride, count, same);
  default:
    return load<int64_t, int64_t>(lanes, memory, stride, count, same);
  }
}

template <typename Lane, typename Element, typename F>
static void store(const char *lanes, char *memory, int64_t stride, int64_t count, F convert) {
  const Lane *from = reinterpret_cast<const Lane *>(lanes);
  Element *to = reinterpret_cast<Element *>(memory);
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = Element(convert(from[i]));
  else
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = Element(convert(from[i]));
}

void storeLanes(Type type, const char *lanes, char *memory, int64_t stride, int64_t count) {
  auto same = [](auto lane) { return lane; };
  if (type.isF32())
    return store<float, float>(lanes, memory, stride, count, same);
  if (type.isF64())
    return store<double, double>(lanes, memory, stride, count, same);
  if (type.isF16())
    return store<float, uint16_t>(lanes, memory, stride, count, float16FromFloat);
  if (type.isBF16())
    return store<float, uint16_t>(lanes, memory, stride, count, bfloat16FromFloat);
  if (type.isInteger(1))
    return store<int64_t, int8_t>(lanes, memory, stride, count, [](int64_t b) { return b & 1; });
  switch (getElementBytes(type)) {
  case 1:
    return store<int64_t, int8_t>(lanes, memory, stride, count, same);
  case 2:
    return store<int64_t, int16_t>(lanes, memory, stride, count, same);
  case 4:
    return store<int64_t, int32_t>(lanes, memory, stride, count, same);
  default:
    return store<int64_t, int64_t>(lanes, memory, stride, count, same);
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

int64_t LaneProgram::newRegister() { return kRegisterBytes * numRegisters++; }

int64_t LaneProgram::addInput(Value value) { return registers[value] = newRegister(); }

FailureOr<int64_t> LaneProgram::getRegister(Value value, CapturedFn captured) {
  auto it = registers.find(value);
  if (it != registers.end())
    return it->second;
  if (isa<ShapedType>(value.getType()))
    return failure();
  FailureOr<ConstantBytes> bytes = captured(value);
  if (failed(bytes))
    return failure();
  int64_t result = addInput(value);
  initializers.push_back([bytes = *bytes, result](char *registers, int64_t lanes) {
    loadLanes(bytes.type.getElementType(), registers + result, bytes.data.data(), 0, lanes);
    return true;
  });
  return result;
}

std::vector<char> LaneProgram::makeRegisters() const {
  std::vector<char> file(kRegisterBytes * numRegisters);
  for (const Step &step : initializers)
    step(file.data(), kLanes);
  return file;
}

bool LaneProgram::run(char *registers, int64_t lanes) const {
  for (const Step &step : steps)
    if (!step(registers, lanes))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult LaneProgram::addExtract(Operation &op, CapturedFn captured) {
  auto extract = cast<tensor::ExtractOp>(op);
  FailureOr<ConstantBytes> source = captured(extract.getTensor());
  if (failed(source))
    return failure();
  SmallVector<int64_t> positions;
  for (Value index : extract.getIndices()) {
    FailureOr<int64_t> position = getRegister(index, captured);
    if (failed(position))
      return failure();
    positions.push_back(*position);
  }
  int64_t result = addInput(extract.getResult());
  steps.push_back([source = *source, positions, result](char *registers, int64_t lanes) {
    Type type = source.type.getElementType();
    int64_t elementBytes = getElementBytes(type);
    int64_t laneBytes = getLaneKind(type) == LaneKind::Float ? 4 : 8;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t offset = 0;
      for (auto [position, size] : llvm::zip(positions, source.type.getShape())) {
        int64_t index = reinterpret_cast<int64_t *>(registers + position)[lane];
        if (index < 0 || index >= size)
          return false;
        offset = offset * size + index;
      }
      loadLanes(type, registers + result + lane * laneBytes,
                source.data.data() + offset * elementBytes, 1, 1);
    }
    return true;
  });
  return success();
}

LogicalResult LaneProgram::addOp(Operation &op, CapturedFn captured) {
  if (op.getNumResults() != 1)
    return failure();
  if (isa<tensor::ExtractOp>(op))
    return addExtract(op, captured);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    indices.push_back({int64_t(index.getDim()), addInput(index.getResult())});
    return success();
  }
  if (isa<arith::ConstantOp>(op))
    return LogicalResult(getRegister(op.getResult(0), captured));
  SmallVector<int64_t> operands;
  for (Value operand : op.getOperands()) {
    FailureOr<int64_t> position = getRegister(operand, captured);
    if (failed(position))
      return failure();
    operands.push_back(*position);
  }
  Type type = getElementTypeOrSelf(op.getResult(0));
  if (!getElementBytes(type))
    return failure();
  int64_t result = addInput(op.getResult(0));
  Step step = makeStep(op, result, operands);
  if (!step)
    return failure();
  steps.push_back(std::move(step));
  return success();
}

LogicalResult LaneProgram::addBlock(Block &block, CapturedFn captured) {
  for (Operation &op : block.without_terminator())
    if (failed(addOp(op, captured)))
      return failure();
  return success();
}

} // namespace udnn
