//===- Transform.cpp - layout transforms -----------------------------------===//
//
// The family "cpu.transform": blocks and unblocks channels and permutes dimensions, by squares of
// vectors that are transposed in registers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConvProblem.h"
#include "CpuFamilies.h"
#include "Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

/// Elements that one task moves, about.
static constexpr int64_t kTaskElements = 16 * 1024;

namespace {
/// A run of dimensions, outermost first, with the sizes and the dimension of each side. Runs of
/// neighbours on both sides are one loop.
struct Run {
  SmallVector<int64_t> sizes, sourceDims, resultDims;
  /// Factors of the strides: a channel's outer part counts in blocks on the plain side.
  int64_t sourceFactor = 1, resultFactor = 1;

  int64_t getSize() const {
    int64_t size = 1;
    for (int64_t each : sizes)
      size *= each;
    return size;
  }
};

/// result[outer.., column, row] = source[outer.., row, column]: rows are contiguous in the result,
/// columns in the source.
struct Transposition {
  SmallVector<Run> outer;
  Run row, column;
  /// The outer run whose last step has fewer than all rows (pack) or columns (unpack); -1: none.
  int64_t tailRun = -1, tailCount = 0;
  bool isPack = false, isUnpack = false;

  bool cutsColumns() const { return !isUnpack; }
  int64_t getChunk(int64_t lanes) const {
    int64_t other = cutsColumns() ? row.getSize() : column.getSize();
    int64_t chunk = std::max<int64_t>(kTaskElements / other, 1);
    return llvm::alignTo(chunk, lanes);
  }
  int64_t countChunks(int64_t lanes) const {
    int64_t length = cutsColumns() ? column.getSize() : row.getSize();
    return llvm::divideCeil(length, getChunk(lanes));
  }
  int64_t countTasks(int64_t lanes) const {
    int64_t tasks = countChunks(lanes);
    for (const Run &run : outer)
      tasks *= run.getSize();
    return tasks;
  }
};
} // namespace

/// The only operation of a body, or null; an empty destination may stand beside it.
static Operation *getOnly(Region &body) {
  Operation *only = nullptr;
  for (Operation &op : body.front().without_terminator()) {
    if (isa<tensor::EmptyOp, arith::ConstantOp>(op))
      continue;
    if (only)
      return nullptr;
    only = &op;
  }
  return only;
}

/// Packs and unpacks of one block of dimension 1, without permutation.
template <typename PackOp>
static std::optional<Transposition> describePack(PackOp op, RankedTensorType plain, bool isPack) {
  if (!op.getOuterDimsPerm().empty() || op.getInnerDimsPos() != ArrayRef<int64_t>{1} ||
      ShapedType::isDynamic(op.getStaticInnerTiles()[0]) || plain.getRank() < 3)
    return std::nullopt;
  int64_t rank = plain.getRank(), block = op.getStaticInnerTiles()[0];
  int64_t channels = plain.getDimSize(1), blocks = (channels + block - 1) / block;
  Transposition t;
  t.isPack = isPack;
  t.isUnpack = !isPack;
  t.outer.push_back({{plain.getDimSize(0)}, {0}, {0}});
  t.outer.push_back({{blocks}, {1}, {1}});
  (isPack ? t.outer[1].sourceFactor : t.outer[1].resultFactor) = block;
  Run spatial, lane;
  for (int64_t dim = 2; dim < rank; ++dim) {
    spatial.sizes.push_back(plain.getDimSize(dim));
    spatial.sourceDims.push_back(dim);
    spatial.resultDims.push_back(dim);
  }
  lane.sizes = {block};
  lane.sourceDims = {isPack ? 1 : rank};
  lane.resultDims = {isPack ? rank : 1};
  t.row = isPack ? lane : spatial;
  t.column = isPack ? spatial : lane;
  if (channels % block) {
    t.tailRun = 1;
    t.tailCount = channels % block;
  }
  return t;
}

/// Permutations that change the innermost dimension.
static std::optional<Transposition> describePermutation(ArrayRef<int64_t> permutation,
                                                        ArrayRef<int64_t> resultShape) {
  SmallVector<Run> runs;
  for (auto [dim, source] : llvm::enumerate(permutation)) {
    if (resultShape[dim] == 1)
      continue;
    if (!runs.empty() && runs.back().sourceDims.back() + 1 == source &&
        runs.back().resultDims.back() + 1 == int64_t(dim)) {
      runs.back().sizes.push_back(resultShape[dim]);
      runs.back().sourceDims.push_back(source);
      runs.back().resultDims.push_back(dim);
      continue;
    }
    runs.push_back({{resultShape[dim]}, {source}, {int64_t(dim)}});
  }
  if (runs.size() < 2)
    return std::nullopt;
  Transposition t;
  t.row = runs.pop_back_val();
  auto innermost = llvm::max_element(
      runs, [](const Run &a, const Run &b) { return a.sourceDims.back() < b.sourceDims.back(); });
  if (innermost->sourceDims.back() < t.row.sourceDims.back())
    return std::nullopt;
  t.column = *innermost;
  runs.erase(innermost);
  t.outer = runs;
  return t;
}

static std::optional<Transposition> describe(Region &body) {
  Operation *op = getOnly(body);
  if (!op || op->getNumOperands() == 0 || op->getNumResults() != 1 ||
      !isa<BlockArgument>(op->getOperand(0)))
    return std::nullopt;
  auto sourceType = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!sourceType || !type || !type.getElementType().isF32() || !type.hasStaticShape() ||
      !sourceType.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  if (auto pack = dyn_cast<linalg::PackOp>(op)) {
    if (Value padding = pack.getPaddingValue(); padding && !matchPattern(padding, m_AnyZeroFloat()))
      return std::nullopt;
    return describePack(pack, sourceType, /*isPack=*/true);
  }
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return describePack(unpack, type, /*isPack=*/false);
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return describePermutation(transpose.getPermutation(), type.getShape());
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 || generic.getNumResults() != 1 ||
      generic.getBody()->getOperations().size() != 1 ||
      generic.getBody()->getTerminator()->getOperand(0) != generic.getBody()->getArgument(0))
    return std::nullopt;
  AffineMap from = generic.getMatchingIndexingMap(generic.getDpsInputOperand(0));
  AffineMap to = generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  if (!from.isPermutation() || !to.isIdentity())
    return std::nullopt;
  SmallVector<int64_t> permutation(type.getRank());
  for (auto [source, expr] : llvm::enumerate(from.getResults()))
    permutation[cast<AffineDimExpr>(expr).getPosition()] = source;
  return describePermutation(permutation, type.getShape());
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {
/// Emits the kernel of a transposition.
class TransposeEmitter {
public:
  TransposeEmitter(Emitter &emitter, const Transposition &t)
      : e(emitter), t(t), lanes(emitter.getLanes()), source(emitter.getBuffer(0)),
        result(emitter.getBuffer(1)) {}

  void emit();

private:
  /// Where position `at` of a run is.
  Index locate(const Run &run, Index at, bool inSource);
  /// True when the run is one loop of constant stride in the buffer.
  bool isUniform(const Run &run, bool inSource) const;
  int64_t getStride(const Run &run, bool inSource) const {
    const Buffer &buffer = inSource ? source : result;
    return inSource ? buffer.strides[run.sourceDims.back()] * run.sourceFactor
                    : buffer.strides[run.resultDims.back()] * run.resultFactor;
  }

  void emitRows(int64_t rows, int64_t columns, Index begin, Index end);
  void emitColumns(Index row, int64_t rows, int64_t columns, Index begin, Index end);
  void emitSquare(Index row, Index column, int64_t rows, int64_t columns);
  void emitElements(int64_t rows, int64_t columns, Index begin, Index end);
  void transpose(SmallVector<Value> &vectors);

  Emitter &e;
  const Transposition &t;
  int64_t lanes;
  Buffer source, result;
  Index sourceBase = 0, resultBase = 0;
};
} // namespace

bool TransposeEmitter::isUniform(const Run &run, bool inSource) const {
  const Buffer &buffer = inSource ? source : result;
  ArrayRef<int64_t> dims = inSource ? run.sourceDims : run.resultDims;
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    if (buffer.strides[dims[i]] != buffer.strides[dims[i + 1]] * run.sizes[i + 1])
      return false;
  return true;
}

Index TransposeEmitter::locate(const Run &run, Index at, bool inSource) {
  if (isUniform(run, inSource))
    return e.mul(at, getStride(run, inSource));
  const Buffer &buffer = inSource ? source : result;
  ArrayRef<int64_t> dims = inSource ? run.sourceDims : run.resultDims;
  Index place = 0;
  for (int64_t i = dims.size() - 1; i >= 0; --i) {
    Index position = i ? e.rem(at, run.sizes[i]) : at;
    place = e.mad(position, buffer.strides[dims[i]], place);
    at = e.div(at, run.sizes[i]);
  }
  return place;
}

/// Exchanges rows and lanes: stage by stage, rows at distance s swap blocks of s lanes.
void TransposeEmitter::transpose(SmallVector<Value> &vectors) {
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isUpper = lane & distance;
      first.push_back(isUpper ? lanes + lane - distance : lane);
      second.push_back(isUpper ? lanes + lane : lane + distance);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & distance)
        continue;
      Value a = vectors[i], b = vectors[i + distance];
      vectors[i] = vector::ShuffleOp::create(e.getBuilder(), e.getLoc(), a, b, first);
      vectors[i + distance] = vector::ShuffleOp::create(e.getBuilder(), e.getLoc(), a, b, second);
    }
  }
}

void TransposeEmitter::emitSquare(Index row, Index column, int64_t rows, int64_t columns) {
  Index from = e.add(e.mad(row, getStride(t.row, true), sourceBase), column);
  Index to = e.add(e.mad(column, getStride(t.column, false), resultBase), row);
  Value partColumns = columns < lanes ? e.mask(columns) : Value();
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < lanes; ++i) {
    Index at = e.add(from, i * getStride(t.row, true));
    vectors.push_back(i >= rows     ? e.splat(0)
                      : partColumns ? e.load(source, at, partColumns)
                                    : e.load(source, at));
  }
  transpose(vectors);
  // A block of channels is written whole: its lanes beyond the channels become zero.
  int64_t written = rows;
  if (t.isPack && rows < lanes)
    written = std::min(lanes, t.row.getSize() - row.constant);
  Value partRows = written < lanes ? e.mask(written) : Value();
  for (int64_t i = 0; i < columns; ++i) {
    Index at = e.add(to, i * getStride(t.column, false));
    if (partRows)
      e.store(vectors[i], result, at, partRows);
    else
      e.store(vectors[i], result, at);
  }
}

/// Squares over the columns `begin` to `end`, multiples of `lanes` but for the run's own end.
void TransposeEmitter::emitColumns(Index row, int64_t rows, int64_t columns, Index begin,
                                   Index end) {
  int64_t tail = columns % lanes, whole = columns - tail;
  e.loop(begin, e.min(end, whole), lanes,
         [&](Index column) { emitSquare(row, column, rows, lanes); });
  if (!tail)
    return;
  auto emitTail = [&] { emitSquare(row, whole, rows, tail); };
  if (end.isConstant())
    emitTail();
  else
    e.branch(e.compare(arith::CmpIPredicate::eq, end, columns), emitTail);
}

/// All squares of a task: `rows` and `columns` of the source exist, `begin` and `end` limit the
/// dimension that tasks share.
void TransposeEmitter::emitRows(int64_t rows, int64_t columns, Index begin, Index end) {
  bool isIrregular = getStride(t.column, true) != 1 || getStride(t.row, false) != 1;
  for (const Run *run : {&t.row, &t.column})
    isIrregular |= !isUniform(*run, true) || !isUniform(*run, false);
  if (isIrregular)
    return emitElements(rows, columns, begin, end);
  Index firstRow = t.cutsColumns() ? Index(0) : begin, lastRow = t.cutsColumns() ? rows : end;
  Index firstColumn = t.cutsColumns() ? begin : Index(0);
  Index lastColumn = t.cutsColumns() ? end : Index(columns);
  int64_t tail = rows % lanes, whole = rows - tail;
  e.loop(firstRow, e.min(lastRow, whole), lanes,
         [&](Index row) { emitColumns(row, lanes, columns, firstColumn, lastColumn); });
  if (!tail)
    return;
  auto emitTail = [&] { emitColumns(whole, tail, columns, firstColumn, lastColumn); };
  if (t.cutsColumns())
    emitTail();
  else
    e.branch(e.compare(arith::CmpIPredicate::eq, end, rows), emitTail);
}

/// Element by element, for slices whose rows or columns are not one loop.
void TransposeEmitter::emitElements(int64_t rows, int64_t columns, Index begin, Index end) {
  OpBuilder &builder = e.getBuilder();
  Index firstRow = t.cutsColumns() ? Index(0) : begin;
  Index lastRow = t.cutsColumns() ? Index(t.isPack ? t.row.getSize() : rows) : end;
  e.loop(t.cutsColumns() ? begin : Index(0), t.cutsColumns() ? end : Index(columns), 1,
         [&](Index column) {
           e.loop(firstRow, lastRow, 1, [&](Index row) {
             Index inside = t.isPack ? e.min(row, rows - 1) : row;
             Index from = e.add(e.add(sourceBase, locate(t.row, inside, true)),
                                locate(t.column, column, true));
             Index to = e.add(e.add(resultBase, locate(t.row, row, false)),
                              locate(t.column, column, false));
             Value element = e.loadScalar(source, from);
             memref::StoreOp::create(builder, e.getLoc(), element, result.memref, e.toValue(to));
           });
         });
}

void TransposeEmitter::emit() {
  int64_t chunks = t.countChunks(lanes), chunk = t.getChunk(lanes);
  Index rest = e.getTask();
  Index piece = e.rem(rest, chunks);
  rest = e.div(rest, chunks);
  Index tailAt = 0;
  for (int64_t i = t.outer.size() - 1; i >= 0; --i) {
    const Run &run = t.outer[i];
    Index at = i ? e.rem(rest, run.getSize()) : rest;
    rest = e.div(rest, run.getSize());
    auto place = [&](bool inSource) {
      int64_t factor = inSource ? run.sourceFactor : run.resultFactor;
      return factor == 1 ? locate(run, at, inSource) : e.mul(at, getStride(run, inSource));
    };
    sourceBase = e.add(sourceBase, place(true));
    resultBase = e.add(resultBase, place(false));
    if (i == t.tailRun)
      tailAt = at;
  }
  int64_t rows = t.row.getSize(), columns = t.column.getSize();
  int64_t length = t.cutsColumns() ? columns : rows;
  Index begin = chunks == 1 ? Index(0) : e.mul(piece, chunk);
  Index end = chunks == 1 ? Index(length) : e.min(e.add(begin, chunk), length);
  if (t.tailRun < 0)
    return emitRows(rows, columns, begin, end);
  int64_t last = t.outer[t.tailRun].getSize() - 1;
  e.branch(
      e.compare(arith::CmpIPredicate::eq, tailAt, last),
      [&] {
        emitRows(t.isPack ? t.tailCount : rows, t.isPack ? columns : t.tailCount, begin, end);
      },
      [&] { emitRows(rows, columns, begin, end); });
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

namespace {
class TransformFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.transform"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (!device.isCPU())
      return list.reject("runs on CPUs only");
    if (std::string why = explainLanes(device); !why.empty())
      return list.reject(why);
    std::optional<Transposition> transposition = describe(unit.getBody());
    if (!transposition)
      return list.reject("the unit is not a transposition of f32");
    // Short rows or columns waste most of a square.
    if (transposition->row.getSize() < 4 || transposition->column.getSize() < 4)
      return list.reject("a dimension has fewer than 4 elements");
    Candidate candidate;
    candidate.parameters = DictionaryAttr::get(unit.getContext());
    candidate.inputLayouts.resize(unit.getInputs().size());
    candidate.resultLayouts.resize(unit.getNumResults());
    for (Type type : unit->getOperandTypes())
      candidate.bytes += 4 * cast<ShapedType>(type).getNumElements();
    list.candidates.push_back(candidate);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    Operation *op = getOnly(unit.getBody());
    auto argument = cast<BlockArgument>(op->getOperand(0));
    return llvm::to_vector(
        builder.dispatch(parameters, unit.getInputs()[argument.getArgNumber()], unit.getInits()));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    LaunchShape shape;
    std::optional<Transposition> transposition = describe(kernel.getBody());
    shape.grid[0] = transposition ? transposition->countTasks(getLanes(device)) : 0;
    return shape;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    std::optional<Transposition> transposition = describe(kernel.getBody());
    if (!transposition)
      return kernel.emitError("expects a transposition");
    Emitter emitter(kernel, module, getLanes(device));
    TransposeEmitter(emitter, *transposition).emit();
    emitter.finish();
    return success();
  }
};
} // namespace

std::unique_ptr<KernelFamily> cpu::createTransformFamily() {
  return std::make_unique<TransformFamily>();
}
