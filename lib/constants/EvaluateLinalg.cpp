//===- EvaluateLinalg.cpp - structured and element-wise operations ----------===//
//
// Runs the body of a structured operation over its iteration domain, many elements at a time.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LaneProgram.h"
#include "Operations.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace udnn {

namespace {

/// How one operand is addressed: the offset in elements is linear in the loop indices, or `map` has
/// to be asked for every element.
struct Access {
  Type elementType;
  char *data = nullptr; // Never written for inputs.
  int64_t elementBytes = 0;
  int64_t lanes = -1; // Register; -1 when the program does not read the operand.
  SmallVector<int64_t> strides;
  int64_t constant = 0;
  bool linear = true;
  AffineMap map;
  SmallVector<int64_t> shape;
};

/// The loops around a lane program: the outer ones in order, and the one along the lanes.
struct Domain {
  SmallVector<int64_t> sizes;
  int64_t laneDim = -1; // -1: one lane at a time.
};

} // namespace

/// Adds `factor * expr` to the strides. False when `expr` is not linear in the dimensions.
static bool addLinear(AffineExpr expr, int64_t factor, Access &access) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    access.strides[dim.getPosition()] += factor;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    access.constant += factor * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, access) && addLinear(binary.getRHS(), factor, access);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !constant)
    return false;
  return addLinear(binary.getLHS(), factor * constant.getValue(), access);
}

static Access makeAccess(AffineMap map, RankedTensorType type, char *data, int64_t lanes) {
  Access access;
  access.elementType = type.getElementType();
  access.elementBytes = getElementBytes(access.elementType);
  access.data = data;
  access.lanes = lanes;
  access.map = map;
  access.shape = llvm::to_vector(type.getShape());
  access.strides.assign(map.getNumDims(), 0);
  SmallVector<int64_t> strides = getStrides(access.shape);
  for (auto [expr, stride] : llvm::zip(map.getResults(), strides))
    access.linear &= addLinear(expr, stride, access);
  return access;
}

/// The offset in elements by asking the map; -1 when it is out of bounds.
static int64_t getOffset(const Access &access, ArrayRef<int64_t> position) {
  int64_t offset = 0;
  for (auto [index, size] : llvm::zip(access.map.compose(position), access.shape)) {
    if (index < 0 || index >= size)
      return -1;
    offset = offset * size + index;
  }
  return offset;
}

static int64_t getLinearOffset(const Access &access, ArrayRef<int64_t> position) {
  int64_t offset = access.constant;
  for (auto [stride, index] : llvm::zip(access.strides, position))
    offset += stride * index;
  return offset;
}

/// True when the corners of the domain lie inside the operand, so that all of it does.
static bool isInside(const Access &access, ArrayRef<int64_t> sizes) {
  if (!access.linear)
    return true; // checked element by element
  for (auto [expr, size] : llvm::zip(access.map.getResults(), access.shape)) {
    Access one;
    one.strides.assign(sizes.size(), 0);
    addLinear(expr, 1, one);
    int64_t low = one.constant, high = one.constant;
    for (auto [stride, extent] : llvm::zip(one.strides, sizes))
      (stride < 0 ? low : high) += stride * (extent - 1);
    if (low < 0 || high >= size)
      return false;
  }
  return true;
}

/// Moves the data of `count` lanes from `position` on between memory and registers.
static bool moveLanes(const Access &access, bool isStore, char *registers,
                      SmallVectorImpl<int64_t> &position, int64_t laneDim, int64_t count) {
  char *lanes = registers + access.lanes;
  if (access.linear) {
    char *memory = access.data + getLinearOffset(access, position) * access.elementBytes;
    int64_t stride = laneDim < 0 ? 0 : access.strides[laneDim];
    isStore ? storeLanes(access.elementType, lanes, memory, stride, count)
            : loadLanes(access.elementType, lanes, memory, stride, count);
    return true;
  }
  int64_t laneBytes = getLaneKind(access.elementType) == LaneKind::Float ? 4 : 8;
  int64_t start = laneDim < 0 ? 0 : position[laneDim];
  bool inside = true;
  for (int64_t lane = 0; lane < count && inside; ++lane) {
    if (laneDim >= 0)
      position[laneDim] = start + lane;
    int64_t offset = getOffset(access, position);
    inside = offset >= 0;
    if (!inside)
      break;
    char *memory = access.data + offset * access.elementBytes;
    isStore ? storeLanes(access.elementType, lanes + lane * laneBytes, memory, 1, 1)
            : loadLanes(access.elementType, lanes + lane * laneBytes, memory, 1, 1);
  }
  if (laneDim >= 0)
    position[laneDim] = start;
  return inside;
}

static void setIndices(const LaneProgram &program, char *registers, ArrayRef<int64_t> position,
                       int64_t laneDim, int64_t count) {
  for (auto [dim, offset] : program.getIndices()) {
    int64_t *lanes = reinterpret_cast<int64_t *>(registers + offset);
    for (int64_t lane = 0; lane < count; ++lane)
      lanes[lane] = position[dim] + (dim == laneDim ? lane : 0);
  }
}

/// Runs the program over the domain: loads, computes, stores.
static LogicalResult runLoops(const LaneProgram &program, const Domain &domain,
                              ArrayRef<Access> loads, ArrayRef<Access> stores) {
  for (int64_t size : domain.sizes)
    if (size == 0)
      return success();
  std::vector<char> registers = program.makeRegisters();
  SmallVector<int64_t> position(domain.sizes.size(), 0);
  int64_t laneDim = domain.laneDim;
  int64_t laneSize = laneDim < 0 ? 1 : domain.sizes[laneDim];
  while (true) {
    for (int64_t start = 0; start < laneSize; start += LaneProgram::kLanes) {
      int64_t count = std::min(LaneProgram::kLanes, laneSize - start);
      if (laneDim >= 0)
        position[laneDim] = start;
      for (const Access &access : loads)
        if (!moveLanes(access, /*isStore=*/false, registers.data(), position, laneDim, count))
          return failure();
      setIndices(program, registers.data(), position, laneDim, count);
      if (!program.run(registers.data(), count))
        return failure();
      for (const Access &access : stores)
        if (!moveLanes(access, /*isStore=*/true, registers.data(), position, laneDim, count))
          return failure();
    }
    if (laneDim >= 0)
      position[laneDim] = 0;
    int64_t dim = int64_t(position.size()) - 1;
    for (; dim >= 0; --dim) {
      if (dim == laneDim)
        continue;
      if (++position[dim] < domain.sizes[dim])
        break;
      position[dim] = 0;
    }
    if (dim < 0)
      return success();
  }
}

/// Merges neighbouring dimensions that every operand walks through without a break, so that lanes
/// are long. Only for programs that ask for no index.
static void mergeDims(Domain &domain, MutableArrayRef<Access> loads, MutableArrayRef<Access> stores,
                      SmallVectorImpl<utils::IteratorType> &iterators) {
  auto all = [&](auto predicate) {
    return llvm::all_of(loads, predicate) && llvm::all_of(stores, predicate);
  };
  if (!all([](const Access &access) { return access.linear; }))
    return;
  for (int64_t dim = int64_t(domain.sizes.size()) - 2; dim >= 0; --dim) {
    int64_t inner = domain.sizes[dim + 1];
    if (iterators[dim] != iterators[dim + 1] || !all([&](const Access &access) {
          return access.strides[dim] == access.strides[dim + 1] * inner;
        }))
      continue;
    domain.sizes[dim] *= inner;
    domain.sizes.erase(domain.sizes.begin() + dim + 1);
    iterators.erase(iterators.begin() + dim + 1);
    auto merge = [&](Access &access) {
      access.strides[dim] = access.strides[dim + 1];
      access.strides.erase(access.strides.begin() + dim + 1);
    };
    llvm::for_each(loads, merge);
    llvm::for_each(stores, merge);
  }
}

/// The parallel dimension along which lanes run: where the first result is contiguous, else the
/// longest. Reductions are never split over lanes, so sums keep their order.
static int64_t chooseLaneDim(const Domain &domain, const Access &store,
                             ArrayRef<utils::IteratorType> iterators) {
  int64_t best = -1;
  for (auto [dim, size] : llvm::enumerate(domain.sizes)) {
    if (iterators[dim] != utils::IteratorType::parallel)
      continue;
    if (store.linear && store.strides[dim] == 1 && size >= 8)
      return dim;
    if (best < 0 || size >= domain.sizes[best])
      best = dim;
  }
  return best;
}

FailureOr<SmallVector<ConstantBytes>> evaluateLinalg(linalg::LinalgOp op, OperandFn operand) {
  if (!op.hasPureTensorSemantics() || op->getNumRegions() != 1 || op.hasDynamicShape())
    return failure();
  Block *block = op.getBlock();
  LaneProgram program;
  SmallVector<Access> loads, stores;
  SmallVector<ConstantBytes> inputs, results;
  for (OpOperand &use : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&use);
    int64_t lanes = program.addInput(argument);
    auto type = dyn_cast<RankedTensorType>(use.get().getType());
    bool isInit = op.isDpsInit(&use);
    bool isRead = op.payloadUsesValueFromOperand(&use);
    if (type && !getElementBytes(type.getElementType()))
      return failure();
    FailureOr<ConstantBytes> bytes = failure();
    if (isRead && failed(bytes = operand(use.get())))
      return failure();
    AffineMap map = op.getMatchingIndexingMap(&use);
    if (map.getNumSymbols())
      return failure();
    if (isInit) {
      results.push_back(allocate(type));
      if (isRead)
        llvm::copy(bytes->data, writable(results.back()));
      if (isRead)
        loads.push_back(makeAccess(map, type, writable(results.back()), lanes));
      stores.push_back(makeAccess(map, type, writable(results.back()), -1));
    } else if (isRead) {
      inputs.push_back(*bytes);
      loads.push_back(makeAccess(map, bytes->type, const_cast<char *>(bytes->data.data()), lanes));
    }
  }
  if (stores.empty() || failed(program.addBlock(*block, operand)))
    return failure();
  for (auto [store, value] : llvm::zip(stores, block->getTerminator()->getOperands())) {
    FailureOr<int64_t> lanes = program.getRegister(value, operand);
    if (failed(lanes))
      return failure();
    store.lanes = *lanes;
  }
  Domain domain{llvm::to_vector(op.getStaticLoopRanges()), -1};
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (llvm::is_contained(domain.sizes, 0))
    return results;
  for (const Access &access : llvm::concat<const Access>(loads, stores))
    if (!isInside(access, domain.sizes))
      return failure();
  if (program.getIndices().empty())
    mergeDims(domain, loads, stores, iterators);
  domain.laneDim = chooseLaneDim(domain, stores.front(), iterators);
  if (failed(runLoops(program, domain, loads, stores)))
    return failure();
  return results;
}

FailureOr<ConstantBytes> evaluateElementwise(Operation *op, OperandFn operand) {
  if (op->getNumResults() != 1 || op->getNumRegions())
    return failure();
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!resultType)
    resultType = RankedTensorType::get({}, op->getResult(0).getType());
  if (!resultType.hasStaticShape() || !getElementBytes(resultType.getElementType()))
    return failure();
  LaneProgram program;
  SmallVector<Access> loads;
  SmallVector<ConstantBytes> inputs;
  for (Value value : op->getOperands()) {
    FailureOr<ConstantBytes> bytes = operand(value);
    if (failed(bytes))
      return failure();
    inputs.push_back(*bytes);
    Access access;
    access.elementType = bytes->type.getElementType();
    access.elementBytes = getElementBytes(access.elementType);
    access.data = const_cast<char *>(bytes->data.data());
    access.lanes = program.addInput(value);
    access.strides = {isa<ShapedType>(value.getType()) ? 1 : 0};
    loads.push_back(access);
  }
  if (failed(program.addOp(*op, operand)))
    return failure();
  FailureOr<int64_t> lanes = program.getRegister(op->getResult(0), operand);
  if (failed(lanes))
    return failure();
  ConstantBytes result = allocate(resultType);
  Access store;
  store.elementType = resultType.getElementType();
  store.elementBytes = getElementBytes(store.elementType);
  store.data = writable(result);
  store.lanes = *lanes;
  store.strides = {1};
  Domain domain{{resultType.getNumElements()}, 0};
  if (failed(runLoops(program, domain, loads, store)))
    return failure();
  return result;
}

} // namespace udnn
