//===- MatmulEmitter.cpp - kernels of matrix products --------------------===//
//
// Register tiles of rows by vectors of columns, and the packing of a right side that varies.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MatmulPlan.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

namespace {

class MatmulEmitter {
public:
  MatmulEmitter(dnn::KernelOp kernel, ModuleOp module, int64_t lanes)
      : e(kernel, module, lanes), op(cast<dnn::MatmulOp>(kernel.getPrimitive())),
        p(MatmulProblem::get(op)), plan(MatmulPlan::get(kernel.getParameters())),
        grid(p, plan, lanes), lanes(lanes), output(e.getBuffer(e.getNumBuffers() - 1)),
        epilogue(e, cast<dnn::EpilogueOpInterface>(op.getOperation()),
                 plan.step == MatmulPlan::kProduct ? getExtraBuffers(e, 2) : SmallVector<Buffer>(),
                 cast<RankedTensorType>(op.getResult().getType()).getRank() - 1) {}

  void emit();

private:
  void emitProduct();
  void emitPack();
  void emitTiles(Index lo, Index hi, int64_t numVectors, bool ragged);
  void emitTile(Index row, int64_t height, int64_t numVectors, bool ragged);
  bool isFlat() const;
  SmallVector<Index> getRowCoordinates(Index row);
  Index getLeftPlace(ArrayRef<Index> coordinates);
  Index getRightPlace();

  Emitter e;
  dnn::MatmulOp op;
  MatmulProblem p;
  MatmulPlan plan;
  MatmulGrid grid;
  int64_t lanes;
  Buffer output;
  Epilogue epilogue;

  // Of the task.
  Index batch = 0, group = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Places of rows and matrices
//===----------------------------------------------------------------------===//

/// True when the rows of all matrices of the batch follow each other in every buffer.
bool MatmulEmitter::isFlat() const {
  auto isFlatBuffer = [](const Buffer &buffer) {
    for (size_t i = 0; i + 2 < buffer.shape.size(); ++i)
      if (buffer.shape[i] > 1 && buffer.strides[i] != buffer.strides[i + 1] * buffer.shape[i + 1])
        return false;
    return true;
  };
  if (!isFlatBuffer(e.getBuffer(0)) || !isFlatBuffer(output))
    return false;
  for (size_t i = 0; i + 2 < output.shape.size(); ++i)
    if (!epilogue.isFlat(i, i + 1, output.shape[i + 1]))
      return false;
  return true;
}

/// Coordinates of the result's row `row` of the task's batch, without the column.
SmallVector<Index> MatmulEmitter::getRowCoordinates(Index row) {
  ArrayRef<int64_t> shape = output.shape;
  if (!p.flattened) {
    SmallVector<Index> coordinates = e.delinearize(batch, shape.drop_back(2));
    coordinates.push_back(row);
    return coordinates;
  }
  if (!isFlat())
    return e.delinearize(row, shape.drop_back(1));
  SmallVector<Index> coordinates(shape.size() - 1, 0);
  coordinates.back() = row;
  return coordinates;
}

/// Where a row of the left side begins.
Index MatmulEmitter::getLeftPlace(ArrayRef<Index> coordinates) {
  const Buffer &lhs = e.getBuffer(0);
  int64_t rank = lhs.shape.size(), rowDim = rank - (op.getTransposeLhs() ? 1 : 2);
  Index at = e.mul(coordinates.back(), lhs.strides[rowDim]);
  for (int64_t i = 0; i + 2 < rank; ++i)
    at = e.mad(coordinates[i], lhs.strides[i], at);
  return at;
}

/// Where the task's columns of the right side begin, packed or not.
Index MatmulEmitter::getRightPlace() {
  const Buffer &rhs = e.getBuffer(1);
  int64_t rank = rhs.shape.size();
  if (plan.packed) {
    Index at = e.mul(group, rhs.strides[rank - 3]);
    return rank == 4 ? e.mad(batch, rhs.strides[0], at) : at;
  }
  Index at = e.mul(e.mul(group, plan.vectors * lanes), rhs.strides[rank - 1]);
  if (rank > 2) {
    SmallVector<Index> coordinates = e.delinearize(batch, ArrayRef(rhs.shape).drop_back(2));
    for (auto [coordinate, stride] : llvm::zip(coordinates, rhs.strides))
      at = e.mad(coordinate, stride, at);
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void MatmulEmitter::emitTile(Index row, int64_t height, int64_t numVectors, bool ragged) {
  const Buffer &lhs = e.getBuffer(0), &rhs = e.getBuffer(1);
  int64_t rank = lhs.strides.size();
  int64_t leftStep = lhs.strides[rank - (op.getTransposeLhs() ? 2 : 1)];
  int64_t rightStep = rhs.strides[rhs.strides.size() - 2];
  Value last = ragged && p.n % lanes ? e.mask(p.n % lanes) : Value();
  bool flat = isFlat();
  SmallVector<SmallVector<Index>> coordinates;
  SmallVector<Index> leftAt;
  for (int64_t t = 0; t < height; ++t) {
    coordinates.push_back(getRowCoordinates(e.add(row, t)));
    leftAt.push_back(getLeftPlace(coordinates.back()));
  }
  Index rightAt = getRightPlace();
  int64_t rowStep = lhs.strides[rank - (op.getTransposeLhs() ? 1 : 2)];
  SmallVector<int64_t> columns = llvm::to_vector(llvm::seq<int64_t>(0, height));
  Vectors sums(height * numVectors, e.splat(0));
  sums = e.loop(0, p.k, 1, sums, [&](Index k, Vectors carried) {
    Index x = e.mul(k, leftStep), f = e.mad(k, rightStep, rightAt);
    Index first = e.add(leftAt[0], x);
    multiplyTile(
        e, columns, numVectors, carried,
        [&](int64_t t) {
          return e.broadcast(lhs, flat ? e.add(first, t * rowStep) : e.add(leftAt[t], x));
        },
        [&](int64_t j) {
          Index at = e.add(f, j * lanes);
          return last && !plan.packed && j == numVectors - 1 ? e.load(rhs, at, last)
                                                             : e.load(rhs, at);
        });
    return carried;
  });
  epilogue.beginBlock();
  Index column = e.mul(group, plan.vectors * lanes);
  for (int64_t t = 0; t < height; ++t)
    for (int64_t j = 0; j < numVectors; ++j) {
      SmallVector<Index> place = coordinates[t];
      place.push_back(e.add(column, j * lanes));
      Value value = epilogue.apply(sums[t * numVectors + j], place);
      Index at = 0;
      for (auto [coordinate, stride] : llvm::zip(place, output.strides))
        at = e.mad(coordinate, stride, at);
      if (last && j == numVectors - 1)
        e.store(value, output, at, last);
      else
        e.store(value, output, at);
    }
}

/// Register tiles `lo`..`hi` of the rows.
void MatmulEmitter::emitTiles(Index lo, Index hi, int64_t numVectors, bool ragged) {
  EvenSplit split = splitEvenly(p.m, plan.rows);
  bool mixed = split.wide && split.narrow;
  int64_t first = 0, row = 0;
  for (auto [count, height] :
       {std::pair(split.wide, split.width + 1), std::pair(split.narrow, split.width)}) {
    if (count) {
      Index from = mixed ? e.max(lo, first) : lo, to = mixed ? e.min(hi, first + count) : hi;
      e.loop(from, to, 1, [&, height = height](Index i) {
        emitTile(e.mad(e.sub(i, first), height, row), height, numVectors, ragged);
      });
    }
    first += count;
    row += count * height;
  }
}

void MatmulEmitter::emitProduct() {
  Index piece = e.rem(e.getTask(), grid.pieces), rest = e.div(e.getTask(), grid.pieces);
  group = grid.groups == 1 ? Index(0) : e.rem(rest, grid.groups);
  batch = p.batch == 1 ? Index(0) : e.div(rest, grid.groups);
  Index lo = e.mul(piece, plan.tiles), hi = e.add(lo, plan.tiles);
  if (grid.pieces == 1) {
    lo = 0;
    hi = grid.tiles;
  } else if (grid.tiles % plan.tiles) {
    hi = e.min(hi, grid.tiles);
  }
  int64_t lastVectors = grid.vectors - (grid.groups - 1) * plan.vectors;
  bool ragged = p.n % lanes != 0;
  if (grid.groups == 1 || (!ragged && lastVectors == plan.vectors))
    return emitTiles(lo, hi, lastVectors, ragged);
  e.branch(
      e.compare(arith::CmpIPredicate::ult, group, grid.groups - 1),
      [&] { emitTiles(lo, hi, plan.vectors, false); },
      [&] { emitTiles(lo, hi, lastVectors, ragged); });
}

//===----------------------------------------------------------------------===//
// Packing of a right side that is not constant
//===----------------------------------------------------------------------===//

/// One group of columns: loads vectors along n, or puts them together from [n, k].
void MatmulEmitter::emitPack() {
  const Buffer &rhs = e.getBuffer(0);
  int64_t rank = rhs.strides.size();
  bool transposed = op.getTransposeRhs();
  int64_t nStep = rhs.strides[rank - (transposed ? 2 : 1)];
  int64_t kStep = rhs.strides[rank - (transposed ? 1 : 2)];
  group = grid.groups == 1 ? Index(0) : e.rem(e.getTask(), grid.groups);
  batch = e.div(e.getTask(), grid.groups);
  Index from = 0;
  if (rank > 2) {
    SmallVector<Index> coordinates = e.delinearize(batch, ArrayRef(rhs.shape).drop_back(2));
    for (auto [coordinate, stride] : llvm::zip(coordinates, rhs.strides))
      from = e.mad(coordinate, stride, from);
  }
  Index to = e.mul(e.getTask(), p.k * plan.vectors * lanes);
  // Elements beyond the last column are never used: any of the right side will do.
  SmallVector<SmallVector<Index>> places(plan.vectors);
  for (int64_t j = 0; j < plan.vectors; ++j)
    for (int64_t lane = 0; lane < (nStep == 1 ? 1 : lanes); ++lane) {
      Index column = e.add(e.mul(e.add(e.mul(group, plan.vectors), j), lanes), lane);
      places[j].push_back(e.mad(nStep == 1 ? column : e.min(column, p.n - 1), nStep, from));
    }
  e.loop(0, p.k, 1, [&](Index k) {
    Index offset = e.mul(k, kStep);
    for (int64_t j = 0; j < plan.vectors; ++j) {
      Index at = e.add(e.mad(k, plan.vectors * lanes, to), j * lanes);
      if (nStep == 1) {
        Index column = e.mul(e.add(e.mul(group, plan.vectors), j), lanes);
        Value mask = e.mask(e.max(e.sub(p.n, column), 0));
        e.store(e.load(rhs, e.add(places[j][0], offset), mask), output, at);
        continue;
      }
      Vectors elements;
      for (Index place : places[j])
        elements.push_back(e.loadScalar(rhs, e.add(place, offset)));
      e.store(
          vector::FromElementsOp::create(e.getBuilder(), e.getLoc(), e.getVectorType(), elements),
          output, at);
    }
  });
}

void MatmulEmitter::emit() {
  if (plan.step == MatmulPlan::kPack)
    emitPack();
  else
    emitProduct();
  e.finish();
}

void cpu::emitMatmul(dnn::KernelOp kernel, ModuleOp module, int64_t lanes) {
  MatmulEmitter(kernel, module, lanes).emit();
}
