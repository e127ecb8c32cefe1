//===- GemmEmitter.cpp - matrix products in tiles ---------------------------===//
//
// While a block multiplies one step of k out of shared memory, its threads hold the elements of the
// next step in registers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"

#include "KernelFunction.h"

#include "../common/LinearAccess.h"
#include "../common/OuterValues.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cuda;

/// Threads of a warp.
static constexpr int64_t kWarpThreads = 32;
/// Rows and columns of a warp's tile on the tensor cores, and the sizes of one instruction.
static constexpr int64_t kWarpTile = 32, kMmaM = 16, kMmaN = 8, kMmaK = 16;
/// Elements that keep the rows of 16-bit tiles apart in the banks of shared memory.
static constexpr int64_t kRowPadding = 8;

LaunchShape cuda::getGemmLaunch(const GemmProblem &problem, const GemmTile &tile) {
  LaunchShape shape;
  shape.grid[0] = llvm::divideCeilSigned(problem.n, tile.n);
  shape.grid[1] = llvm::divideCeilSigned(problem.m, tile.m);
  shape.grid[2] = problem.batch;
  shape.block[0] = tile.getThreads();
  return shape;
}

std::string cuda::explainGemmEpilogue(dnn::EpilogueOpInterface op) {
  Region &region = op.getEpilogueRegion();
  if (region.empty())
    return {};
  for (Operation &nested : region.front()) {
    if (std::string why = explainOuterValues(nested); !why.empty())
      return why;
    if (!isa<dnn::YieldOp>(nested) &&
        !isa<arith::ArithDialect, math::MathDialect>(nested.getDialect()))
      return ("the epilogue's operation '" + nested.getName().getStringRef() + "' is not covered")
          .str();
  }
  OperandRange extras = op.getExtrasOperandRange();
  for (auto [extra, map] : llvm::zip(extras, op.getExtraMapValues())) {
    auto type = dyn_cast<RankedTensorType>(extra.getType());
    if (!type || !linearize(map, getRowMajorStrides(type.getShape())))
      return "the epilogue has an extra operand whose map is not linear";
  }
  return {};
}

namespace {
/// One operand's elements on their way from memory to shared memory.
struct Staging {
  bool isA;
  /// Rows of the tile (m or n), and whether neighbouring threads run along k.
  int64_t rows;
  bool alongK;
  Value shared;
  /// Of each element that a thread moves: its row's place and its position in the tile.
  SmallVector<GemmPlace> places;
  SmallVector<Index> tileRows, tileKs;
};

class GemmEmitter {
public:
  GemmEmitter(dnn::KernelOp kernel, GemmProblem &problem, const GemmTile &tile, int64_t aArgument,
              ModuleOp module);
  void emit();

private:
  // Moving tiles.
  Staging makeStaging(bool isA, Value shared);
  Values load(const Staging &staging, Index k0);
  void store(const Staging &staging, ValueRange elements);
  Value loadShared(Value shared, Index row, Index k);
  Value loadSharedPair(Value shared, Index row, Index k);

  // Multiplying.
  Values makeAccumulators();
  Values multiply(Values sums);
  Values multiplyWithFma(Values sums);
  Values multiplyWithTensorCores(Values sums);

  // Storing the result.
  void storeWithFma(const Values &sums);
  void storeWithTensorCores(const Values &sums);
  void storeElement(Value sum, Index row, Index column);
  Value applyEpilogue(Value sum, ArrayRef<Index> coordinates);

  int64_t getThreadsN() const { return tile.n / tile.perThread; }
  int64_t getTilesM() const { return kWarpTile / kMmaM; }
  int64_t getTilesN() const { return kWarpTile / kMmaN; }

  dnn::KernelOp kernel;
  dnn::EpilogueOpInterface op;
  GemmProblem &problem;
  const GemmTile &tile;
  KernelBuilder e;
  OpBuilder &builder;
  Location loc;
  Type elementType, accumulatorType;
  SmallVector<Buffer> extras;
  Buffer result;
  Value sharedA, sharedB;
  Index thread = 0, z = 0, row0 = 0, column0 = 0;
  // On the tensor cores: the first row and column of the warp in the tile, and the thread's place
  // in groups of four.
  Index warpRow = 0, warpColumn = 0, group = 0, inGroup = 0;
};
} // namespace

GemmEmitter::GemmEmitter(dnn::KernelOp kernel, GemmProblem &problem, const GemmTile &tile,
                         int64_t aArgument, ModuleOp module)
    : kernel(kernel), op(cast<dnn::EpilogueOpInterface>(kernel.getPrimitive())), problem(problem),
      tile(tile), e(kernel.getContext(), kernel.getLoc()), builder(e.getBuilder()),
      loc(kernel.getLoc()), accumulatorType(op.getAccumulatorType()) {
  elementType = cast<MemRefType>(kernel.getArgumentTypes()[0]).getElementType();
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(), gpu::AddressSpace::Workgroup);
  SmallVector<Type> shared;
  for (int64_t rows : {tile.m, tile.n}) {
    SmallVector<int64_t> shape = {tile.k, rows};
    if (tile.mma)
      shape = {rows, tile.k + kRowPadding};
    shared.push_back(MemRefType::get(shape, elementType, MemRefLayoutAttrInterface(), space));
  }
  gpu::GPUFuncOp function =
      createKernelFunction(kernel, getGemmLaunch(problem, tile), module, shared);
  e.start(&function.getBody().front());
  sharedA = function.getWorkgroupAttributions()[0];
  sharedB = function.getWorkgroupAttributions()[1];
  SmallVector<Buffer> buffers;
  for (unsigned i = 0, end = kernel.getArgumentTypes().size(); i < end; ++i)
    buffers.push_back(e.flatten(function.getArgument(i)));
  problem.a = buffers[aArgument];
  problem.b = buffers[1 - aArgument];
  result = buffers.back();
  extras.assign(buffers.begin() + 2, std::prev(buffers.end()));
}

//===----------------------------------------------------------------------===//
// Moving tiles
//===----------------------------------------------------------------------===//

/// Decides which elements of a tile a thread moves, and finds the places of their rows.
Staging GemmEmitter::makeStaging(bool isA, Value shared) {
  Staging staging{
      isA, isA ? tile.m : tile.n, isA ? problem.aAlongK : problem.bAlongK, shared, {}, {}, {}};
  int64_t threads = tile.getThreads(), fast = staging.alongK ? tile.k : staging.rows;
  Index first = e.rem(thread, fast), second = e.div(thread, fast);
  for (int64_t i = 0, count = staging.rows * tile.k / threads; i < count; ++i) {
    Index slow = e.add(second, i * (threads / fast));
    staging.tileRows.push_back(staging.alongK ? slow : first);
    staging.tileKs.push_back(staging.alongK ? first : slow);
    if (i > 0 && !staging.alongK) {
      staging.places.push_back(staging.places.front());
      continue;
    }
    Index row = e.add(staging.tileRows.back(), isA ? row0 : column0);
    staging.places.push_back(isA ? problem.getRowOfA(e, z, row) : problem.getRowOfB(e, z, row));
  }
  return staging;
}

/// The thread's elements of the step that begins at `k0`.
Values GemmEmitter::load(const Staging &staging, Index k0) {
  Values elements;
  GemmPlace k;
  for (auto [i, place] : llvm::enumerate(staging.places)) {
    if (i == 0 || !staging.alongK) {
      Index position = e.add(k0, staging.tileKs[i]);
      k = staging.isA ? problem.getKOfA(e, position) : problem.getKOfB(e, position);
    }
    elements.push_back(staging.isA ? problem.loadA(e, place, k) : problem.loadB(e, place, k));
  }
  return elements;
}

void GemmEmitter::store(const Staging &staging, ValueRange elements) {
  for (auto [element, row, k] : llvm::zip(elements, staging.tileRows, staging.tileKs)) {
    SmallVector<Value> indices = {e.toValue(k), e.toValue(row)};
    if (tile.mma)
      std::swap(indices[0], indices[1]);
    memref::StoreOp::create(builder, loc, element, staging.shared, indices);
  }
}

Value GemmEmitter::loadShared(Value shared, Index row, Index k) {
  return memref::LoadOp::create(builder, loc, shared, ValueRange{e.toValue(k), e.toValue(row)});
}

/// Elements `k` and `k + 1` of a row, for an even k.
Value GemmEmitter::loadSharedPair(Value shared, Index row, Index k) {
  return vector::LoadOp::create(builder, loc, VectorType::get({2}, elementType), shared,
                                ValueRange{e.toValue(row), e.toValue(k)}, /*nontemporal=*/false,
                                llvm::MaybeAlign(4));
}

//===----------------------------------------------------------------------===//
// Multiplying
//===----------------------------------------------------------------------===//

/// Zeros: one per element of the thread, or per instruction's tile of the warp.
Values GemmEmitter::makeAccumulators() {
  Type type = accumulatorType;
  int64_t count = tile.perThread * tile.perThread;
  if (tile.mma) {
    type = VectorType::get({2, 2}, accumulatorType);
    count = getTilesM() * getTilesN();
  }
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return Values(count, zero);
}

Values GemmEmitter::multiply(Values sums) {
  return tile.mma ? multiplyWithTensorCores(std::move(sums)) : multiplyWithFma(std::move(sums));
}

/// Rows of a thread follow each other; its columns are apart, so that neighbouring threads read and
/// write neighbouring columns.
Values GemmEmitter::multiplyWithFma(Values sums) {
  Index firstRow = e.mul(e.div(thread, getThreadsN()), tile.perThread);
  Index firstColumn = e.rem(thread, getThreadsN());
  for (int64_t k = 0; k < tile.k; ++k) {
    Values left, right;
    for (int64_t i = 0; i < tile.perThread; ++i) {
      left.push_back(loadShared(sharedA, e.add(firstRow, i), k));
      right.push_back(loadShared(sharedB, e.add(firstColumn, i * getThreadsN()), k));
    }
    for (int64_t i = 0; i < tile.perThread; ++i)
      for (int64_t j = 0; j < tile.perThread; ++j) {
        Value &sum = sums[i * tile.perThread + j];
        sum = math::FmaOp::create(builder, loc, left[i], right[j], sum);
      }
  }
  return sums;
}

/// The fragments of PTX `mma.m16n8k16`: a thread holds pairs along k in row (of a) or column (of b)
/// `group`, at k = 2 * inGroup and 8 further on.
Values GemmEmitter::multiplyWithTensorCores(Values sums) {
  auto makeFragment = [&](ArrayRef<Value> pairs) {
    auto type = VectorType::get({int64_t(pairs.size()), 2}, elementType);
    Value fragment = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    for (auto [i, pair] : llvm::enumerate(pairs))
      fragment = vector::InsertOp::create(builder, loc, pair, fragment, int64_t(i));
    return fragment;
  };
  for (int64_t k = 0; k < tile.k; k += kMmaK) {
    Index pairK = e.add(e.mul(inGroup, 2), k);
    Values left, right;
    for (int64_t i = 0; i < getTilesM(); ++i) {
      SmallVector<Value> pairs;
      for (auto [row, further] : {std::pair(0, 0), {8, 0}, {0, 8}, {8, 8}})
        pairs.push_back(loadSharedPair(sharedA, e.add(e.add(warpRow, group), i * kMmaM + row),
                                       e.add(pairK, further)));
      left.push_back(makeFragment(pairs));
    }
    for (int64_t j = 0; j < getTilesN(); ++j) {
      Index column = e.add(e.add(warpColumn, group), j * kMmaN);
      right.push_back(makeFragment({loadSharedPair(sharedB, column, pairK),
                                    loadSharedPair(sharedB, column, e.add(pairK, 8))}));
    }
    for (int64_t i = 0; i < getTilesM(); ++i)
      for (int64_t j = 0; j < getTilesN(); ++j) {
        Value &sum = sums[i * getTilesN() + j];
        sum = nvgpu::MmaSyncOp::create(builder, loc, left[i], right[j], sum,
                                       ArrayRef<int64_t>{kMmaM, kMmaN, kMmaK});
      }
  }
  return sums;
}

//===----------------------------------------------------------------------===//
// Storing the result
//===----------------------------------------------------------------------===//

Value GemmEmitter::applyEpilogue(Value sum, ArrayRef<Index> coordinates) {
  Region &region = op.getEpilogueRegion();
  Type type = cast<MemRefType>(result.memref.getType()).getElementType();
  if (region.empty())
    return type == sum.getType() ? sum
                                 : arith::TruncFOp::create(builder, loc, type, sum).getResult();
  IRMapping mapping;
  mapping.map(region.getArgument(0), sum);
  for (auto [i, extra] : llvm::enumerate(extras)) {
    LinearAccess access = *linearize(op.getExtraMapValues()[i], extra.strides);
    Index at = access.constant;
    for (auto [coefficient, coordinate] : llvm::zip(access.coefficients, coordinates))
      at = e.mad(coordinate, coefficient, at);
    mapping.map(region.getArgument(i + 1),
                memref::LoadOp::create(builder, loc, extra.memref, e.toValue(at)).getResult());
  }
  for (Operation &nested : region.front())
    for (Value operand : nested.getOperands())
      if (arith::ConstantOp constant = getOuterConstant(operand, region))
        if (!mapping.contains(operand))
          builder.clone(*constant, mapping);
  for (Operation &nested : region.front().without_terminator())
    builder.clone(nested, mapping);
  return mapping.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

void GemmEmitter::storeElement(Value sum, Index row, Index column) {
  Value inside = e.logicalAnd(e.inside(row, problem.m), e.inside(column, problem.n));
  e.branch(inside, [&] {
    SmallVector<Index> coordinates = problem.getCoordinates(e, z, row, column);
    Index at = 0;
    for (auto [coordinate, stride] : llvm::zip(coordinates, result.strides))
      at = e.mad(coordinate, stride, at);
    memref::StoreOp::create(builder, loc, applyEpilogue(sum, coordinates), result.memref,
                            e.toValue(at));
  });
}

void GemmEmitter::storeWithFma(const Values &sums) {
  Index firstRow = e.add(row0, e.mul(e.div(thread, getThreadsN()), tile.perThread));
  Index firstColumn = e.add(column0, e.rem(thread, getThreadsN()));
  for (int64_t i = 0; i < tile.perThread; ++i)
    for (int64_t j = 0; j < tile.perThread; ++j)
      storeElement(sums[i * tile.perThread + j], e.add(firstRow, i),
                   e.add(firstColumn, j * getThreadsN()));
}

void GemmEmitter::storeWithTensorCores(const Values &sums) {
  Index firstRow = e.add(row0, e.add(warpRow, group));
  Index firstColumn = e.add(column0, e.add(warpColumn, e.mul(inGroup, 2)));
  for (int64_t i = 0; i < getTilesM(); ++i)
    for (int64_t j = 0; j < getTilesN(); ++j)
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t side = 0; side < 2; ++side) {
          Value sum = vector::ExtractOp::create(builder, loc, sums[i * getTilesN() + j],
                                                ArrayRef<int64_t>{half, side});
          storeElement(sum, e.add(firstRow, i * kMmaM + half * 8),
                       e.add(firstColumn, j * kMmaN + side));
        }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void GemmEmitter::emit() {
  thread = getThreadId(builder, loc);
  column0 = e.mul(getBlockId(builder, loc), tile.n);
  row0 =
      problem.m <= tile.m ? Index(0) : e.mul(getBlockId(builder, loc, gpu::Dimension::y), tile.m);
  if (problem.batch > 1)
    z = getBlockId(builder, loc, gpu::Dimension::z);
  if (tile.mma) {
    Index warp = e.div(thread, kWarpThreads), lane = e.rem(thread, kWarpThreads);
    warpRow = e.mul(e.div(warp, tile.n / kWarpTile), kWarpTile);
    warpColumn = e.mul(e.rem(warp, tile.n / kWarpTile), kWarpTile);
    group = e.div(lane, 4);
    inGroup = e.rem(lane, 4);
  }
  Staging a = makeStaging(/*isA=*/true, sharedA), b = makeStaging(/*isA=*/false, sharedB);
  Values carried = makeAccumulators();
  size_t numSums = carried.size();
  llvm::append_range(carried, load(a, 0));
  size_t numA = a.places.size();
  llvm::append_range(carried, load(b, 0));
  Values sums = e.loop(0, problem.k, tile.k, carried, [&](Index k0, Values values) {
    ArrayRef<Value> held(values);
    store(a, held.slice(numSums, numA));
    store(b, held.drop_front(numSums + numA));
    gpu::BarrierOp::create(builder, loc);
    Index next = e.add(k0, tile.k);
    Values nextA = load(a, next), nextB = load(b, next);
    Values results = multiply(Values(held.take_front(numSums)));
    gpu::BarrierOp::create(builder, loc);
    llvm::append_range(results, nextA);
    llvm::append_range(results, nextB);
    return results;
  });
  sums.truncate(numSums);
  if (tile.mma)
    storeWithTensorCores(sums);
  else
    storeWithFma(sums);
}

void cuda::emitGemm(dnn::KernelOp kernel, GemmProblem &problem, const GemmTile &tile,
                    int64_t aArgument, ModuleOp module) {
  GemmEmitter(kernel, problem, tile, aArgument, module).emit();
}
