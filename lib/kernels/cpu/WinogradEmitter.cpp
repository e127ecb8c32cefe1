//===- WinogradEmitter.cpp - kernels of F(4x4, 3x3) ----------------------===//
//
// Transforms of tiles, the products between them, and the tasks that do one or all of these.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "WinogradPlan.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

namespace {

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
    return plan.step == WinogradPlan::kBlock || plan.step == WinogradPlan::kOutput
               ? getExtraBuffers(e, plan.step == WinogradPlan::kBlock ? 2 : 1)
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
  transformed = e.getScratch(0, {kWinogradPoints, sizes.inputs, sizes.tiles, lanes});
  products = e.getScratch(kWinogradPoints * sizes.inputs * sizes.tiles * lanes,
                          {kWinogradPoints, sizes.filters, sizes.tiles, lanes});
  e.loop(0, sizes.inputs, 1, [&](Index cb) {
    e.loop(0, rows, 1, [&](Index r) {
      emitInputRow(n, cb, e.add(row0, r), column0, columns, e.mul(r, plan.blockColumns));
    });
  });
  e.loop(0, kWinogradPoints, 1, [&](Index point) {
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
  case WinogradPlan::kInput:
    input = ActivationView::get(first, op.getInputDims());
    transformed = last;
    emitInputTask();
    break;
  case WinogradPlan::kProduct:
    transformed = first;
    filter = e.getBuffer(1);
    products = last;
    emitProductTask();
    break;
  case WinogradPlan::kOutput:
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

void cpu::emitWinograd(dnn::KernelOp kernel, ModuleOp module, int64_t lanes) {
  WinogradEmitter(kernel, module, lanes).emit();
}
