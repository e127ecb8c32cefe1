//===- Windows.cpp - kernels that slide windows over one channel -------------===//
//
// The loops over rows, register tiles and windows.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include <map>

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

int64_t cpu::chooseWindowRows(const WindowShape &shape, int64_t lanes, int64_t cores) {
  int64_t rows = shape.oh;
  while (rows > 1 && WindowGrid(shape, rows, lanes).countTasks(shape) < 8 * cores)
    rows = llvm::divideCeilSigned(rows, 2);
  return rows;
}

namespace {

/// Columns of a window row that one output column is summed in at a time, to hide latency.
constexpr int64_t kChains = 4;

class WindowEmitter {
public:
  WindowEmitter(Emitter &emitter, const WindowShape &shape, const ActivationView &input,
                const ActivationView &output, WindowBody &body)
      : e(emitter), p(shape), input(input), output(output), body(body) {}

  void emitTile(const RowTile &tile, Index start);

  Index n = 0, cb = 0, oh = 0;

private:
  Vectors emitRow(const RowTile &tile, Index rowAt, Vectors sums);
  Vectors emitLongRow(Index rowAt, Vectors sums);
  int64_t countColumns(const RowTile &tile, int64_t t) const;

  Emitter &e;
  WindowShape p;
  ActivationView input, output;
  WindowBody &body;
};

} // namespace

/// Window columns of output column `t` of a tile inside the input.
int64_t WindowEmitter::countColumns(const RowTile &tile, int64_t t) const {
  if (tile.interior)
    return p.s;
  int64_t count = 0;
  for (int64_t s = 0; s < p.s; ++s) {
    int64_t iw = (tile.start + t) * p.strideW + s * p.dilationW - p.padLeft;
    count += iw >= 0 && iw < p.w;
  }
  return count;
}

/// A long window row for a single output column: several sums side by side.
Vectors WindowEmitter::emitLongRow(Index rowAt, Vectors sums) {
  int64_t step = p.dilationW * input.w, full = p.s - p.s % kChains;
  sums = e.loop(0, full, kChains, sums, [&](Index s, Vectors carried) {
    for (int64_t i = 0; i < kChains; ++i)
      carried[i] =
          body.combine(carried[i], e.load(input.buffer, e.mad(e.add(s, i), step, rowAt)), 0);
    return carried;
  });
  for (int64_t s = full; s < p.s; ++s)
    sums[s - full] = body.combine(sums[s - full], e.load(input.buffer, e.add(rowAt, s * step)), 0);
  return sums;
}

/// Adds one window row to all output columns of a tile. `rowAt` is the place of window column 0 of
/// the tile's first output column.
Vectors WindowEmitter::emitRow(const RowTile &tile, Index rowAt, Vectors sums) {
  // Input columns, and the (output column, window column) pairs that meet in each.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> uses;
  for (int64_t t = 0; t < tile.width; ++t)
    for (int64_t s = 0; s < p.s; ++s)
      uses[t * p.strideW + s * p.dilationW].push_back({t, s});
  for (auto &[column, pairs] : uses) {
    int64_t iw = tile.start * p.strideW + column - p.padLeft;
    if (!tile.interior && (iw < 0 || iw >= p.w))
      continue;
    Value element = e.load(input.buffer, e.add(rowAt, column * input.w));
    for (auto [t, s] : pairs)
      sums[t] = body.combine(sums[t], element, s);
  }
  return sums;
}

void WindowEmitter::emitTile(const RowTile &tile, Index start) {
  bool isLong = body.isUniform() && tile.interior && tile.width == 1 && p.s >= 2 * kChains;
  Index ih0 = e.sub(e.mul(oh, p.strideH), p.padTop);
  Index rLo = 0, rHi = p.r;
  if (p.padTop > 0)
    rLo = e.ceilDiv(e.max(e.sub(0, ih0), 0), p.dilationH);
  if ((p.oh - 1) * p.strideH - p.padTop + (p.r - 1) * p.dilationH >= p.h)
    rHi = e.min(e.ceilDiv(e.max(e.sub(p.h, ih0), 0), p.dilationH), p.r);
  Index base = e.mad(n, input.n, e.mul(cb, input.c));
  base = e.mad(e.sub(e.mul(start, p.strideW), p.padLeft), input.w, base);
  Vectors sums(isLong ? kChains : tile.width, body.getInitial());
  sums = e.loop(rLo, rHi, 1, sums, [&](Index r, Vectors carried) {
    body.beginRow(cb, r);
    Index rowAt = e.mad(e.mad(r, p.dilationH, ih0), input.h, base);
    return isLong ? emitLongRow(rowAt, carried) : emitRow(tile, rowAt, carried);
  });
  if (isLong) {
    for (int64_t i = 1; i < kChains; ++i)
      sums[0] = body.join(sums[0], sums[i]);
    sums.resize(1);
  }
  body.beginTile();
  Index outputAt = e.mad(n, output.n, e.mul(cb, output.c));
  outputAt = e.mad(oh, output.h, e.mad(start, output.w, outputAt));
  for (int64_t t = 0; t < tile.width; ++t) {
    WindowPlace place{n,
                      cb,
                      oh,
                      e.add(start, t),
                      rLo,
                      rHi,
                      countColumns(tile, t),
                      tile.interior ? -1 : tile.start + t};
    e.store(body.finish(sums[t], place), output.buffer, e.add(outputAt, t * output.w));
  }
}

void cpu::emitWindows(Emitter &e, const WindowShape &shape, const WindowGrid &grid,
                      const ActivationView &input, const ActivationView &output, int64_t maxWidth,
                      WindowBody &body) {
  Index piece = grid.pieces == 1 ? Index(0) : e.rem(e.getTask(), grid.pieces);
  Index rest = e.div(e.getTask(), grid.pieces);
  WindowEmitter emitter(e, shape, input, output, body);
  emitter.cb = e.rem(rest, grid.vectors);
  emitter.n = shape.n == 1 ? Index(0) : e.div(rest, grid.vectors);
  Index lo = e.mul(piece, grid.rows), hi = e.add(lo, grid.rows);
  if (shape.oh % grid.rows)
    hi = e.min(hi, shape.oh);
  RowGeometry row{shape.w, shape.ow, shape.s, shape.strideW, shape.padLeft, shape.dilationW};
  e.loop(lo, hi, 1, [&](Index oh) {
    emitter.oh = oh;
    for (const RowTile &tile : splitRow(row, maxWidth))
      e.loop(0, tile.count, 1,
             [&](Index i) { emitter.emitTile(tile, e.mad(i, tile.width, tile.start)); });
  });
}
