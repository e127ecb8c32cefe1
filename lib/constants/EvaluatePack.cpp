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

/// Calls `copy` for blocks that are strided on both sides: in every tiled dimension the full tiles
/// are one block and a partial last tile another.
static void forEachBlock(const Tiling &tiling, RankedTensorType plain, RankedTensorType packed,
                         llvm::function_ref<void(int64_t plainOffset, ArrayRef<int64_t> plainStrides,
                                                 int64_t packedOffset,
                                                 ArrayRef<int64_t> packedStrides,
                                                 ArrayRef<int64_t> sizes)>
                             copy) {
  int64_t rank = plain.getRank();
  SmallVector<int64_t> plainStrides = getStrides(plain.getShape());
  SmallVector<int64_t> packedStrides = getStrides(packed.getShape());
  for (int64_t choice = 0; choice < (int64_t(1) << rank); ++choice) {
    int64_t plainOffset = 0, packedOffset = 0;
    SmallVector<int64_t> from(packed.getRank(), 0), sizes(packed.getRank(), 1);
    bool exists = true;
    for (int64_t d = 0; d < rank && exists; ++d) {
      int64_t tile = tiling.tiles[d], full = plain.getDimSize(d) / tile;
      int64_t rest = plain.getDimSize(d) % tile, outer = tiling.outerDims[d];
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
      copy(plainOffset, from, packedOffset, packedStrides, sizes);
  }
}

Result evaluatePack(linalg::PackOp op, OperandFn operand) {
  auto plain = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto packed = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!plain || !packed)
    return failure();
  FailureOr<Tiling> tiling = getTiling(op, plain, packed);
  Result source = operand(op.getSource());
  if (failed(tiling) || failed(source))
    return failure();
  ConstantBytes result = allocate(packed);
  int64_t bytes = getElementBytes(plain.getElementType());
  if (Value value = op.getPaddingValue()) {
    Result padding = operand(value);
    if (failed(padding))
      return failure();
    if (packed.getNumElements() != plain.getNumElements())
      fillElements(writable(result), padding->data.data(), packed.getNumElements(), bytes);
  }
  forEachBlock(*tiling, plain, packed,
               [&](int64_t plainOffset, ArrayRef<int64_t> plainStrides, int64_t packedOffset,
                   ArrayRef<int64_t> packedStrides, ArrayRef<int64_t> sizes) {
                 copyStrided(writable(result) + packedOffset * bytes, packedStrides,
                             source->data.data() + plainOffset * bytes, plainStrides, sizes, bytes);
               });
  return result;
}

Result evaluateUnpack(linalg::UnPackOp op, OperandFn operand) {
  auto packed = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto plain = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!plain || !packed)
    return failure();
  FailureOr<Tiling> tiling = getTiling(op, plain, packed);
  Result source = operand(op.getSource());
  if (failed(tiling) || failed(source))
    return failure();
  ConstantBytes result = allocate(plain);
  int64_t bytes = getElementBytes(plain.getElementType());
  forEachBlock(*tiling, plain, packed,
               [&](int64_t plainOffset, ArrayRef<int64_t> plainStrides, int64_t packedOffset,
                   ArrayRef<int64_t> packedStrides, ArrayRef<int64_t> sizes) {
                 copyStrided(writable(result) + plainOffset * bytes, plainStrides,
                             source->data.data() + packedOffset * bytes, packedStrides, sizes,
                             bytes);
               });
  return result;
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
