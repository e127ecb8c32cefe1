//===- GemmProblem.cpp - primitives as matrix products ----------------------===//
//
// Convolutions: m are filters, n are pixels of all images, k are channels and window positions,
// the batch are groups. Matrix products: as they are.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GemmProblem.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cuda;

using dnn::DimsAttr;

GemmProblem::~GemmProblem() = default;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

static int64_t getStride(const Buffer &buffer, int64_t position) {
  return position < 0 ? 0 : buffer.strides[position];
}

static Value conjunction(KernelBuilder &e, Value a, Value b) {
  return a && b ? e.logicalAnd(a, b) : a ? a : b;
}

/// The element at `at`, or zero where `inside` (null: always) is false.
static Value loadOrZero(KernelBuilder &e, const Buffer &buffer, Index at, Value inside) {
  OpBuilder &builder = e.getBuilder();
  Location loc = e.getLoc();
  if (!inside)
    return memref::LoadOp::create(builder, loc, buffer.memref, e.toValue(at));
  // The first element stands in for those outside, so that there is no branch.
  Value place = arith::SelectOp::create(builder, loc, inside, e.toValue(at), e.toValue(0));
  Value element = memref::LoadOp::create(builder, loc, buffer.memref, place);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element.getType()));
  return arith::SelectOp::create(builder, loc, inside, element, zero);
}

Value GemmProblem::loadA(KernelBuilder &e, const GemmPlace &row, const GemmPlace &k) const {
  return loadOrZero(e, a, e.add(row.offset, k.offset), conjunction(e, row.inside, k.inside));
}

Value GemmProblem::loadB(KernelBuilder &e, const GemmPlace &row, const GemmPlace &k) const {
  return loadOrZero(e, b, e.add(row.offset, k.offset), conjunction(e, row.inside, k.inside));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
class ConvProblem : public GemmProblem {
public:
  explicit ConvProblem(dnn::ConvOp op);

  GemmPlace getRowOfA(KernelBuilder &e, Index z, Index row) const override;
  GemmPlace getRowOfB(KernelBuilder &e, Index z, Index row) const override;
  GemmPlace getKOfA(KernelBuilder &e, Index position) const override;
  GemmPlace getKOfB(KernelBuilder &e, Index position) const override;
  Value loadB(KernelBuilder &e, const GemmPlace &row, const GemmPlace &k) const override;
  SmallVector<Index> getCoordinates(KernelBuilder &e, Index z, Index row,
                                    Index column) const override;

private:
  int64_t getSpatialRank() const { return window.size(); }
  /// True when no position of any window lies in the padding along dimension `i`.
  bool isAlwaysInside(int64_t i) const {
    return op.getPads()[i] == 0 &&
           (outSizes[i] - 1) * op.getStrides()[i] + (window[i] - 1) * op.getDilations()[i] <
               inSizes[i];
  }

  // A handle whose accessors are not const.
  mutable dnn::ConvOp op;
  /// Of the input, of the result, of the filter.
  SmallVector<int64_t> inSizes, outSizes, window;
  int64_t images, groupChannels;
  DimsAttr inDims, filterDims, outDims;
};
} // namespace

ConvProblem::ConvProblem(dnn::ConvOp op)
    : op(op), inDims(op.getInputDims()), filterDims(op.getFilterDims()),
      outDims(op.getOutputDims()) {
  images = inDims.getLogicalSize(DimsAttr::kBatch, getShape(op.getInput()));
  groupChannels = filterDims.getLogicalSize(DimsAttr::kChannel, getShape(op.getFilter()));
  batch = op.getGroups();
  m = filterDims.getLogicalSize(DimsAttr::kFilter, getShape(op.getFilter())) / batch;
  n = images;
  k = groupChannels;
  for (int64_t i = 0, e = inDims.getSpatialRank(); i < e; ++i) {
    inSizes.push_back(inDims.getLogicalSize(i, getShape(op.getInput())));
    outSizes.push_back(outDims.getLogicalSize(i, getShape(op.getResult())));
    window.push_back(filterDims.getLogicalSize(i, getShape(op.getFilter())));
    n *= outSizes.back();
    k *= window.back();
  }
  aAlongK = filterDims.find(DimsAttr::kFilter) == 0;
}

GemmPlace ConvProblem::getRowOfA(KernelBuilder &e, Index z, Index row) const {
  GemmPlace place;
  Index filter = e.mad(z, m, row);
  place.offset = e.mul(filter, getStride(a, filterDims.find(DimsAttr::kFilter)));
  place.inside = e.inside(row, m);
  return place;
}

GemmPlace ConvProblem::getKOfA(KernelBuilder &e, Index position) const {
  GemmPlace place;
  place.inside = e.inside(position, k);
  SmallVector<int64_t> sizes = {groupChannels}, strides;
  llvm::append_range(sizes, window);
  strides.push_back(getStride(a, filterDims.find(DimsAttr::kChannel)));
  for (int64_t i = 0; i < getSpatialRank(); ++i)
    strides.push_back(getStride(a, filterDims.find(i)));
  for (auto [coordinate, stride] : llvm::zip(e.delinearize(position, sizes), strides))
    place.offset = e.mad(coordinate, stride, place.offset);
  return place;
}

GemmPlace ConvProblem::getRowOfB(KernelBuilder &e, Index z, Index row) const {
  GemmPlace place;
  place.inside = e.inside(row, n);
  SmallVector<int64_t> sizes = {images};
  llvm::append_range(sizes, outSizes);
  SmallVector<Index> pixel = e.delinearize(row, sizes);
  place.offset = e.mul(pixel[0], getStride(b, inDims.find(DimsAttr::kBatch)));
  place.offset =
      e.mad(z, groupChannels * getStride(b, inDims.find(DimsAttr::kChannel)), place.offset);
  for (int64_t i = 0; i < getSpatialRank(); ++i)
    place.spatial.push_back(e.sub(e.mul(pixel[i + 1], op.getStrides()[i]), op.getPads()[i]));
  return place;
}

GemmPlace ConvProblem::getKOfB(KernelBuilder &e, Index position) const {
  GemmPlace place;
  place.inside = e.inside(position, k);
  SmallVector<int64_t> sizes = {groupChannels};
  llvm::append_range(sizes, window);
  SmallVector<Index> coordinates = e.delinearize(position, sizes);
  place.offset = e.mul(coordinates[0], getStride(b, inDims.find(DimsAttr::kChannel)));
  for (int64_t i = 0; i < getSpatialRank(); ++i)
    place.spatial.push_back(e.mul(coordinates[i + 1], op.getDilations()[i]));
  return place;
}

Value ConvProblem::loadB(KernelBuilder &e, const GemmPlace &row, const GemmPlace &k) const {
  Index at = e.add(row.offset, k.offset);
  Value inside = conjunction(e, row.inside, k.inside);
  for (int64_t i = 0; i < getSpatialRank(); ++i) {
    Index position = e.add(row.spatial[i], k.spatial[i]);
    if (!isAlwaysInside(i))
      inside = conjunction(e, inside, e.inside(position, inSizes[i]));
    at = e.mad(position, getStride(b, inDims.find(i)), at);
  }
  return loadOrZero(e, b, at, inside);
}

SmallVector<Index> ConvProblem::getCoordinates(KernelBuilder &e, Index z, Index row,
                                               Index column) const {
  SmallVector<int64_t> sizes = {images};
  llvm::append_range(sizes, outSizes);
  SmallVector<Index> pixel = e.delinearize(column, sizes);
  SmallVector<Index> coordinates;
  for (int64_t role : outDims.getRoles())
    coordinates.push_back(role == DimsAttr::kBatch     ? pixel[0]
                          : role == DimsAttr::kChannel ? e.mad(z, m, row)
                                                       : pixel[role + 1]);
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

namespace {
class MatmulProblem : public GemmProblem {
public:
  explicit MatmulProblem(dnn::MatmulOp op);

  GemmPlace getRowOfA(KernelBuilder &e, Index z, Index row) const override;
  GemmPlace getRowOfB(KernelBuilder &e, Index z, Index row) const override;
  GemmPlace getKOfA(KernelBuilder &e, Index position) const override {
    return {e.mul(position, a.strides[getLhsDim(op.getTransposeLhs() ? 2 : 1)]),
            e.inside(position, k),
            {}};
  }
  GemmPlace getKOfB(KernelBuilder &e, Index position) const override {
    return {e.mul(position, b.strides[getRhsDim(op.getTransposeRhs() ? 1 : 2)]),
            e.inside(position, k),
            {}};
  }
  SmallVector<Index> getCoordinates(KernelBuilder &e, Index z, Index row,
                                    Index column) const override;

private:
  int64_t getLhsDim(int64_t fromEnd) const { return getShape(op.getLhs()).size() - fromEnd; }
  int64_t getRhsDim(int64_t fromEnd) const { return getShape(op.getRhs()).size() - fromEnd; }
  /// The result's coordinates of matrix `z` and row `row` in it.
  SmallVector<Index> getRow(KernelBuilder &e, Index z, Index row) const;
  Index addBatch(KernelBuilder &e, ArrayRef<Index> coordinates, const Buffer &buffer,
                 Index offset) const;

  mutable dnn::MatmulOp op;
  /// Dimensions before the matrix, and those that z and the row are split into.
  int64_t batchRank;
  SmallVector<int64_t> batchShape, rowShape;
};
} // namespace

MatmulProblem::MatmulProblem(dnn::MatmulOp op) : op(op) {
  ArrayRef<int64_t> result = getShape(op.getResult());
  n = result.back();
  k = getShape(op.getLhs())[getLhsDim(op.getTransposeLhs() ? 2 : 1)];
  batchRank = result.size() - 2;
  // With one right side for all, the rows of all left sides are those of one product.
  bool isFlat = getShape(op.getRhs()).size() == 2 && !op.getTransposeLhs() &&
                getShape(op.getLhs()).size() == result.size();
  batchShape = llvm::to_vector(result.take_front(isFlat ? 0 : batchRank));
  rowShape = llvm::to_vector(result.slice(batchShape.size()).drop_back());
  batch = llvm::product_of(batchShape);
  m = llvm::product_of(rowShape);
  aAlongK = !op.getTransposeLhs();
  bAlongK = op.getTransposeRhs();
}

SmallVector<Index> MatmulProblem::getRow(KernelBuilder &e, Index z, Index row) const {
  SmallVector<Index> coordinates = e.delinearize(z, batchShape);
  llvm::append_range(coordinates, e.delinearize(row, rowShape));
  return coordinates;
}

/// Adds what the batch's coordinates contribute; an operand of rank 2 has one matrix for all.
Index MatmulProblem::addBatch(KernelBuilder &e, ArrayRef<Index> coordinates, const Buffer &buffer,
                              Index offset) const {
  if (int64_t(buffer.strides.size()) == batchRank + 2)
    for (int64_t i = 0; i < batchRank; ++i)
      offset = e.mad(coordinates[i], buffer.strides[i], offset);
  return offset;
}

GemmPlace MatmulProblem::getRowOfA(KernelBuilder &e, Index z, Index row) const {
  SmallVector<Index> coordinates = getRow(e, z, row);
  Index offset = e.mul(coordinates.back(), a.strides[getLhsDim(op.getTransposeLhs() ? 1 : 2)]);
  return {addBatch(e, coordinates, a, offset), e.inside(row, m), {}};
}

GemmPlace MatmulProblem::getRowOfB(KernelBuilder &e, Index z, Index row) const {
  Index offset = e.mul(row, b.strides[getRhsDim(op.getTransposeRhs() ? 2 : 1)]);
  return {addBatch(e, getRow(e, z, 0), b, offset), e.inside(row, n), {}};
}

SmallVector<Index> MatmulProblem::getCoordinates(KernelBuilder &e, Index z, Index row,
                                                 Index column) const {
  SmallVector<Index> coordinates = getRow(e, z, row);
  coordinates.push_back(column);
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Which primitives are covered
//===----------------------------------------------------------------------===//

std::unique_ptr<GemmProblem> GemmProblem::create(Operation *primitive, std::string *reason) {
  if (auto conv = dyn_cast_or_null<dnn::ConvOp>(primitive)) {
    if (conv.getInputDims().isPlain() && conv.getFilterDims().isPlain() &&
        conv.getOutputDims().isPlain())
      return std::make_unique<ConvProblem>(conv);
    *reason = "only layouts without blocks are covered";
    return nullptr;
  }
  if (auto matmul = dyn_cast_or_null<dnn::MatmulOp>(primitive))
    return std::make_unique<MatmulProblem>(matmul);
  *reason = "the unit is no convolution and no matrix product";
  return nullptr;
}
