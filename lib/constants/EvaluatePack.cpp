//===- EvaluatePack.cpp - packing of filters --------------------------------===//
//
// linalg.pack, linalg.unpack and dnn.winograd_filter as loops at the speed of memory.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LaneProgram.h"
#include "Operations.h"

#include <cmath>

using namespace mlir;

namespace udnn {

using Result = FailureOr<ConstantBytes>;

namespace {

/// The relation between a plain tensor and its packed form: plain dimension d has `tiles[d]` inner
/// elements at packed dimension `innerDims[d]` (-1: not tiled), outer ones at `outerDims[d]`.
struct Tiling {
  SmallVector<int64_t> tiles, outerDims, innerDims;
};

/// A pack or unpack: both forms, the elements that are moved and where to.
struct Packing {
  RankedTensorType plain, packed;
  Tiling tiling;
  ConstantBytes source, result;
  int64_t elementBytes;
};

/// One side of a block: offset and strides in elements.
struct BlockSide {
  int64_t offset;
  ArrayRef<int64_t> strides;
};

} // namespace

template <typename OpTy>
static FailureOr<Tiling> getTiling(OpTy op, RankedTensorType plain, RankedTensorType packed) {
  int64_t rank = plain.getRank();
  if (!plain.hasStaticShape() || !packed.hasStaticShape() || !op.getInnerTiles().empty())
    return failure();
  Tiling tiling;
  tiling.tiles.assign(rank, 1);
  tiling.innerDims.assign(rank, -1);
  tiling.outerDims.resize(rank);
  for (int64_t i = 0; i < rank; ++i)
    tiling.outerDims[i] = i;
  for (auto [position, dim] : llvm::enumerate(op.getOuterDimsPerm()))
    tiling.outerDims[dim] = position;
  for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos())) {
    tiling.tiles[dim] = op.getStaticInnerTiles()[i];
    tiling.innerDims[dim] = rank + i;
  }
  return tiling;
}

template <typename OpTy>
static FailureOr<Packing> getPacking(OpTy op, Value plain, Value packed, OperandFn operand) {
  auto plainType = dyn_cast<RankedTensorType>(plain.getType());
  auto packedType = dyn_cast<RankedTensorType>(packed.getType());
  if (!plainType || !packedType)
    return failure();
  FailureOr<Tiling> tiling = getTiling(op, plainType, packedType);
  Result source = operand(op.getSource());
  if (failed(tiling) || failed(source))
    return failure();
  return Packing{plainType,
                 packedType,
                 std::move(*tiling),
                 std::move(*source),
                 allocate(cast<RankedTensorType>(op.getResult().getType())),
                 getElementBytes(plainType.getElementType())};
}

/// Calls `move` for blocks that are strided on both sides: in every tiled dimension the full tiles
/// are one block and a partial last tile another.
static void forEachBlock(
    const Packing &packing,
    llvm::function_ref<void(BlockSide plain, BlockSide packed, ArrayRef<int64_t> sizes)> move) {
  const Tiling &tiling = packing.tiling;
  int64_t rank = packing.plain.getRank();
  SmallVector<int64_t> plainStrides = getStrides(packing.plain.getShape());
  SmallVector<int64_t> packedStrides = getStrides(packing.packed.getShape());
  for (int64_t choice = 0; choice < (int64_t(1) << rank); ++choice) {
    int64_t plainOffset = 0, packedOffset = 0;
    SmallVector<int64_t> from(packedStrides.size(), 0), sizes(packedStrides.size(), 1);
    bool exists = true;
    for (int64_t d = 0; d < rank && exists; ++d) {
      int64_t size = packing.plain.getDimSize(d), tile = tiling.tiles[d], full = size / tile;
      int64_t rest = size % tile, outer = tiling.outerDims[d];
      bool partial = choice >> d & 1;
      exists = partial ? rest > 0 : full > 0;
      from[outer] = plainStrides[d] * tile;
      sizes[outer] = partial ? 1 : full;
      if (tiling.innerDims[d] >= 0) {
        from[tiling.innerDims[d]] = plainStrides[d];
        sizes[tiling.innerDims[d]] = partial ? rest : tile;
      }
      if (partial) {
        plainOffset += full * tile * plainStrides[d];
        packedOffset += full * packedStrides[outer];
      }
    }
    if (exists)
      move({plainOffset, from}, {packedOffset, packedStrides}, sizes);
  }
}

static void copyBlock(Packing &packing, BlockSide to, BlockSide from, ArrayRef<int64_t> sizes) {
  int64_t bytes = packing.elementBytes;
  copyStrided(writable(packing.result) + to.offset * bytes, to.strides,
              packing.source.data.data() + from.offset * bytes, from.strides, sizes, bytes);
}

Result evaluatePack(linalg::PackOp op, OperandFn operand) {
  FailureOr<Packing> packing = getPacking(op, op.getSource(), op.getResult(), operand);
  if (failed(packing))
    return failure();
  if (Value value = op.getPaddingValue()) {
    Result padding = operand(value);
    if (failed(padding))
      return failure();
    int64_t elements = packing->packed.getNumElements();
    if (elements != packing->plain.getNumElements())
      fillElements(writable(packing->result), padding->data.data(), elements,
                   packing->elementBytes);
  }
  forEachBlock(*packing, [&](BlockSide plain, BlockSide packed, ArrayRef<int64_t> sizes) {
    copyBlock(*packing, packed, plain, sizes);
  });
  return std::move(packing->result);
}

Result evaluateUnpack(linalg::UnPackOp op, OperandFn operand) {
  FailureOr<Packing> packing = getPacking(op, op.getResult(), op.getSource(), operand);
  if (failed(packing))
    return failure();
  forEachBlock(*packing, [&](BlockSide plain, BlockSide packed, ArrayRef<int64_t> sizes) {
    copyBlock(*packing, plain, packed, sizes);
  });
  return std::move(packing->result);
}

//===----------------------------------------------------------------------===//
// Winograd
//===----------------------------------------------------------------------===//

static constexpr int64_t kLanes = LaneProgram::kLanes;

/// One column of `G * g` for every lane: `out[i] = sum over r of G[i][r] * in[r]`, with the points
/// 0, p, -p, q, -q and infinity for p = sqrt(1/2), q = sqrt(2).
static void transformColumn(double out[6][kLanes], const double *in0, const double *in1,
                            const double *in2, int64_t lanes) {
  const double p = std::sqrt(0.5), q = std::sqrt(2.0);
  const double np = -2.0 / 3.0, nq = 1.0 / 6.0; // 1 / (2 p^2 (p^2 - q^2)), 1 / (2 q^2 (q^2 - p^2))
  for (int64_t i = 0; i < lanes; ++i) {
    double evenP = np * in0[i] + np * 0.5 * in2[i], oddP = np * p * in1[i];
    double evenQ = nq * in0[i] + nq * 2.0 * in2[i], oddQ = nq * q * in1[i];
    out[0][i] = in0[i]; // 1 / (p^2 q^2) = 1
    out[1][i] = evenP + oddP;
    out[2][i] = evenP - oddP;
    out[3][i] = evenQ + oddQ;
    out[4][i] = evenQ - oddQ;
    out[5][i] = in2[i];
  }
}

/// Lanes of `type` as double, and back.
static void loadDoubles(Type type, double *to, const char *from, int64_t stride, int64_t count) {
  if (type.isF64())
    return loadLanes(type, reinterpret_cast<char *>(to), from, stride, count);
  float lanes[kLanes];
  loadLanes(type, reinterpret_cast<char *>(lanes), from, stride, count);
  std::copy(lanes, lanes + count, to);
}

static void storeDoubles(Type type, const double *from, char *to, int64_t count) {
  if (type.isF64())
    return storeLanes(type, reinterpret_cast<const char *>(from), to, 1, count);
  float lanes[kLanes];
  std::copy(from, from + count, lanes);
  storeLanes(type, reinterpret_cast<const char *>(lanes), to, 1, count);
}

Result evaluateWinogradFilter(dnn::WinogradFilterOp op, OperandFn operand) {
  Result filter = operand(op.getFilter());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (failed(filter) || !type.hasStaticShape())
    return failure();
  dnn::DimsAttr dims = op.getFilterDims();
  SmallVector<int64_t> strides = getStrides(filter->type.getShape());
  int64_t strideK = strides[dims.find(dnn::DimsAttr::kFilter)];
  int64_t strideC = strides[dims.find(dnn::DimsAttr::kChannel)];
  int64_t strideR = strides[dims.find(0)], strideS = strides[dims.find(1)];
  int64_t filters = type.getDimSize(1), channels = type.getDimSize(2);
  Type element = type.getElementType();
  int64_t bytes = getElementBytes(element);

  ConstantBytes result = allocate(type);
  double g[3][3][kLanes], half[3][6][kLanes], u[6][kLanes];
  for (int64_t k = 0; k < filters; ++k)
    for (int64_t c = 0; c < channels; c += kLanes) {
      int64_t lanes = std::min(kLanes, channels - c);
      for (int64_t r = 0; r < 3; ++r)
        for (int64_t s = 0; s < 3; ++s)
          loadDoubles(element, g[r][s],
                      filter->data.data() +
                          (k * strideK + c * strideC + r * strideR + s * strideS) * bytes,
                      strideC, lanes);
      for (int64_t s = 0; s < 3; ++s) // half[s] = column s of G * g
        transformColumn(half[s], g[0][s], g[1][s], g[2][s], lanes);
      for (int64_t i = 0; i < 6; ++i) {
        transformColumn(u, half[0][i], half[1][i], half[2][i], lanes);
        for (int64_t j = 0; j < 6; ++j)
          storeDoubles(element, u[j],
                       writable(result) + (((6 * i + j) * filters + k) * channels + c) * bytes,
                       lanes);
      }
    }
  return result;
}

} // namespace udnn
