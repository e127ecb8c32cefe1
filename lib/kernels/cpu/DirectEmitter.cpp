//===- DirectEmitter.cpp - kernels of direct convolutions ----------------===//
//
// The loops over tasks, passes, register tiles, channels and window positions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DirectPlan.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

/// Blocks of channels from which on the inputs of a window of one element are prefetched.
static constexpr int64_t kManyStreams = 8;

namespace {

/// Emits the kernel.
class DirectEmitter {
public:
  DirectEmitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
      : emitter(kernel, module, lanes), op(cast<dnn::ConvOp>(kernel.getPrimitive())),
        problem(ConvProblem::get(op)), plan(DirectPlan::get(kernel.getParameters())),
        grid(problem, plan, lanes), lanes(lanes), filter(emitter.getBuffer(1)),
        input(ActivationView::get(emitter.getBuffer(0), op.getInputDims())),
        output(ActivationView::get(emitter.getBuffer(emitter.getNumBuffers() - 1),
                                   op.getOutputDims())),
        epilogue(emitter, cast<dnn::EpilogueOpInterface>(op.getOperation()),
                 getExtraBuffers(emitter, 2), op.getOutputDims().findBlock(DimsAttr::kChannel)) {
    if (plan.passBlocks)
      partial = emitter.getScratch(0, {problem.oh * problem.ow, plan.vectors * lanes});
  }

  void emit();

private:
  /// Input channels of a group that pass by in one inner loop, and how many such loops there are.
  int64_t getInnerChannels() const { return plan.plainInput ? problem.c : lanes; }
  int64_t getChannelBlocks() const {
    return plan.plainInput ? 1 : llvm::divideCeilSigned(problem.getGroupC(), lanes);
  }

  void decodeTask();
  void emitPiece(int64_t vectors);
  void clearPartialSums(int64_t vectors);
  void emitPass(int64_t vectors);
  void emitRow(Index oh, int64_t vectors);
  void emitPlane(Index lo, Index hi, int64_t vectors);
  void locateColumns(Index start, int64_t width);
  void emitTile(Index oh, const RowTile &tile, Index start, int64_t vectors);
  Vectors emitChannelBlock(Index cb, int64_t channels, Index oh, const RowTile &tile, Index start,
                           int64_t vectors, Vectors sums);
  Vectors emitWindowRow(Index inputAt, Index filterAt, const RowTile &tile, int64_t channels,
                        int64_t vectors, Vectors sums);
  Vectors emitTap(Index inputAt, Index filterAt, ArrayRef<int64_t> columns, int64_t channels,
                  int64_t vectors, Vectors sums);
  void storeTile(Index oh, Index start, int64_t vectors, const Vectors &sums);

  /// Strides of the packed filter [group, (channel block,) (r,) s, channel, filter], from its end.
  int64_t getFilterStride(int64_t fromEnd) const {
    return static_cast<int64_t>(filter.strides.size()) > fromEnd
               ? filter.strides[filter.strides.size() - 1 - fromEnd]
               : 0;
  }

  Emitter emitter;
  dnn::ConvOp op;
  ConvProblem problem;
  DirectPlan plan;
  DirectGrid grid;
  int64_t lanes;
  Buffer filter;
  ActivationView input, output;
  Epilogue epilogue;

  // Of the task: image, group of filters, piece of rows, group of the convolution, first filter
  // vector; where the image's channels and the filters begin.
  Index n = 0, filterGroup = 0, piece = 0, group = 0, firstVector = 0;
  Index inputBase = 0, filterBase = 0;
  Index rowsLo = 0, rowsHi = 0;
  // Of the pass: blocks of input channels.
  Index blocksLo = 0, blocksHi = 0;
  bool isLastPass = true;
  Buffer partial;
  // Of the register tile: the columns follow each other in every buffer; else where they lie.
  bool flat = true;
  SmallVector<Index> rowOf, columnOf;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void DirectEmitter::decodeTask() {
  Index task = emitter.getTask();
  if (plan.filtersOutside) {
    piece = emitter.rem(task, grid.pieces);
    Index rest = emitter.div(task, grid.pieces);
    n = emitter.rem(rest, problem.n);
    filterGroup = emitter.div(rest, problem.n);
  } else {
    filterGroup = emitter.rem(task, grid.filterGroups);
    Index rest = emitter.div(task, grid.filterGroups);
    piece = emitter.rem(rest, grid.pieces);
    n = emitter.div(rest, grid.pieces);
  }
  if (grid.filterGroups == 1)
    filterGroup = 0;
  if (problem.n == 1)
    n = 0;
  int64_t groupVectors = llvm::divideCeilSigned(problem.getGroupK(), lanes);
  group = emitter.div(filterGroup, grid.filterGroupsPerGroup);
  if (problem.groups == 1)
    group = 0;
  firstVector = emitter.mad(emitter.sub(filterGroup, emitter.mul(group, grid.filterGroupsPerGroup)),
                            plan.vectors, emitter.mul(group, groupVectors));
  inputBase = emitter.mul(n, input.n);
  if (!plan.plainInput)
    inputBase = emitter.mad(emitter.mul(group, getChannelBlocks()), input.c, inputBase);
  filterBase = emitter.mul(filterGroup, filter.strides[0]);
  rowsLo = emitter.mul(piece, plan.rows);
  rowsHi = emitter.add(rowsLo, plan.rows);
  if (grid.lines % plan.rows)
    rowsHi = emitter.min(rowsHi, grid.lines);
}

void DirectEmitter::emit() {
  decodeTask();
  int64_t rest = llvm::divideCeilSigned(problem.getGroupK(), lanes) % plan.vectors;
  if (rest == 0) {
    emitPiece(plan.vectors);
  } else {
    // The last group of filters has fewer vectors (the convolution has one group then).
    Value full = emitter.compare(arith::CmpIPredicate::ult, filterGroup, grid.filterGroups - 1);
    emitter.branch(full, [&] { emitPiece(plan.vectors); }, [&] { emitPiece(rest); });
  }
  emitter.finish();
}

void DirectEmitter::emitPiece(int64_t vectors) {
  int64_t blocks = getChannelBlocks();
  blocksLo = 0;
  blocksHi = blocks;
  if (plan.passBlocks) {
    clearPartialSums(vectors);
    int64_t last = (llvm::divideCeilSigned(blocks, plan.passBlocks) - 1) * plan.passBlocks;
    isLastPass = false;
    emitter.loop(0, last, plan.passBlocks, [&](Index lo) {
      blocksLo = lo;
      blocksHi = emitter.add(lo, plan.passBlocks);
      emitPass(vectors);
    });
    isLastPass = true;
    blocksLo = last;
    blocksHi = blocks;
  }
  emitPass(vectors);
}

void DirectEmitter::clearPartialSums(int64_t vectors) {
  int64_t perLine = problem.isPointwise() ? plan.columns : problem.ow;
  int64_t step = plan.vectors * lanes;
  Index hi = emitter.min(emitter.mul(rowsHi, perLine), problem.oh * problem.ow);
  emitter.loop(emitter.mul(rowsLo, problem.isPointwise() ? 0 : perLine), hi, 1, [&](Index pixel) {
    for (int64_t j = 0; j < vectors; ++j)
      emitter.store(emitter.splat(0), partial, emitter.mad(pixel, step, j * lanes));
  });
}

/// All pixels of the task, for the channel blocks `blocksLo`..`blocksHi`.
void DirectEmitter::emitPass(int64_t vectors) {
  if (problem.isPointwise()) {
    emitPlane(rowsLo, rowsHi, vectors);
    return;
  }
  emitter.loop(rowsLo, rowsHi, 1, [&](Index oh) { emitRow(oh, vectors); });
}

void DirectEmitter::emitRow(Index oh, int64_t vectors) {
  RowGeometry row{problem.w,       problem.ow,      problem.s,
                  problem.strideW, problem.padLeft, problem.dilationW};
  for (const RowTile &tile : splitRow(row, plan.columns))
    emitter.loop(0, tile.count, 1, [&](Index i) {
      emitTile(oh, tile, emitter.mad(i, tile.width, tile.start), vectors);
    });
}

/// A pointwise convolution is one long row: its register tiles number `lo`..`hi`.
void DirectEmitter::emitPlane(Index lo, Index hi, int64_t vectors) {
  EvenSplit split = splitEvenly(problem.oh * problem.ow, plan.columns);
  auto emitPart = [&](int64_t first, int64_t count, int64_t width, int64_t firstColumn) {
    if (count == 0)
      return;
    bool all = split.wide == 0 || split.narrow == 0;
    Index from = all ? lo : emitter.max(lo, first);
    Index to = all ? hi : emitter.min(hi, first + count);
    emitter.loop(from, to, 1, [&](Index i) {
      Index start = emitter.mad(emitter.sub(i, first), width, firstColumn);
      emitTile(0, RowTile{0, width, 1, true}, start, vectors);
    });
  };
  emitPart(0, split.wide, split.width + 1, 0);
  emitPart(split.wide, split.narrow, split.width, split.wide * (split.width + 1));
}

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

/// True when the pixels of a plane lie one after the other.
static bool isFlatPlane(const ActivationView &view, int64_t height, int64_t width) {
  return height == 1 || view.h == width * view.w;
}

/// Finds where the tile's columns lie. In a plane that is one long row they follow each other,
/// unless a buffer is a slice.
void DirectEmitter::locateColumns(Index start, int64_t width) {
  const ConvProblem &p = problem;
  DimsAttr dims = op.getOutputDims();
  flat = !p.isPointwise() ||
         (isFlatPlane(input, p.h, p.w) && isFlatPlane(output, p.oh, p.ow) &&
          (p.spatialRank == 1 || epilogue.isFlat(dims.find(0), dims.find(1), p.ow)));
  rowOf.assign(width, 0);
  columnOf.clear();
  for (int64_t t = 0; t < width; ++t) {
    Index pixel = emitter.add(start, t);
    rowOf[t] = flat ? Index(0) : emitter.div(pixel, p.ow);
    columnOf.push_back(flat ? pixel : emitter.rem(pixel, p.ow));
  }
}

void DirectEmitter::emitTile(Index oh, const RowTile &tile, Index start, int64_t vectors) {
  epilogue.beginBlock();
  locateColumns(start, tile.width);
  Index pixel = problem.isPointwise() ? start : emitter.mad(oh, problem.ow, start);
  auto getPartialPlace = [&](int64_t i) {
    int64_t t = i / vectors, j = i % vectors;
    return emitter.mad(emitter.add(pixel, t), plan.vectors * lanes, j * lanes);
  };
  Vectors sums(tile.width * vectors, emitter.splat(0));
  for (size_t i = 0; plan.passBlocks && i < sums.size(); ++i)
    sums[i] = emitter.load(partial, getPartialPlace(i));
  auto emitBlock = [&](Index cb, int64_t count, Vectors carried) {
    return emitChannelBlock(cb, count, oh, tile, start, vectors, carried);
  };
  // The last block of channels may have fewer.
  int64_t rest = plan.plainInput || !isLastPass ? 0 : problem.getGroupC() % lanes;
  Index full = rest ? emitter.sub(blocksHi, 1) : blocksHi;
  sums = emitter.loop(blocksLo, full, 1, sums, [&](Index cb, Vectors carried) {
    return emitBlock(cb, getInnerChannels(), carried);
  });
  if (rest)
    sums = emitBlock(full, rest, sums);
  if (isLastPass)
    return storeTile(oh, start, vectors, sums);
  for (auto [i, sum] : llvm::enumerate(sums))
    emitter.store(sum, partial, getPartialPlace(i));
}

/// The sums of one block of input channels over the window.
Vectors DirectEmitter::emitChannelBlock(Index cb, int64_t channels, Index oh, const RowTile &tile,
                                        Index start, int64_t vectors, Vectors sums) {
  const ConvProblem &p = problem;
  Index filterAt = plan.plainInput ? filterBase : emitter.mad(cb, filter.strides[1], filterBase);
  Index inputAt = emitter.mad(cb, plan.plainInput ? 0 : input.c, inputBase);
  SmallVector<int64_t> columns = llvm::to_vector(llvm::seq<int64_t>(0, tile.width));
  // With a window of one element every block of channels is another short stream, too many for the
  // processor to foresee.
  if (p.r * p.s == 1 && !plan.plainInput && getChannelBlocks() >= kManyStreams) {
    int64_t length = tile.width * p.strideW * input.w;
    Index row = p.isPointwise() ? Index(0) : emitter.mul(emitter.mul(oh, p.strideH), input.h);
    Index at = emitter.mad(start, p.strideW * input.w, emitter.add(inputAt, row));
    emitter.prefetch(input.buffer, emitter.add(at, length), length);
  }
  if (p.isPointwise())
    return emitTap(flat ? emitter.mad(start, input.w, inputAt) : inputAt, filterAt, columns,
                   channels, vectors, sums);
  Index ih0 = emitter.sub(emitter.mul(oh, p.strideH), p.padTop);
  // Rows of the window inside the input.
  Index rLo = 0, rHi = p.r;
  if (p.padTop > 0)
    rLo = emitter.ceilDiv(emitter.max(emitter.sub(0, ih0), 0), p.dilationH);
  if ((p.oh - 1) * p.strideH - p.padTop + (p.r - 1) * p.dilationH >= p.h)
    rHi = emitter.min(emitter.ceilDiv(emitter.max(emitter.sub(p.h, ih0), 0), p.dilationH), p.r);
  inputAt = emitter.mad(emitter.sub(emitter.mul(start, p.strideW), p.padLeft), input.w, inputAt);
  return emitter.loop(rLo, rHi, 1, sums, [&](Index r, Vectors carried) {
    Index rowAt = emitter.mad(emitter.mad(r, p.dilationH, ih0), input.h, inputAt);
    return emitWindowRow(rowAt, emitter.mad(r, getFilterStride(3), filterAt), tile, channels,
                         vectors, carried);
  });
}

/// The sums of one row of the window.
Vectors DirectEmitter::emitWindowRow(Index inputAt, Index filterAt, const RowTile &tile,
                                     int64_t channels, int64_t vectors, Vectors sums) {
  const ConvProblem &p = problem;
  SmallVector<int64_t> columns = llvm::to_vector(llvm::seq<int64_t>(0, tile.width));
  auto emitColumn = [&](Index s, Vectors carried) {
    return emitTap(emitter.mad(s, p.dilationW * input.w, inputAt),
                   emitter.mad(s, getFilterStride(2), filterAt), columns, channels, vectors,
                   carried);
  };
  if (tile.interior)
    return emitter.loop(0, p.s, 1, sums, emitColumn);
  // Where the tile touches the padding, products with it are left out.
  for (int64_t s = 0; s < p.s; ++s) {
    columns.clear();
    for (int64_t t = 0; t < tile.width; ++t) {
      int64_t iw = (tile.start + t) * p.strideW + s * p.dilationW - p.padLeft;
      if (iw >= 0 && iw < p.w)
        columns.push_back(t);
    }
    if (!columns.empty())
      sums = emitColumn(s, sums);
  }
  return sums;
}

/// One window position: all channels of a block.
Vectors DirectEmitter::emitTap(Index inputAt, Index filterAt, ArrayRef<int64_t> columns,
                               int64_t channels, int64_t vectors, Vectors sums) {
  int64_t channelStride = plan.plainInput ? input.c : input.lane;
  return emitter.loop(0, channels, 1, sums, [&](Index ci, Vectors values) {
    Index x = emitter.mad(ci, channelStride, inputAt);
    Index f = emitter.mad(ci, getFilterStride(1), filterAt);
    auto loadInput = [&](int64_t t) {
      Index offset = flat ? Index(t * problem.strideW * input.w)
                          : emitter.mad(rowOf[t], input.h, emitter.mul(columnOf[t], input.w));
      return emitter.broadcast(input.buffer, emitter.add(x, offset));
    };
    multiplyTile(emitter, columns, vectors, values, loadInput,
                 [&](int64_t j) { return emitter.load(filter, emitter.add(f, j * lanes)); });
    return values;
  });
}

void DirectEmitter::storeTile(Index oh, Index start, int64_t vectors, const Vectors &sums) {
  int64_t width = sums.size() / vectors;
  Index base = emitter.mad(n, output.n, emitter.mad(firstVector, output.c, 0));
  if (!problem.isPointwise())
    base = emitter.mad(oh, output.h, base);
  base = emitter.mad(start, flat ? output.w : 0, base);
  for (int64_t t = 0; t < width; ++t)
    for (int64_t j = 0; j < vectors; ++j) {
      Index row = problem.isPointwise() ? rowOf[t] : oh;
      Value value =
          epilogue.apply(sums[t * vectors + j],
                         getBlockedCoordinates(op.getOutputDims(), n, emitter.add(firstVector, j),
                                               row, columnOf[t]));
      Index offset = flat ? Index(t * output.w)
                          : emitter.mad(rowOf[t], output.h, emitter.mul(columnOf[t], output.w));
      emitter.store(value, output.buffer, emitter.add(base, emitter.add(offset, j * output.c)));
    }
}

void cpu::emitDirectConv(dnn::KernelOp kernel, ModuleOp module, int64_t lanes) {
  DirectEmitter(kernel, module, lanes).emit();
}
