//===- ConvProblem.cpp - a convolution as the CPU kernels see it -------------===//
//
// Sizes, register tiles, layouts and parameters that the convolution families share.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConvProblem.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

ConvProblem ConvProblem::get(dnn::ConvOp op) {
  ConvProblem p;
  auto shape = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  DimsAttr in = op.getInputDims(), filter = op.getFilterDims(), out = op.getOutputDims();
  int64_t rank = in.getSpatialRank(), last = rank - 1;
  bool flat = rank == 1;
  p.spatialRank = rank;
  p.n = in.getLogicalSize(DimsAttr::kBatch, shape(op.getInput()));
  p.c = in.getLogicalSize(DimsAttr::kChannel, shape(op.getInput()));
  p.k = out.getLogicalSize(DimsAttr::kChannel, shape(op.getResult()));
  p.h = flat ? 1 : in.getLogicalSize(0, shape(op.getInput()));
  p.w = in.getLogicalSize(last, shape(op.getInput()));
  p.oh = flat ? 1 : out.getLogicalSize(0, shape(op.getResult()));
  p.ow = out.getLogicalSize(last, shape(op.getResult()));
  p.r = flat ? 1 : filter.getLogicalSize(0, shape(op.getFilter()));
  p.s = filter.getLogicalSize(last, shape(op.getFilter()));
  p.groups = op.getGroups();
  p.strideH = flat ? 1 : op.getStrides()[0];
  p.strideW = op.getStrides()[last];
  p.dilationH = flat ? 1 : op.getDilations()[0];
  p.dilationW = op.getDilations()[last];
  p.padTop = flat ? 0 : op.getPads()[0];
  p.padLeft = op.getPads()[last];
  p.padBottom = flat ? 0 : op.getPads()[rank];
  p.padRight = op.getPads()[rank + last];
  return p;
}

int64_t ConvProblem::getBytes() const {
  return 4 * (n * c * h * w + k * getGroupC() * r * s + n * k * oh * ow);
}

/// Pairs of an output position and a window position that lie inside the input.
static int64_t countInside(int64_t in, int64_t out, int64_t window, int64_t stride, int64_t pad,
                           int64_t dilation) {
  int64_t count = 0;
  for (int64_t o = 0; o < out; ++o)
    for (int64_t i = 0; i < window; ++i) {
      int64_t at = o * stride + i * dilation - pad;
      count += at >= 0 && at < in;
    }
  return count;
}

int64_t ConvProblem::getExecutedFlops() const {
  return 2 * n * k * getGroupC() * countInside(h, oh, r, strideH, padTop, dilationH) *
         countInside(w, ow, s, strideW, padLeft, dilationW);
}

bool ConvProblem::isPointwise() const {
  return r == 1 && s == 1 && strideH == 1 && strideW == 1 && padTop == 0 && padLeft == 0 &&
         oh == h && ow == w;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

EvenSplit cpu::splitEvenly(int64_t size, int64_t maxWidth) {
  int64_t count = llvm::divideCeilSigned(size, maxWidth);
  return {size % count, count - size % count, size / count};
}

SmallVector<RowTile> cpu::splitRow(const RowGeometry &row, int64_t maxWidth) {
  SmallVector<RowTile> tiles;
  EvenSplit split = splitEvenly(row.ow, maxWidth);
  int64_t start = 0;
  for (int64_t i = 0; i < split.getCount(); ++i) {
    int64_t width = split.width + (i < split.wide);
    bool interior = row.isInterior(start, width);
    if (!tiles.empty() && interior && tiles.back().interior && tiles.back().width == width)
      ++tiles.back().count;
    else
      tiles.push_back({start, width, 1, interior});
    start += width;
  }
  return tiles;
}

/// Half cycles that one input channel takes in a tile: two multiply-adds and two loads a cycle,
/// and four cycles of latency.
static int64_t getTileCost(int64_t columns, int64_t vectors) {
  return std::max({columns * vectors, columns + vectors, int64_t(8)});
}

RegisterTile cpu::chooseTile(int64_t ow, int64_t vectors, int64_t maxVectors, bool exact,
                             int64_t lanes, int64_t *percent) {
  // Registers hold the accumulators, one operand for each row or column of the tile (whichever
  // are fewer), and one more.
  SmallVector<RegisterTile> tiles =
      lanes >= 16
          ? SmallVector<RegisterTile>{{14, 2}, {9, 3}, {7, 4}, {4, 6}, {2, 12}, {1, 16}, {28, 1}}
          : SmallVector<RegisterTile>{{6, 2}, {4, 3}, {3, 4}, {2, 6}, {1, 8}, {12, 1}};
  RegisterTile best{0, 0};
  int64_t bestCost = 0;
  for (RegisterTile tile : tiles) {
    int64_t count = std::min({tile.vectors, vectors, maxVectors});
    if (exact && vectors % count != 0)
      continue;
    auto rowCost = [&](int64_t blocks) {
      EvenSplit split = splitEvenly(ow, tile.columns);
      return split.wide * getTileCost(split.width + 1, blocks) +
             split.narrow * getTileCost(split.width, blocks);
    };
    int64_t cost = vectors / count * rowCost(count);
    if (vectors % count)
      cost += rowCost(vectors % count);
    if (bestCost && cost >= bestCost)
      continue;
    bestCost = cost;
    best = {tile.columns, count};
  }
  if (percent)
    *percent = 100 * ow * vectors / bestCost;
  return best;
}

void cpu::multiplyTile(Emitter &emitter, ArrayRef<int64_t> columns, int64_t numVectors,
                       Vectors &sums, function_ref<Value(int64_t)> loadInput,
                       function_ref<Value(int64_t)> loadWeights) {
  auto multiply = [&](int64_t t, int64_t j, Value value, Value weights) {
    Value &sum = sums[t * numVectors + j];
    sum = emitter.fma(value, weights, sum);
  };
  Vectors held;
  if (static_cast<int64_t>(columns.size()) < numVectors) {
    for (int64_t t : columns)
      held.push_back(loadInput(t));
    for (int64_t j = 0; j < numVectors; ++j) {
      Value weights = loadWeights(j);
      for (auto [t, value] : llvm::zip(columns, held))
        multiply(t, j, value, weights);
    }
    return;
  }
  for (int64_t j = 0; j < numVectors; ++j)
    held.push_back(loadWeights(j));
  for (int64_t t : columns) {
    Value value = loadInput(t);
    for (int64_t j = 0; j < numVectors; ++j)
      multiply(t, j, value, held[j]);
  }
}

//===----------------------------------------------------------------------===//
// Views and layouts
//===----------------------------------------------------------------------===//

ActivationView ActivationView::get(const Buffer &buffer, DimsAttr dims) {
  auto stride = [&](int64_t position) { return position < 0 ? 0 : buffer.strides[position]; };
  int64_t last = dims.getSpatialRank() - 1;
  ActivationView view{buffer, 0, 0, 0, 0, 0};
  view.n = stride(dims.find(DimsAttr::kBatch));
  view.c = stride(dims.find(DimsAttr::kChannel));
  view.h = last == 0 ? 0 : stride(dims.find(0));
  view.w = stride(dims.find(last));
  view.lane = stride(dims.findBlock(DimsAttr::kChannel));
  return view;
}

SmallVector<Index> cpu::getBlockedCoordinates(DimsAttr dims, Index n, Index cb, Index h, Index w) {
  SmallVector<Index> coordinates;
  int64_t last = dims.getSpatialRank() - 1;
  for (auto [role, block] : llvm::zip(dims.getRoles(), dims.getBlocks())) {
    if (block != 1)
      coordinates.push_back(0);
    else if (role == DimsAttr::kBatch)
      coordinates.push_back(n);
    else if (role == DimsAttr::kChannel)
      coordinates.push_back(cb);
    else
      coordinates.push_back(role == last ? w : h);
  }
  return coordinates;
}

std::string cpu::explainLanes(dnn::DeviceAttr device) {
  return getLanes(device) < 8 ? "the device's vectors have fewer than 256 bits" : "";
}

std::string cpu::explainOperands(Operation *op) {
  bool areArguments = llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
  return areArguments ? "" : "an operand is computed within the unit";
}

std::string cpu::explainConv(dnn::UnitOp unit, dnn::DeviceAttr device, int64_t laneDim) {
  auto op = dyn_cast_or_null<dnn::ConvOp>(unit.getPrimitive());
  if (!op)
    return "the unit is not a convolution";
  auto isF32 = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType().isF32();
  };
  if (!isF32(op.getInput()) || !isF32(op.getFilter()) || !isF32(op.getResult()) ||
      !op.getAccumulator().isF32())
    return "only f32 is covered";
  if (op.getAccumulate())
    return "accumulation is not covered";
  if (op.getInputDims().getSpatialRank() > 2)
    return "three spatial dimensions are not covered";
  DimsAttr plain = DimsAttr::getActivation(unit.getContext(), op.getInputDims().getSpatialRank());
  if (op.getInputDims() != plain || op.getOutputDims() != plain || !op.getFilterDims().isPlain())
    return "only inputs and results with the dimensions [n, c, ...] are covered";
  if (std::string why = explainOperands(op); !why.empty())
    return why;
  if (std::string why = explainLanes(device); !why.empty())
    return why;
  int64_t rank = plain.getRank();
  return explainEpilogue(cast<dnn::EpilogueOpInterface>(op.getOperation()),
                         laneDim < 0 ? rank + laneDim : laneDim);
}

SmallVector<DimsAttr> cpu::getInputLayouts(dnn::UnitOp unit, DimsAttr input, DimsAttr result) {
  SmallVector<DimsAttr> layouts(unit.getInputs().size());
  Operation *op = unit.getPrimitive();
  auto set = [&](Value operand, DimsAttr layout) {
    unsigned number = cast<BlockArgument>(operand).getArgNumber();
    if (number < layouts.size())
      layouts[number] = layout;
  };
  if (auto epilogue = dyn_cast<dnn::EpilogueOpInterface>(op))
    for (unsigned i = 0, e = epilogue.getExtrasOperandRange().size(); i < e; ++i)
      if (isResultShaped(epilogue, i))
        set(OperandRange(epilogue.getExtrasOperandRange())[i], result);
  set(op->getOperand(0), input);
  return layouts;
}

bool cpu::readsInputTwice(dnn::UnitOp unit) {
  Value input = getUnitOperand(unit, unit.getPrimitive()->getOperand(0));
  return llvm::is_contained(getUnitExtras(unit), input);
}

SmallVector<Buffer> cpu::getExtraBuffers(const Emitter &emitter, unsigned first) {
  SmallVector<Buffer> extras;
  for (unsigned i = first, e = emitter.getNumBuffers() - 1; i < e; ++i)
    extras.push_back(emitter.getBuffer(i));
  return extras;
}

Value cpu::packFilter(DispatchBuilder &builder, Value filter, DimsAttr dims, int64_t channelBlock,
                      int64_t filterBlock) {
  RewriterBase &rewriter = builder.getRewriter();
  Location loc = builder.getLoc();
  auto type = cast<RankedTensorType>(filter.getType());
  int64_t k = dims.find(DimsAttr::kFilter), c = dims.find(DimsAttr::kChannel);
  SmallVector<int64_t> order = {k};
  if (channelBlock > 1)
    order.push_back(c);
  for (int64_t i = 0, e = dims.getSpatialRank(); i < e; ++i)
    order.push_back(dims.find(i));
  if (channelBlock == 1)
    order.push_back(c);
  SmallVector<int64_t> inner = {k}, tiles = {filterBlock};
  if (channelBlock > 1) {
    inner = {c, k};
    tiles = {channelBlock, filterBlock};
  }
  SmallVector<int64_t> shape;
  bool pads = false;
  for (int64_t dim : order) {
    int64_t tile = dim == k ? filterBlock : dim == c ? channelBlock : 1;
    shape.push_back(llvm::divideCeilSigned(type.getDimSize(dim), tile));
    pads |= type.getDimSize(dim) % tile != 0;
  }
  llvm::append_range(shape, tiles);
  Value padding;
  if (pads)
    padding = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
  Value init = tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  return linalg::PackOp::create(rewriter, loc, filter, init, inner,
                                getAsIndexOpFoldResult(rewriter.getContext(), tiles),
                                pads ? std::optional<Value>(padding) : std::nullopt, order)
      .getResult();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

int64_t cpu::getInt(DictionaryAttr parameters, StringRef name) {
  auto attr = parameters.getAs<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

DictionaryAttr cpu::makeParameters(MLIRContext *context,
                                   ArrayRef<std::pair<StringRef, int64_t>> integers) {
  Builder builder(context);
  SmallVector<NamedAttribute> attributes;
  for (auto [name, value] : integers)
    attributes.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
  return builder.getDictionaryAttr(attributes);
}
