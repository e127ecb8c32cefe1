//===- Tiling.cpp - tiling of primitives ------------------------------------===//
//
// TilingInterface of the primitives: a tile is the same primitive on slices of its operands.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Dialect/Tiling.h"

#include "Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace udnn::dnn;

/// The operand that receives a result.
static unsigned getInitNumber(Operation *op, unsigned result) {
  return op->getNumOperands() - op->getNumResults() + result;
}

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type ? value
                                 : tensor::CastOp::create(builder, loc, type, value).getResult();
}

/// Pads `source` with the domain's value to the sizes that the tile reads.
static Value padSlice(OpBuilder &builder, Location loc, Value source, TypedAttr padding,
                      ArrayRef<SlicedDim> dims) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(source.getType()).getShape());
  SmallVector<OpFoldResult> low, high;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    bool isPadded = !dim.low.isNull();
    low.push_back(isPadded ? dim.low : builder.getIndexAttr(0));
    high.push_back(isPadded ? dim.high : builder.getIndexAttr(0));
    if (isPadded)
      shape[i] = dim.extent;
  }
  Value value = arith::ConstantOp::create(builder, loc, padding);
  auto type = RankedTensorType::get(shape, padding.getType());
  return tensor::PadOp::create(builder, loc, type, source, low, high, value);
}

/// Cuts what the tile reads of an operand out of it; the operand itself when that is all of it.
static Value cutOperand(OpBuilder &builder, Location loc, Value operand, ArrayRef<SlicedDim> dims,
                        TypedAttr padding, TilingResult &result) {
  if (llvm::none_of(dims, [](const SlicedDim &dim) { return dim.isCut; }))
    return operand;
  SmallVector<OpFoldResult> offsets, sizes, strides(dims.size(), builder.getIndexAttr(1));
  for (const SlicedDim &dim : dims) {
    offsets.push_back(dim.offset);
    sizes.push_back(dim.size);
  }
  auto slice = tensor::ExtractSliceOp::create(builder, loc, operand, offsets, sizes, strides);
  result.generatedSlices.push_back(slice);
  if (llvm::none_of(dims, [](const SlicedDim &dim) { return !dim.low.isNull(); }))
    return slice;
  return padSlice(builder, loc, slice, padding, dims);
}

/// Sets the pads that the tile's spatial dimensions have left.
static void updatePads(Operation *tiled, const TilingDomain &domain, ArrayRef<SlicedDim> input) {
  if (domain.windowDims.empty())
    return;
  auto attribute = tiled->getAttrOfType<DenseI64ArrayAttr>("pads");
  SmallVector<int64_t> pads(attribute.asArrayRef());
  unsigned rank = domain.windowDims.size();
  for (auto [i, dim] : llvm::enumerate(domain.windowDims)) {
    if (!input[dim].isCut)
      continue;
    pads[i] = input[dim].padBefore;
    pads[rank + i] = input[dim].padAfter;
  }
  tiled->setAttr("pads", DenseI64ArrayAttr::get(tiled->getContext(), pads));
}

/// The part of an init that a case writes, as a cast of the part that the tile writes.
static Value castInit(OpBuilder &builder, Location loc, Value init, ArrayRef<SlicedDim> dims) {
  SmallVector<int64_t> shape;
  for (const SlicedDim &dim : dims)
    shape.push_back(*getConstantIntValue(dim.size));
  return castTo(builder, loc, init, cast<RankedTensorType>(init.getType()).clone(shape));
}

/// The primitive on slices of its operands; `inits` holds those of its inits when they are cut
/// already. Expects one case without obstacle.
static TilingResult makeCase(Operation *op, OpBuilder &builder, const TilingDomain &domain,
                             const Tile &tile, ValueRange inits) {
  TilingResult result;
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  SmallVector<SlicedDim> input;
  unsigned firstInit = getInitNumber(op, 0);
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    SmallVector<SlicedDim> dims;
    for (unsigned d = 0, e = domain.operands[i].size(); d < e; ++d)
      dims.push_back(tile.slice(builder, i, d));
    operands.push_back(i >= firstInit && !inits.empty()
                           ? castInit(builder, loc, inits[i - firstInit], dims)
                           : cutOperand(builder, loc, operand, dims, domain.padding, result));
    if (i == 0)
      input = std::move(dims);
  }
  TypeRange types = ValueRange(operands).take_back(op->getNumResults()).getTypes();
  Operation *tiled = mlir::cloneWithoutRegions(builder, op, types, operands);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(op->getRegions(), tiled->getRegions()))
    from.cloneInto(&to, mapping);
  updatePads(tiled, domain, input);
  if (auto conv = dyn_cast<ConvOp>(tiled); conv && domain.groups)
    conv.setGroups(tile.getGroups());
  result.tiledOps.push_back(tiled);
  llvm::append_range(result.tiledValues, tiled->getResults());
  return result;
}

/// Which part of a result a tile computes.
static void getResultTile(Operation *op, Builder &builder, const TilingDomain &domain,
                          unsigned number, ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
                          SmallVector<OpFoldResult> &resultSizes) {
  for (const DimSlice &dim : domain.operands[getInitNumber(op, number)]) {
    bool isLoop = !dim.terms.empty();
    resultOffsets.push_back(isLoop ? offsets[dim.terms[0].first] : builder.getIndexAttr(0));
    resultSizes.push_back(isLoop ? sizes[dim.terms[0].first] : builder.getIndexAttr(1));
  }
}

/// The tile as a branch per case, or as one operation. Expects a tile without obstacle.
static TilingResult makeTile(Operation *op, OpBuilder &builder, const TilingDomain &domain,
                             const Tile &tile, ValueRange inits) {
  Location loc = op->getLoc();
  std::optional<Tile::Cases> cases = tile.getCases();
  if (!cases)
    return makeCase(op, builder, domain, tile, inits);
  Value constant = arith::ConstantIndexOp::create(builder, loc, cases->constant);
  Value isEqual =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, cases->value, constant);
  auto branch = scf::IfOp::create(builder, loc, inits.getTypes(), isEqual, /*withElseRegion=*/true);
  TilingResult result;
  for (auto [block, part] : {std::pair(branch.thenBlock(), &cases->equal),
                             std::pair(branch.elseBlock(), &cases->other)}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    TilingResult one = makeTile(op, builder, domain, *part, inits);
    SmallVector<Value> yielded;
    for (auto [value, init] : llvm::zip(one.tiledValues, inits))
      yielded.push_back(castTo(builder, loc, value, init.getType()));
    scf::YieldOp::create(builder, loc, yielded);
    llvm::append_range(result.tiledOps, one.tiledOps);
    llvm::append_range(result.generatedSlices, one.generatedSlices);
  }
  llvm::append_range(result.tiledValues, branch.getResults());
  return result;
}

/// The tile of the domain at these offsets. Expects one without obstacle.
static TilingResult makeTileAt(Operation *op, OpBuilder &builder, const TilingDomain &domain,
                               const Tile &tile, ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  bool isStatic = llvm::all_of(sizes, [](OpFoldResult size) { return getConstantIntValue(size); });
  if (isStatic && !tile.getCases())
    return makeCase(op, builder, domain, tile, /*inits=*/{});
  // All cases write the same part of an init. It is cut out once, as it is put back, so that
  // bufferization can work in place.
  SmallVector<Operation *> slices;
  SmallVector<Value> inits;
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i) {
    SmallVector<OpFoldResult> resultOffsets, resultSizes;
    getResultTile(op, builder, domain, i, offsets, sizes, resultOffsets, resultSizes);
    SmallVector<OpFoldResult> strides(resultSizes.size(), builder.getIndexAttr(1));
    Value init = op->getOperand(getInitNumber(op, i));
    slices.push_back(tensor::ExtractSliceOp::create(builder, op->getLoc(), init, resultOffsets,
                                                    resultSizes, strides));
    inits.push_back(slices.back()->getResult(0));
  }
  TilingResult result = makeTile(op, builder, domain, tile, inits);
  for (auto [value, init] : llvm::zip(result.tiledValues, inits))
    value = castTo(builder, op->getLoc(), value, init.getType());
  result.generatedSlices.append(slices);
  return result;
}

namespace {
template <typename Op>
struct PrimitiveTiling : TilingInterface::ExternalModel<PrimitiveTiling<Op>, Op> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return llvm::map_to_vector(getTilingDomain(op).loops,
                               [](const TilingLoop &loop) { return loop.iterator; });
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    return llvm::map_to_vector(getTilingDomain(op).loops, [&](const TilingLoop &loop) {
      return Range{b.getIndexAttr(0), b.getIndexAttr(loop.size), b.getIndexAttr(1)};
    });
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op, OpBuilder &b,
                                                 ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    TilingDomain domain = getTilingDomain(op);
    Tile tile(op, domain, offsets, sizes);
    if (std::string obstacle = tile.findObstacle(); !obstacle.empty())
      return op->emitOpError(obstacle);
    return makeTileAt(op, b, domain, tile, offsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &b, unsigned resultNumber,
                                      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                      SmallVector<OpFoldResult> &resultOffsets,
                                      SmallVector<OpFoldResult> &resultSizes) const {
    TilingDomain domain = getTilingDomain(op);
    getResultTile(op, b, domain, resultNumber, offsets, sizes, resultOffsets, resultSizes);
    return success();
  }

  LogicalResult
  getIterationDomainTileFromResultTile(Operation *op, OpBuilder &b, unsigned resultNumber,
                                       ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                       SmallVectorImpl<OpFoldResult> &iterOffsets,
                                       SmallVectorImpl<OpFoldResult> &iterSizes) const {
    TilingDomain domain = getTilingDomain(op);
    for (const TilingLoop &loop : domain.loops) {
      iterOffsets.push_back(b.getIndexAttr(0));
      iterSizes.push_back(b.getIndexAttr(loop.size));
    }
    for (auto [i, dim] : llvm::enumerate(domain.operands[getInitNumber(op, resultNumber)]))
      if (!dim.terms.empty()) {
        iterOffsets[dim.terms[0].first] = offsets[i];
        iterSizes[dim.terms[0].first] = sizes[i];
      }
    return success();
  }

  FailureOr<TilingResult> generateResultTileValue(Operation *op, OpBuilder &b,
                                                  unsigned resultNumber,
                                                  ArrayRef<OpFoldResult> offsets,
                                                  ArrayRef<OpFoldResult> sizes) const {
    SmallVector<OpFoldResult> iterOffsets, iterSizes;
    (void)getIterationDomainTileFromResultTile(op, b, resultNumber, offsets, sizes, iterOffsets,
                                               iterSizes);
    // Whoever tries to fuse goes on without; so an obstacle is no error here.
    TilingDomain domain = getTilingDomain(op);
    Tile tile(op, domain, iterOffsets, iterSizes);
    if (!tile.findObstacle().empty())
      return failure();
    TilingResult result = makeTileAt(op, b, domain, tile, iterOffsets, iterSizes);
    result.tiledValues = {result.tiledValues[resultNumber]};
    return result;
  }
};
} // namespace

template <typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<PrimitiveTiling<Ops>>(*context), ...);
}

void udnn::dnn::registerTilingInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DnnDialect *) {
    attach<ConvOp, ConvTransposeOp, MatmulOp, MaxPoolOp, AvgPoolOp, SoftmaxOp, LogSoftmaxOp,
           BatchNormOp, InstanceNormOp, LayerNormOp, LRNOp, ResizeOp>(context);
    context->loadDialect<affine::AffineDialect, arith::ArithDialect, scf::SCFDialect,
                         tensor::TensorDialect>();
  });
}
