//===- DirectConv.cpp - direct convolution on blocked channels ---------------===//
//
// The family "cpu.direct_conv": a tile of output columns and channel vectors stays in registers
// while all input channels and window positions pass by. Reads blocked channels, or plain
// ones where there are few (first layers); writes blocked channels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConvProblem.h"
#include "CpuFamilies.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

using dnn::DimsAttr;

/// Blocks of channels from which on the inputs of a window of one element are prefetched.
static constexpr int64_t kManyStreams = 8;

namespace {

/// How the work is cut, from a candidate's parameters.
struct DirectPlan {
  /// Register tile, and output rows (register tiles of a pointwise convolution) per task.
  int64_t columns, vectors, rows;
  /// The input has plain channels.
  bool plainInput;
  /// Tasks next to each other share filters, not pixels.
  bool filtersOutside;
  /// Blocks of input channels per pass over a task's pixels; sums rest in scratch memory between
  /// passes. 0: one pass.
  int64_t passBlocks;

  static DirectPlan get(DictionaryAttr parameters) {
    return {getInt(parameters, "columns"),
            getInt(parameters, "vectors"),
            getInt(parameters, "rows"),
            getInt(parameters, "plain_input") != 0,
            getInt(parameters, "filters_outside") != 0,
            getInt(parameters, "pass_blocks")};
  }

  DictionaryAttr getParameters(MLIRContext *context) const {
    return makeParameters(context, {{"columns", columns},
                                    {"vectors", vectors},
                                    {"rows", rows},
                                    {"plain_input", plainInput},
                                    {"filters_outside", filtersOutside},
                                    {"pass_blocks", passBlocks}});
  }

  /// Bytes of the sums between passes.
  int64_t getWorkerBytes(const ConvProblem &p, int64_t lanes) const {
    return passBlocks ? 4 * p.oh * p.ow * vectors * lanes : 0;
  }
};

/// The grid: images x groups of filters x pieces of rows.
struct DirectGrid {
  /// Groups of `vectors` filter vectors in a group of the convolution, and in all.
  int64_t filterGroupsPerGroup, filterGroups, pieces;
  /// Register tiles of a pointwise plane, or rows.
  int64_t lines;

  DirectGrid(const ConvProblem &p, const DirectPlan &plan, int64_t lanes) {
    int64_t vectors = llvm::divideCeilSigned(p.getGroupK(), lanes);
    filterGroupsPerGroup = llvm::divideCeilSigned(vectors, plan.vectors);
    filterGroups = filterGroupsPerGroup * p.groups;
    lines = p.isPointwise() ? splitEvenly(p.oh * p.ow, plan.columns).getCount() : p.oh;
    pieces = llvm::divideCeilSigned(lines, plan.rows);
  }
};

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

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

/// Bytes of filters that a pass leaves in the first-level cache.
static constexpr int64_t kFirstLevelBytes = 24 * 1024;

/// True when the sums of `filters` filters can wait in the cache: filters that do not stay there
/// then pass by once, in parts, instead of once for every register tile.
static bool canPass(const ConvProblem &p, const DirectPlan &plan, int64_t filters) {
  return !plan.plainInput && 4 * p.oh * p.ow * filters <= 2 * kFirstLevelBytes;
}

/// Bytes of input that `rows` lines of the grid read.
static int64_t getLineBytes(const ConvProblem &p, const DirectPlan &plan, int64_t rows) {
  if (p.isPointwise())
    return 4 * p.c * rows * plan.columns;
  int64_t inputRows = p.strideH > p.r ? rows * p.r : (rows - 1) * p.strideH + p.r;
  return 4 * p.c * p.w * std::min(p.h, inputRows);
}

/// Cuts the work into tasks: at least eight for each core where there is so much, and the operand
/// that passes by for every task stays in the cache.
static void chooseSchedule(const ConvProblem &p, int64_t lanes, dnn::DeviceAttr device,
                           DirectPlan &plan) {
  int64_t cache = device.getL2Bytes();
  int64_t inputBytes = 4 * p.c * p.h * p.w;
  int64_t filterBytes = 4 * p.k * p.getGroupC() * p.r * p.s;
  plan.rows = 1;
  DirectGrid finest(p, plan, lanes);
  plan.filtersOutside = inputBytes <= cache / 2 ||
                        (filterBytes > cache / 2 &&
                         finest.filterGroupsPerGroup * inputBytes <= finest.lines * filterBytes);
  plan.rows = finest.lines;
  auto isTooCoarse = [&] {
    DirectGrid grid(p, plan, lanes);
    bool fewTasks = p.n * grid.filterGroups * grid.pieces < 8 * device.getCores();
    int64_t limit = p.isPointwise() ? cache / 8 : cache * 3 / 8;
    return fewTasks || (!plan.filtersOutside && getLineBytes(p, plan, plan.rows) > limit);
  };
  while (plan.rows > 1 && isTooCoarse())
    plan.rows = llvm::divideCeilSigned(plan.rows, 2);

  int64_t blockBytes = 4 * lanes * plan.vectors * lanes * p.r * p.s;
  int64_t blocks = llvm::divideCeilSigned(p.getGroupC(), lanes);
  int64_t part = std::max<int64_t>(1, kFirstLevelBytes / blockBytes);
  plan.passBlocks = 0;
  bool manyTiles = plan.rows >= (p.isPointwise() ? 8 : 4);
  if (manyTiles && canPass(p, plan, plan.vectors * lanes) && blocks * blockBytes > cache / 5 &&
      blocks > part)
    plan.passBlocks = part;
}

/// A candidate that reads plain or blocked channels.
static Candidate makeCandidate(dnn::UnitOp unit, const ConvProblem &p, dnn::DeviceAttr device,
                               bool plainInput) {
  int64_t lanes = getLanes(device), percent = 100;
  DirectPlan plan;
  plan.plainInput = plainInput;
  // The filters of a register tile come from the cache for every tile but the first.
  int64_t vectorBytes = 4 * lanes * p.getGroupC() * p.r * p.s;
  int64_t maxVectors = std::max<int64_t>(2, device.getL2Bytes() * 3 / 5 / vectorBytes);
  if (p.oh * p.ow == 1 || canPass(p, plan, 4 * lanes))
    maxVectors = p.oh * p.ow == 1 ? 64 : 4;
  RegisterTile tile = chooseTile(p.isPointwise() ? p.oh * p.ow : p.ow,
                                 llvm::divideCeilSigned(p.getGroupK(), lanes), maxVectors,
                                 /*exact=*/p.groups > 1, lanes, &percent);
  // Strided windows of one element use half of what they load or less: more filters per element.
  if (p.r * p.s == 1 && p.strideW > 1 && tile.vectors < 4 && maxVectors >= 4 &&
      llvm::divideCeilSigned(p.getGroupK(), lanes) % 4 == 0)
    tile = {lanes >= 16 ? 7 : 3, 4};
  plan.columns = tile.columns;
  plan.vectors = tile.vectors;
  chooseSchedule(p, lanes, device, plan);

  MLIRContext *context = unit.getContext();
  Candidate candidate;
  candidate.parameters = plan.getParameters(context);
  DimsAttr result = DimsAttr::getBlocked(context, p.spatialRank, lanes, p.k);
  DimsAttr input =
      plainInput ? DimsAttr() : DimsAttr::getBlocked(context, p.spatialRank, lanes, p.c);
  candidate.inputLayouts = getInputLayouts(unit, input, result);
  candidate.resultLayouts = {result};
  candidate.flops = p.getExecutedFlops();
  candidate.bytes = p.getBytes();
  candidate.efficiencyPercent = std::max<int64_t>(1, percent * 95 / 100);
  candidate.errorPpb = 300;
  candidate.workerBytes = plan.getWorkerBytes(p, lanes);
  return candidate;
}

namespace {

class DirectConvFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.direct_conv"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainConv(unit, device, /*laneDim=*/1); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device);
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    ConvProblem p = ConvProblem::get(op);
    if (p.groups > 1 && (p.getGroupC() % lanes || p.getGroupK() % lanes))
      return list.reject("the channels of a group do not fill whole vectors");
    if (p.groups == 1 && p.c <= 2 * lanes && !readsInputTwice(unit))
      list.candidates.push_back(makeCandidate(unit, p, device, /*plainInput=*/true));
    if (p.c >= lanes / 2)
      list.candidates.push_back(makeCandidate(unit, p, device, /*plainInput=*/false));
    if (list.candidates.empty())
      list.reject("the few input channels are also an operand of the epilogue");
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::ConvOp>(unit.getPrimitive());
    DirectPlan plan = DirectPlan::get(parameters);
    int64_t lanes = getLanes(device);
    Value input = getUnitOperand(unit, op.getInput());
    Value filter = getUnitOperand(unit, op.getFilter());
    Value packed = packFilter(builder, filter, op.getFilterDims(), plan.plainInput ? 1 : lanes,
                              plan.vectors * lanes);
    SmallVector<Value> inputs = {input, packed};
    llvm::append_range(inputs, getUnitExtras(unit));
    return SmallVector<Value>(builder.dispatch(
        parameters, inputs, getUnitOperand(unit, op.getInit()),
        plan.getWorkerBytes(ConvProblem::get(op), lanes), getInPlaceExtra(unit, 2)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    ConvProblem p = ConvProblem::get(cast<dnn::ConvOp>(kernel.getPrimitive()));
    DirectGrid grid(p, DirectPlan::get(kernel.getParameters()), getLanes(device));
    LaunchShape shape;
    shape.grid[0] = p.n * grid.filterGroups * grid.pieces;
    return shape;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    DirectEmitter(kernel, module, getLanes(device)).emit();
    return success();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createDirectConvFamily() {
  return std::make_unique<DirectConvFamily>();
}
