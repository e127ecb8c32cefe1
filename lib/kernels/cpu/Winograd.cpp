//===- Winograd.cpp - convolution by F(4x4, 3x3) ------------------------------===//
//
// The family "cpu.winograd": 3x3 windows of stride 1 on blocked channels. Tiles of 6x6 inputs are
// transformed, multiplied channel by channel in 36 matrix products, and transformed back; either
// in blocks that stay in a worker's cache, or in three launches over a shared workspace. The
// interpolation points are 0, +-sqrt(1/2), +-sqrt(2) and infinity (see dnn.winograd_filter).
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConvProblem.h"
#include "CpuFamilies.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

namespace {

/// Numbers of a transformed tile.
constexpr int64_t kPoints = 36;

/// What a kernel does: all of a block, or one of the three launches.
enum Step : int64_t { kBlock = 0, kInput = 1, kProduct = 2, kOutput = 3 };

/// How the work is cut, from a candidate's (and a kernel's) parameters.
struct WinogradPlan {
  int64_t step;
  /// Rows and columns of tiles in a block; the whole result (all images) for three launches.
  int64_t blockRows, blockColumns;
  /// Register tile of the products, and tiles of a product's piece.
  int64_t columns, vectors, piece;

  static WinogradPlan get(DictionaryAttr p) {
    return {getInt(p, "step"),    getInt(p, "block_rows"), getInt(p, "block_columns"),
            getInt(p, "columns"), getInt(p, "vectors"),    getInt(p, "piece")};
  }
  DictionaryAttr getParameters(MLIRContext *context) const {
    return makeParameters(context, {{"step", step},
                                    {"block_rows", blockRows},
                                    {"block_columns", blockColumns},
                                    {"columns", columns},
                                    {"vectors", vectors},
                                    {"piece", piece}});
  }
};

/// Sizes in tiles and vectors.
struct WinogradSizes {
  int64_t tileRows, tileColumns;
  /// Vectors of input channels and of filters, in a group and in all.
  int64_t groupInputs, groupFilters, inputs, filters;
  /// Groups of filter vectors in a group of the convolution and in all.
  int64_t groupFilterGroups, filterGroups;
  /// Blocks of an image.
  int64_t rowBlocks, columnBlocks;
  /// Tiles in the workspace, and pieces of them.
  int64_t tiles, pieces;

  WinogradSizes(const ConvProblem &p, const WinogradPlan &plan, int64_t lanes) {
    tileRows = llvm::divideCeilSigned(p.oh, 4);
    tileColumns = llvm::divideCeilSigned(p.ow, 4);
    groupInputs = llvm::divideCeilSigned(p.getGroupC(), lanes);
    groupFilters = llvm::divideCeilSigned(p.getGroupK(), lanes);
    inputs = groupInputs * p.groups;
    filters = groupFilters * p.groups;
    groupFilterGroups = llvm::divideCeilSigned(groupFilters, plan.vectors);
    filterGroups = groupFilterGroups * p.groups;
    rowBlocks = llvm::divideCeilSigned(tileRows, plan.blockRows);
    columnBlocks = llvm::divideCeilSigned(tileColumns, plan.blockColumns);
    tiles = plan.step == kBlock ? plan.blockRows * plan.blockColumns : p.n * tileRows * tileColumns;
    pieces = llvm::divideCeilSigned(tiles, plan.piece);
  }

  int64_t countTasks(const ConvProblem &p, int64_t step) const {
    switch (step) {
    case kInput:
      return inputs * p.n * tileRows;
    case kProduct:
      return kPoints * pieces * filterGroups;
    case kOutput:
      return filters * p.n * tileRows;
    default:
      return p.n * rowBlocks * columnBlocks;
    }
  }
};

/// The constants of the transforms: points p = sqrt(1/2) and q = sqrt(2).
struct Points {
  Value p, minusP, q, minusQ, half, two, p3, q3, minusHalf, minusTwo, minusSum, zero;

  explicit Points(Emitter &e)
      : p(e.splat(M_SQRT1_2)), minusP(e.splat(-M_SQRT1_2)), q(e.splat(M_SQRT2)),
        minusQ(e.splat(-M_SQRT2)), half(e.splat(0.5)), two(e.splat(2)), p3(e.splat(M_SQRT1_2 / 2)),
        q3(e.splat(2 * M_SQRT2)), minusHalf(e.splat(-0.5)), minusTwo(e.splat(-2)),
        minusSum(e.splat(-2.5)), zero(e.splat(0)) {}
};

using Six = std::array<Value, 6>;
using Four = std::array<Value, 4>;

/// Emits one of the four kernels.
class WinogradEmitter {
public:
  WinogradEmitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
      : e(kernel, module, lanes), op(cast<dnn::ConvOp>(kernel.getPrimitive())),
        p(ConvProblem::get(op)), plan(WinogradPlan::get(kernel.getParameters())),
        sizes(p, plan, lanes), lanes(lanes), points(e),
        epilogue(e, cast<dnn::EpilogueOpInterface>(op.getOperation()), getExtras(),
                 op.getOutputDims().findBlock(DimsAttr::kChannel)) {}

  void emit();

private:
  SmallVector<Buffer> getExtras() {
    return plan.step == kBlock || plan.step == kOutput
               ? getExtraBuffers(e, plan.step == kBlock ? 2 : 1)
               : SmallVector<Buffer>();
  }

  void emitBlock();
  void emitInputTask();
  void emitProductTask();
  void emitOutputTask();

  Six transformInput(const Six &d);
  Four transformOutput(const Six &m);
  void emitInputRow(Index n, Index cb, Index tileRow, Index tileColumn0, Index columns,
                    Index workTile);
  void emitInputTile(Index imageAt, Index h0, Index w0, Index workAt, bool checked);
  void emitProduct(Index point, Index filterGroup, Index tileLo, int64_t tileCount);
  void emitProductTile(Index inputAt, Index filterAt, Index sumAt, int64_t width,
                       int64_t numVectors);
  void emitOutputRow(Index n, Index kb, Index tileRow, Index tileColumn0, Index columns,
                     Index workTile);
  void emitOutputTile(Index n, Index kb, Index h0, Index w0, Index workAt, bool checked);

  Emitter e;
  dnn::ConvOp op;
  ConvProblem p;
  WinogradPlan plan;
  WinogradSizes sizes;
  int64_t lanes;
  Points points;
  Epilogue epilogue;
  ActivationView input, output;
  /// Transformed inputs [36][c][tile][lane], filters [36][k group][c][lane][k], and products
  /// [36][k][tile][lane].
  Buffer transformed, filter, products;
};

} // namespace

//===----------------------------------------------------------------------===//
// Transforms of a tile
//===----------------------------------------------------------------------===//

/// One column or row of the input transform.
Six WinogradEmitter::transformInput(const Six &d) {
  const Points &c = points;
  Value e1 = e.fma(c.minusTwo, d[2], d[4]), o1 = e.fma(c.minusTwo, d[1], d[3]);
  Value e2 = e.fma(c.minusHalf, d[2], d[4]), o2 = e.fma(c.minusHalf, d[1], d[3]);
  return {e.fma(c.minusSum, d[2], e.addf(d[0], d[4])),
          e.fma(c.p, o1, e1),
          e.fma(c.minusP, o1, e1),
          e.fma(c.q, o2, e2),
          e.fma(c.minusQ, o2, e2),
          e.fma(c.minusSum, d[3], e.addf(d[1], d[5]))};
}

/// One column or row of the output transform.
Four WinogradEmitter::transformOutput(const Six &m) {
  const Points &c = points;
  Value s1 = e.addf(m[1], m[2]), d1 = e.subf(m[1], m[2]);
  Value s2 = e.addf(m[3], m[4]), d2 = e.subf(m[3], m[4]);
  return {e.addf(e.addf(m[0], s1), s2), e.fma(c.p, d1, e.mulf(c.q, d2)),
          e.fma(c.half, s1, e.mulf(c.two, s2)), e.fma(c.p3, d1, e.fma(c.q3, d2, m[5]))};
}

void WinogradEmitter::emitInputTile(Index imageAt, Index h0, Index w0, Index workAt, bool checked) {
  auto clamp = [&](Index at, int64_t size) { return e.max(e.min(at, size - 1), 0); };
  std::array<Index, 6> rowAt{0, 0, 0, 0, 0, 0}, columnAt = rowAt;
  std::array<Value, 6> rowInside, columnInside;
  for (int64_t i = 0; checked && i < 6; ++i) {
    Index h = e.add(h0, i), w = e.add(w0, i);
    rowInside[i] = e.inside(h, p.h);
    columnInside[i] = e.inside(w, p.w);
    rowAt[i] = e.mad(clamp(h, p.h), input.h, imageAt);
    columnAt[i] = e.mul(clamp(w, p.w), input.w);
  }
  Index tileAt = e.mad(h0, input.h, e.mad(w0, input.w, imageAt));
  auto loadElement = [&](int64_t i, int64_t j) {
    if (!checked)
      return e.load(input.buffer, e.add(tileAt, i * input.h + j * input.w));
    Value value = e.load(input.buffer, e.add(rowAt[i], columnAt[j]));
    return e.select(e.logicalAnd(rowInside[i], columnInside[j]), value, points.zero);
  };
  std::array<Six, 6> columns;
  for (int64_t j = 0; j < 6; ++j) {
    Six d;
    for (int64_t i = 0; i < 6; ++i)
      d[i] = loadElement(i, j);
    columns[j] = transformInput(d);
  }
  for (int64_t i = 0; i < 6; ++i) {
    Six row;
    for (int64_t j = 0; j < 6; ++j)
      row[j] = columns[j][i];
    row = transformInput(row);
    for (int64_t j = 0; j < 6; ++j)
      e.store(row[j], transformed, e.add(workAt, (i * 6 + j) * transformed.strides[0]));
  }
}

/// A row of tiles of one vector of channels.
void WinogradEmitter::emitInputRow(Index n, Index cb, Index tileRow, Index tileColumn0,
                                   Index columns, Index workTile) {
  Index imageAt = e.mad(n, input.n, e.mul(cb, input.c));
  Index workAt = e.mad(cb, transformed.strides[1], e.mul(workTile, lanes));
  Index h0 = e.sub(e.mul(tileRow, 4), p.padTop);
  // The tile's last row is h0 + 5.
  Value rowsInside = e.logicalAnd(e.compare(arith::CmpIPredicate::sge, h0, 0),
                                  e.compare(arith::CmpIPredicate::sle, h0, p.h - 6));
  e.loop(0, columns, 1, [&](Index i) {
    Index w0 = e.sub(e.mul(e.add(tileColumn0, i), 4), p.padLeft);
    Value inside = e.logicalAnd(e.compare(arith::CmpIPredicate::sge, w0, 0),
                                e.compare(arith::CmpIPredicate::sle, w0, p.w - 6));
    Index at = e.mad(i, lanes, workAt);
    e.branch(
        e.logicalAnd(inside, rowsInside), [&] { emitInputTile(imageAt, h0, w0, at, false); },
        [&] { emitInputTile(imageAt, h0, w0, at, true); });
  });
}

void WinogradEmitter::emitOutputTile(Index n, Index kb, Index h0, Index w0, Index workAt,
                                     bool checked) {
  std::array<Four, 6> columns;
  for (int64_t j = 0; j < 6; ++j) {
    Six m;
    for (int64_t i = 0; i < 6; ++i)
      m[i] = e.load(products, e.add(workAt, (i * 6 + j) * products.strides[0]));
    columns[j] = transformOutput(m);
  }
  Index imageAt = e.mad(n, output.n, e.mul(kb, output.c));
  epilogue.beginBlock();
  for (int64_t i = 0; i < 4; ++i) {
    Six row;
    for (int64_t j = 0; j < 6; ++j)
      row[j] = columns[j][i];
    Four values = transformOutput(row);
    for (int64_t j = 0; j < 4; ++j) {
      Index h = e.add(h0, i), w = e.add(w0, j);
      auto store = [&] {
        SmallVector<Index> at = getBlockedCoordinates(op.getOutputDims(), n, kb, h, w);
        e.store(epilogue.apply(values[j], at), output.buffer,
                e.mad(h, output.h, e.mad(w, output.w, imageAt)));
      };
      if (!checked) {
        store();
        continue;
      }
      epilogue.beginBlock();
      e.branch(e.logicalAnd(e.inside(h, p.oh), e.inside(w, p.ow)), store);
    }
  }
}

void WinogradEmitter::emitOutputRow(Index n, Index kb, Index tileRow, Index tileColumn0,
                                    Index columns, Index workTile) {
  Index workAt = e.mad(kb, products.strides[1], e.mul(workTile, lanes));
  Index h0 = e.mul(tileRow, 4);
  e.loop(0, columns, 1, [&](Index i) {
    Index w0 = e.mul(e.add(tileColumn0, i), 4);
    Index at = e.mad(i, lanes, workAt);
    if (p.oh % 4 == 0 && p.ow % 4 == 0)
      return emitOutputTile(n, kb, h0, w0, at, false);
    Value inside = e.logicalAnd(e.compare(arith::CmpIPredicate::sle, h0, p.oh - 4),
                                e.compare(arith::CmpIPredicate::sle, w0, p.ow - 4));
    e.branch(
        inside, [&] { emitOutputTile(n, kb, h0, w0, at, false); },
        [&] { emitOutputTile(n, kb, h0, w0, at, true); });
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A register tile: `width` tiles of the image x `numVectors` vectors of filters.
void WinogradEmitter::emitProductTile(Index inputAt, Index filterAt, Index sumAt, int64_t width,
                                      int64_t numVectors) {
  SmallVector<int64_t> columns = llvm::to_vector(llvm::seq<int64_t>(0, width));
  int64_t channelStride = filter.strides[3];
  auto emitChannels = [&](Index cb, int64_t channels, Vectors sums) {
    Index x0 = e.mad(cb, transformed.strides[1], inputAt);
    Index f0 = e.mad(cb, filter.strides[2], filterAt);
    return e.loop(0, channels, 1, sums, [&](Index ci, Vectors carried) {
      Index x = e.add(x0, ci), f = e.mad(ci, channelStride, f0);
      multiplyTile(
          e, columns, numVectors, carried,
          [&](int64_t t) { return e.broadcast(transformed, e.add(x, t * lanes)); },
          [&](int64_t j) { return e.load(filter, e.add(f, j * lanes)); });
      return carried;
    });
  };
  Vectors sums(width * numVectors, points.zero);
  int64_t rest = p.getGroupC() % lanes, full = sizes.groupInputs - (rest != 0);
  sums = e.loop(0, full, 1, sums,
                [&](Index cb, Vectors carried) { return emitChannels(cb, lanes, carried); });
  if (rest)
    sums = emitChannels(full, rest, sums);
  for (int64_t t = 0; t < width; ++t)
    for (int64_t j = 0; j < numVectors; ++j)
      e.store(sums[t * numVectors + j], products,
              e.add(sumAt, j * products.strides[1] + t * lanes));
}

/// One of the 36 products for a group of filters and `tileCount` tiles from `tileLo` (fewer at the
/// end of the workspace).
void WinogradEmitter::emitProduct(Index point, Index filterGroup, Index tileLo, int64_t tileCount) {
  Index group = p.groups == 1 ? Index(0) : e.div(filterGroup, sizes.groupFilterGroups);
  Index firstVector = e.mad(e.sub(filterGroup, e.mul(group, sizes.groupFilterGroups)), plan.vectors,
                            e.mul(group, sizes.groupFilters));
  Index inputAt = e.mad(point, transformed.strides[0],
                        e.mul(e.mul(group, sizes.groupInputs), transformed.strides[1]));
  Index filterAt = e.mad(point, filter.strides[0], e.mul(filterGroup, filter.strides[1]));
  Index sumAt = e.mad(point, products.strides[0], e.mul(firstVector, products.strides[1]));
  auto emitTiles = [&](int64_t numVectors) {
    EvenSplit split = splitEvenly(tileCount, plan.columns);
    int64_t start = 0;
    for (auto [count, width] :
         {std::pair(split.wide, split.width + 1), std::pair(split.narrow, split.width)}) {
      e.loop(0, count, 1, [&, width = width](Index i) {
        Index at = e.mul(e.add(tileLo, e.mad(i, width, start)), lanes);
        emitProductTile(e.add(inputAt, at), filterAt, e.add(sumAt, at), width, numVectors);
      });
      start += count * width;
    }
  };
  int64_t rest = sizes.groupFilters % plan.vectors;
  if (rest == 0)
    return emitTiles(plan.vectors);
  Value full = e.compare(arith::CmpIPredicate::ult, filterGroup, sizes.filterGroups - 1);
  e.branch(full, [&] { emitTiles(plan.vectors); }, [&] { emitTiles(rest); });
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void WinogradEmitter::emitBlock() {
  Index task = e.getTask();
  Index column0 = e.mul(e.rem(task, sizes.columnBlocks), plan.blockColumns);
  Index rest = e.div(task, sizes.columnBlocks);
  Index row0 = e.mul(e.rem(rest, sizes.rowBlocks), plan.blockRows);
  Index n = p.n == 1 ? Index(0) : e.div(rest, sizes.rowBlocks);
  if (sizes.columnBlocks == 1)
    column0 = 0;
  if (sizes.rowBlocks == 1)
    row0 = 0;
  Index rows = plan.blockRows, columns = plan.blockColumns;
  if (sizes.tileRows % plan.blockRows)
    rows = e.min(rows, e.sub(sizes.tileRows, row0));
  if (sizes.tileColumns % plan.blockColumns)
    columns = e.min(columns, e.sub(sizes.tileColumns, column0));
  transformed = e.getScratch(0, {kPoints, sizes.inputs, sizes.tiles, lanes});
  products = e.getScratch(kPoints * sizes.inputs * sizes.tiles * lanes,
                          {kPoints, sizes.filters, sizes.tiles, lanes});
  e.loop(0, sizes.inputs, 1, [&](Index cb) {
    e.loop(0, rows, 1, [&](Index r) {
      emitInputRow(n, cb, e.add(row0, r), column0, columns, e.mul(r, plan.blockColumns));
    });
  });
  e.loop(0, kPoints, 1, [&](Index point) {
    e.loop(0, sizes.filterGroups, 1,
           [&](Index group) { emitProduct(point, group, 0, sizes.tiles); });
  });
  e.loop(0, sizes.filters, 1, [&](Index kb) {
    e.loop(0, rows, 1, [&](Index r) {
      emitOutputRow(n, kb, e.add(row0, r), column0, columns, e.mul(r, plan.blockColumns));
    });
  });
}

void WinogradEmitter::emitInputTask() {
  Index row = e.rem(e.getTask(), p.n * sizes.tileRows);
  Index cb = e.div(e.getTask(), p.n * sizes.tileRows);
  emitInputRow(e.div(row, sizes.tileRows), cb, e.rem(row, sizes.tileRows), 0, sizes.tileColumns,
               e.mul(row, sizes.tileColumns));
}

void WinogradEmitter::emitProductTask() {
  Index group = e.rem(e.getTask(), sizes.filterGroups);
  Index rest = e.div(e.getTask(), sizes.filterGroups);
  Index piece = e.rem(rest, sizes.pieces), point = e.div(rest, sizes.pieces);
  if (sizes.filterGroups == 1)
    group = 0;
  if (sizes.pieces == 1)
    return emitProduct(point, group, 0, sizes.tiles);
  // The last piece may be smaller.
  int64_t last = sizes.tiles - (sizes.pieces - 1) * plan.piece;
  if (last == plan.piece)
    return emitProduct(point, group, e.mul(piece, plan.piece), plan.piece);
  e.branch(
      e.compare(arith::CmpIPredicate::ult, piece, sizes.pieces - 1),
      [&] { emitProduct(point, group, e.mul(piece, plan.piece), plan.piece); },
      [&] { emitProduct(point, group, (sizes.pieces - 1) * plan.piece, last); });
}

void WinogradEmitter::emitOutputTask() {
  Index row = e.rem(e.getTask(), p.n * sizes.tileRows);
  Index kb = e.div(e.getTask(), p.n * sizes.tileRows);
  emitOutputRow(e.div(row, sizes.tileRows), kb, e.rem(row, sizes.tileRows), 0, sizes.tileColumns,
                e.mul(row, sizes.tileColumns));
}

void WinogradEmitter::emit() {
  const Buffer &first = e.getBuffer(0), &last = e.getBuffer(e.getNumBuffers() - 1);
  switch (plan.step) {
  case kInput:
    input = ActivationView::get(first, op.getInputDims());
    transformed = last;
    emitInputTask();
    break;
  case kProduct:
    transformed = first;
    filter = e.getBuffer(1);
    products = last;
    emitProductTask();
    break;
  case kOutput:
    products = first;
    output = ActivationView::get(last, op.getOutputDims());
    emitOutputTask();
    break;
  default:
    input = ActivationView::get(first, op.getInputDims());
    filter = e.getBuffer(1);
    output = ActivationView::get(last, op.getOutputDims());
    emitBlock();
  }
  e.finish();
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

/// A candidate in blocks (`step` kBlock) or three launches (any other).
static Candidate makeCandidate(dnn::UnitOp unit, const ConvProblem &p, dnn::DeviceAttr device,
                               const WinogradPlan &plan, int64_t efficiency) {
  MLIRContext *context = unit.getContext();
  int64_t lanes = getLanes(device);
  WinogradSizes sizes(p, plan, lanes);
  bool blocks = plan.step == kBlock;
  Candidate candidate;
  candidate.parameters = plan.getParameters(context);
  DimsAttr result = DimsAttr::getBlocked(context, p.spatialRank, lanes, p.k);
  candidate.inputLayouts =
      getInputLayouts(unit, DimsAttr::getBlocked(context, p.spatialRank, lanes, p.c), result);
  candidate.resultLayouts = {result};
  int64_t tasks = sizes.countTasks(p, kBlock);
  int64_t tiles = p.n * sizes.tileRows * sizes.tileColumns;
  int64_t workFloats = kPoints * (sizes.inputs + sizes.filters) * sizes.tiles * lanes;
  int64_t filterBytes = 4 * kPoints * p.k * p.getGroupC();
  // The transforms take about as long as this many operations of a product.
  int64_t transformFlops = tiles * (p.c * 700 + p.k * 500);
  candidate.flops = 2 * kPoints * tiles * p.k * p.getGroupC() + transformFlops;
  candidate.bytes = 4 * (p.n * p.c * p.h * p.w + p.n * p.k * p.oh * p.ow) + filterBytes;
  candidate.errorPpb = 2000;
  // What passes through memory or an outer cache is not hidden behind the products. Filters of a
  // few MiB stay near.
  double gflops = device.getGflopsF32(), gbytes = device.getGbytesPerS();
  bool largeFilters = filterBytes > 8 * device.getL2Bytes();
  double extraNs = largeFilters ? filterBytes / gbytes : 0;
  if (blocks) {
    candidate.workerBytes = 4 * workFloats;
    // The filters come again from an outer cache for every further block.
    extraNs += largeFilters ? (tasks - 1) * filterBytes / (2.5 * gbytes) : 0;
  } else {
    candidate.launches = 3;
    candidate.workspaceBytes = 4 * workFloats;
    int64_t spilled =
        std::max<int64_t>(0, 4 * workFloats - device.getL2Bytes() * device.getCores());
    extraNs += 2 * spilled / gbytes;
  }
  double productNs = candidate.flops / (gflops * efficiency / 100);
  candidate.efficiencyPercent =
      std::max<int64_t>(1, efficiency * productNs / (productNs + extraNs));
  return candidate;
}

/// Chooses the register tile for `tiles` columns; returns the share of the peak it reaches.
static int64_t chooseProductTile(const ConvProblem &p, int64_t lanes, int64_t tiles,
                                 WinogradPlan &plan) {
  int64_t percent = 100;
  RegisterTile tile = chooseTile(tiles, llvm::divideCeilSigned(p.getGroupK(), lanes),
                                 /*maxVectors=*/64, /*exact=*/p.groups > 1, lanes, &percent);
  plan.columns = tile.columns;
  plan.vectors = tile.vectors;
  return percent * 92 / 100;
}

/// Chooses blocks whose workspace stays near the cache's size and which keep the workers equally
/// busy; returns the share of the peak that they reach.
static int64_t chooseBlock(const ConvProblem &p, dnn::DeviceAttr device, WinogradPlan &plan) {
  int64_t lanes = getLanes(device), cores = device.getCores();
  WinogradSizes sizes(p, plan, lanes);
  int64_t tileBytes = 4 * kPoints * (sizes.inputs + sizes.filters) * lanes;
  int64_t limit = std::max<int64_t>(14, device.getL2Bytes() / tileBytes);
  EvenSplit columns = splitEvenly(sizes.tileColumns, limit);
  plan.blockColumns = columns.width + (columns.wide != 0);
  int64_t maxRows = std::clamp<int64_t>(limit / plan.blockColumns, 1, sizes.tileRows);
  int64_t best = 0, bestRows = 1;
  for (int64_t rows = maxRows; rows >= 1; --rows) {
    plan.blockRows = rows;
    int64_t percent = chooseProductTile(p, lanes, rows * plan.blockColumns, plan);
    // Workers wait for the last round, and the last block of an image may be half empty.
    int64_t tasks = WinogradSizes(p, plan, lanes).countTasks(p, kBlock);
    int64_t rounds = llvm::divideCeilSigned(tasks, cores);
    int64_t used = p.n * sizes.tileRows * sizes.tileColumns;
    int64_t efficiency = percent * used / (rounds * cores * rows * plan.blockColumns);
    if (efficiency > best) {
      best = efficiency;
      bestRows = rows;
    }
  }
  plan.blockRows = bestRows;
  plan.piece = bestRows * plan.blockColumns;
  chooseProductTile(p, lanes, plan.piece, plan);
  return best;
}

namespace {

class WinogradFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.winograd"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainConv(unit, device, /*laneDim=*/1); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device);
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    if (p.spatialRank != 2 || p.r != 3 || p.s != 3 || p.strideH != 1 || p.strideW != 1 ||
        p.dilationH != 1 || p.dilationW != 1)
      return list.reject("only 3x3 windows of stride 1 are covered");
    if (p.groups > 1 && (p.getGroupC() % lanes || p.getGroupK() % lanes))
      return list.reject("the channels of a group do not fill whole vectors");
    if (!isConstant(getUnitOperand(unit, op.getFilter())))
      return list.reject("the filter, which is transformed at compile time, is no constant");
    if (p.c < lanes)
      return list.reject("the input has fewer channels than a vector has elements");

    WinogradPlan plan{kBlock, 1, 1, 1, 1, 1};
    int64_t efficiency = chooseBlock(p, device, plan);
    list.candidates.push_back(makeCandidate(unit, p, device, plan, efficiency));

    plan = {kInput, 1, 1, 1, 1, 1};
    plan.blockRows = llvm::divideCeilSigned(p.oh, 4);
    plan.blockColumns = llvm::divideCeilSigned(p.ow, 4);
    int64_t tiles = p.n * plan.blockRows * plan.blockColumns;
    // A piece of transformed inputs takes a fourth of the cache.
    int64_t limit = std::max<int64_t>(12, device.getL2Bytes() / 4 / (4 * p.getGroupC()));
    EvenSplit pieces = splitEvenly(tiles, limit);
    plan.piece = pieces.width + (pieces.wide != 0);
    efficiency = chooseProductTile(p, lanes, plan.piece, plan);
    list.candidates.push_back(makeCandidate(unit, p, device, plan, efficiency));
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    WinogradPlan plan = WinogradPlan::get(parameters);
    int64_t lanes = getLanes(device);
    WinogradSizes sizes(p, plan, lanes);
    Value input = getUnitOperand(unit, op.getInput());
    Value init = getUnitOperand(unit, op.getInit());
    Value filter = packWinogradFilter(unit, builder, plan.vectors * lanes, lanes);
    SmallVector<Value> extras = getUnitExtras(unit);
    if (plan.step == kBlock) {
      SmallVector<Value> inputs = {input, filter};
      llvm::append_range(inputs, extras);
      int64_t floats = kPoints * (sizes.inputs + sizes.filters) * sizes.tiles * lanes;
      // Blocks read rows of their neighbours, so the input's bytes are never the result's.
      return SmallVector<Value>(
          builder.dispatch(parameters, inputs, init, 4 * floats, getInPlaceExtra(unit, 2)));
    }
    auto getStep = [&](int64_t step) {
      plan.step = step;
      return plan.getParameters(unit.getContext());
    };
    Type f32 = Float32Type::get(unit.getContext());
    Value transformed =
        builder.empty(RankedTensorType::get({kPoints, sizes.inputs, sizes.tiles, lanes}, f32));
    transformed = builder.dispatch(getStep(kInput), input, transformed)[0];
    Value products =
        builder.empty(RankedTensorType::get({kPoints, sizes.filters, sizes.tiles, lanes}, f32));
    products = builder.dispatch(getStep(kProduct), {transformed, filter}, products)[0];
    SmallVector<Value> inputs = {products};
    llvm::append_range(inputs, extras);
    return SmallVector<Value>(builder.dispatch(getStep(kOutput), inputs, init, /*workerBytes=*/0,
                                               getInPlaceExtra(unit, 1)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    ConvProblem p = ConvProblem::get(cast<dnn::ConvOp>(kernel.getPrimitive()));
    WinogradPlan plan = WinogradPlan::get(kernel.getParameters());
    LaunchShape shape;
    shape.grid[0] = WinogradSizes(p, plan, getLanes(device)).countTasks(p, plan.step);
    return shape;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    WinogradEmitter(kernel, module, getLanes(device)).emit();
    return success();
  }

private:
  /// [36, k / filterBlock, c / channelBlock, channelBlock, filterBlock].
  static Value packWinogradFilter(dnn::UnitOp unit, DispatchBuilder &builder, int64_t filterBlock,
                                  int64_t channelBlock) {
    RewriterBase &rewriter = builder.getRewriter();
    Location loc = unit.getLoc();
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    Type f32 = rewriter.getF32Type();
    Value init = builder.empty(RankedTensorType::get({kPoints, p.k, p.getGroupC()}, f32));
    Value filter = getUnitOperand(unit, op.getFilter());
    Value points =
        dnn::WinogradFilterOp::create(rewriter, loc, init.getType(), filter, init,
                                      op.getFilterDimsAttr(), rewriter.getI64IntegerAttr(4))
            .getResult();
    SmallVector<int64_t> shape = {kPoints, llvm::divideCeilSigned(p.k, filterBlock),
                                  llvm::divideCeilSigned(p.getGroupC(), channelBlock), channelBlock,
                                  filterBlock};
    Value packed = builder.empty(RankedTensorType::get(shape, f32));
    std::optional<Value> padding;
    if (p.k % filterBlock || p.getGroupC() % channelBlock)
      padding = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    SmallVector<int64_t> inner = {2, 1}, tiles = {channelBlock, filterBlock};
    return linalg::PackOp::create(rewriter, loc, points, packed, inner,
                                  getAsIndexOpFoldResult(rewriter.getContext(), tiles), padding)
        .getResult();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createWinogradFamily() {
  return std::make_unique<WinogradFamily>();
}
