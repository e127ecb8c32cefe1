//===- TilingDomain.cpp - the loops of a primitive --------------------------===//
//
// The iteration domain of every primitive, and the slices of its operands.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TilingDomain.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace udnn::dnn;

using Slices = SmallVector<DimSlice>;

static constexpr StringRef needsAccumulate = "a summed dimension needs 'accumulate'";

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Adds `factor * expr` to the terms; false when `expr` is not linear with positive factors.
bool TilingDomain::addTerms(AffineExpr expr, int64_t factor, DimSlice &slice) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    slice.terms.push_back({dim.getPosition(), factor});
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (binary.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, slice) && addTerms(binary.getRHS(), factor, slice);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant || constant.getValue() <= 0)
    return false;
  if (binary.getKind() == AffineExprKind::Mul)
    return addTerms(binary.getLHS(), factor * constant.getValue(), slice);
  // The block that a position inside a block is in.
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  return binary.getKind() == AffineExprKind::FloorDiv && dim &&
         loops[dim.getPosition()].size <= constant.getValue();
}

int64_t TilingDomain::getExtent(const DimSlice &slice) const {
  int64_t extent = 1;
  for (auto [loop, factor] : slice.terms)
    extent += (loops[loop].size - 1) * factor;
  return extent;
}

DimSlice TilingDomain::getSlice(AffineExpr expr) {
  DimSlice slice;
  if (addTerms(expr, 1, slice))
    return slice;
  for (unsigned i = 0, e = loops.size(); i < e; ++i)
    if (expr.isFunctionOfDim(i))
      refuse(i, "an operand is not read at a linear position of it");
  return {};
}

namespace {
/// Builds the domain of one primitive.
class DomainBuilder {
public:
  explicit DomainBuilder(Operation *op) : op(op) { domain.operands.resize(op->getNumOperands()); }

  TilingDomain take() { return std::move(domain); }

  void add(ConvOp conv);
  void add(ConvTransposeOp conv);
  void add(MatmulOp matmul);
  void add(MaxPoolOp pool);
  void add(AvgPoolOp pool);
  void add(SoftmaxOp softmax) { addSoftmax(softmax); }
  void add(LogSoftmaxOp softmax) { addSoftmax(softmax); }
  void add(BatchNormOp norm);
  void add(InstanceNormOp norm);
  void add(LayerNormOp norm);
  void add(LRNOp norm);
  void add(ResizeOp resize);

private:
  /// The loops of a convolution that are no dimensions of its result.
  struct ConvLoops {
    unsigned channel;
    SmallVector<unsigned> window;
  };
  template <typename Conv>
  ConvLoops addConvLoops(Conv conv);
  void addGroups(ConvOp conv, unsigned channel);
  template <typename Pool>
  void addPool(Pool pool);
  template <typename Softmax>
  void addSoftmax(Softmax softmax);

  AffineExpr getLoop(unsigned i) { return getAffineDimExpr(i, op->getContext()); }
  unsigned addReduction(int64_t size, StringRef refusal);
  /// One loop per dimension of result 0; every init is sliced alike.
  void addResultLoops();
  Slices getIdentity(unsigned rank);
  /// Refuses the loops that split a block or leave a logical size behind.
  void checkBlocks(DimsAttr dims);
  void makeReduction(unsigned loop, StringRef refusal);
  /// The logical coordinate of a role of the result.
  AffineExpr getLogical(DimsAttr dims, int64_t role);
  /// Slices of a tensor whose dimensions are at these logical coordinates; null for the whole.
  Slices getSlices(DimsAttr dims, function_ref<AffineExpr(int64_t)> getExpr);
  /// Windows slide over the spatial dimensions of operand 0 and start in its padding.
  void addWindow(DimsAttr dims, ArrayRef<int64_t> pads);
  void addExtras(EpilogueOpInterface epilogue);

  Operation *op;
  TilingDomain domain;
};
} // namespace

unsigned DomainBuilder::addReduction(int64_t size, StringRef refusal) {
  domain.loops.push_back({size, utils::IteratorType::reduction, refusal.str()});
  return domain.loops.size() - 1;
}

Slices DomainBuilder::getIdentity(unsigned rank) {
  Slices slices;
  for (unsigned i = 0; i < rank; ++i)
    slices.push_back(domain.getSlice(getLoop(i)));
  return slices;
}

void DomainBuilder::addResultLoops() {
  RankedTensorType type = getTensorType(op->getResult(0));
  for (int64_t size : type.getShape())
    domain.loops.push_back({size, utils::IteratorType::parallel, ""});
  auto destination = cast<DestinationStyleOpInterface>(op);
  for (OpOperand &init : destination.getDpsInitsMutable())
    domain.operands[init.getOperandNumber()] = getIdentity(type.getRank());
}

void DomainBuilder::makeReduction(unsigned loop, StringRef refusal) {
  domain.loops[loop].iterator = utils::IteratorType::reduction;
  domain.refuse(loop, refusal);
}

void DomainBuilder::checkBlocks(DimsAttr dims) {
  for (int64_t role : {DimsAttr::kChannel, DimsAttr::kFilter}) {
    int64_t inner = dims.findBlock(role);
    if (inner < 0)
      continue;
    domain.refuse(inner, "a block of channels stays whole");
    if (role == DimsAttr::kChannel ? dims.getChannels() : dims.getFilters())
      domain.refuse(dims.find(role), "the last block of channels is partly filled");
  }
}

AffineExpr DomainBuilder::getLogical(DimsAttr dims, int64_t role) {
  if (dims.find(role) < 0)
    return getAffineConstantExpr(0, op->getContext());
  AffineExpr expr = getLoop(dims.find(role));
  int64_t inner = dims.findBlock(role);
  return inner < 0 ? expr : expr * dims.getBlock(role) + getLoop(inner);
}

Slices DomainBuilder::getSlices(DimsAttr dims, function_ref<AffineExpr(int64_t)> getExpr) {
  Slices slices(dims.getRank());
  for (auto [i, role, block] : llvm::enumerate(dims.getRoles(), dims.getBlocks())) {
    AffineExpr expr = getExpr(role);
    if (!expr || block != 1)
      continue;
    // `outer * block + inner` in blocks of the same size is `outer`.
    slices[i] = domain.getSlice(expr.floorDiv(dims.getBlock(role)));
  }
  return slices;
}

void DomainBuilder::addWindow(DimsAttr dims, ArrayRef<int64_t> pads) {
  for (int64_t i = 0, e = dims.getSpatialRank(); i < e; ++i) {
    domain.windowDims.push_back(dims.find(i));
    domain.operands[0][dims.find(i)].start = -pads[i];
  }
}

void DomainBuilder::addExtras(EpilogueOpInterface epilogue) {
  unsigned first = op->getNumOperands() - 1 - epilogue.getExtrasOperandRange().size();
  for (auto [i, map] : llvm::enumerate(epilogue.getExtraMapValues()))
    for (AffineExpr expr : map.getResults())
      domain.operands[first + i].push_back(domain.getSlice(expr));
}

//===----------------------------------------------------------------------===//
// Convolution, product, pooling
//===----------------------------------------------------------------------===//

template <typename Conv>
DomainBuilder::ConvLoops DomainBuilder::addConvLoops(Conv conv) {
  addResultLoops();
  checkBlocks(conv.getOutputDims());
  DimsAttr inDims = conv.getInputDims(), filterDims = conv.getFilterDims();
  ArrayRef<int64_t> filterShape = getTensorType(conv.getFilter()).getShape();
  StringRef refusal = conv.getAccumulate() ? "" : needsAccumulate;
  ConvLoops loops;
  loops.channel = addReduction(filterDims.getLogicalSize(DimsAttr::kChannel, filterShape), refusal);
  if (inDims.getBlock(DimsAttr::kChannel) != 1 || filterDims.getBlock(DimsAttr::kChannel) != 1)
    domain.refuse(loops.channel, "a block of channels stays whole");
  for (int64_t i = 0, e = inDims.getSpatialRank(); i < e; ++i)
    loops.window.push_back(addReduction(filterDims.getLogicalSize(i, filterShape), refusal));
  return loops;
}

void DomainBuilder::add(ConvOp conv) {
  DimsAttr outDims = conv.getOutputDims(), inDims = conv.getInputDims(),
           filterDims = conv.getFilterDims();
  ConvLoops loops = addConvLoops(conv);
  bool isGrouped = conv.getGroups() != 1;
  domain.operands[0] = getSlices(inDims, [&](int64_t role) -> AffineExpr {
    if (role == DimsAttr::kBatch)
      return getLogical(outDims, role);
    if (role == DimsAttr::kChannel)
      return isGrouped ? AffineExpr() : getLoop(loops.channel);
    if (role < 0)
      return {};
    return getLogical(outDims, role) * conv.getStrides()[role] +
           getLoop(loops.window[role]) * conv.getDilations()[role];
  });
  domain.operands[1] = getSlices(filterDims, [&](int64_t role) -> AffineExpr {
    if (role == DimsAttr::kFilter)
      return getLogical(outDims, DimsAttr::kChannel);
    if (role == DimsAttr::kChannel)
      return getLoop(loops.channel);
    return role < 0 ? AffineExpr() : getLoop(loops.window[role]);
  });
  addWindow(inDims, conv.getPads());
  domain.padding = Builder(op->getContext()).getZeroAttr(getElementTypeOrSelf(conv.getInput()));
  if (isGrouped)
    addGroups(conv, loops.channel);
  addExtras(conv);
}

void DomainBuilder::addGroups(ConvOp conv, unsigned channel) {
  DimsAttr outDims = conv.getOutputDims(), inDims = conv.getInputDims();
  int64_t filter = outDims.find(DimsAttr::kChannel), input = inDims.find(DimsAttr::kChannel);
  if (filter < 0 || input < 0)
    return;
  if (!outDims.isPlain() || !inDims.isPlain() || !conv.getFilterDims().isPlain()) {
    for (unsigned loop : {unsigned(filter), channel})
      domain.refuse(loop, "blocked channels of a grouped convolution stay whole");
    return;
  }
  domain.groups = {unsigned(filter), channel, unsigned(input),
                   domain.loops[filter].size / conv.getGroups(), domain.loops[channel].size};
}

void DomainBuilder::add(ConvTransposeOp conv) {
  DimsAttr outDims = conv.getOutputDims(), inDims = conv.getInputDims(),
           filterDims = conv.getFilterDims();
  ConvLoops loops = addConvLoops(conv);
  SmallVector<int64_t> whole;
  for (int64_t i = 0, e = inDims.getSpatialRank(); i < e; ++i) {
    whole.push_back(outDims.find(i));
    whole.push_back(loops.window[i]);
  }
  for (int64_t loop : whole)
    domain.refuse(loop, "the spatial dimensions of a transposed convolution stay whole");
  bool isGrouped = conv.getGroups() != 1;
  int64_t filter = outDims.find(DimsAttr::kChannel);
  if (isGrouped)
    for (int64_t loop : {filter, int64_t(loops.channel)})
      domain.refuse(loop, "channels of a grouped transposed convolution stay whole");
  domain.operands[0] = getSlices(inDims, [&](int64_t role) -> AffineExpr {
    if (role == DimsAttr::kBatch)
      return getLogical(outDims, role);
    return role == DimsAttr::kChannel && !isGrouped ? getLoop(loops.channel) : AffineExpr();
  });
  domain.operands[1] = getSlices(filterDims, [&](int64_t role) -> AffineExpr {
    if (role >= 0 || role == DimsAttr::kBatch || isGrouped)
      return {};
    return role == DimsAttr::kChannel ? getLoop(loops.channel)
                                      : getLogical(outDims, DimsAttr::kChannel);
  });
  addExtras(conv);
}

void DomainBuilder::add(MatmulOp matmul) {
  addResultLoops();
  unsigned rank = domain.loops.size(), m = rank - 2, n = rank - 1;
  RankedTensorType lhs = getTensorType(matmul.getLhs());
  unsigned k = addReduction(lhs.getDimSize(lhs.getRank() - (matmul.getTransposeLhs() ? 2 : 1)),
                            matmul.getAccumulate() ? "" : needsAccumulate);
  auto addOperand = [&](unsigned operand, unsigned row, unsigned column, bool isTransposed) {
    Slices &slices = domain.operands[operand];
    if (getTensorType(op->getOperand(operand)).getRank() > 2)
      slices = getIdentity(m);
    slices.push_back(domain.getSlice(getLoop(isTransposed ? column : row)));
    slices.push_back(domain.getSlice(getLoop(isTransposed ? row : column)));
  };
  addOperand(0, m, k, matmul.getTransposeLhs());
  addOperand(1, k, n, matmul.getTransposeRhs());
  addExtras(matmul);
}

template <typename Pool>
void DomainBuilder::addPool(Pool pool) {
  addResultLoops();
  DimsAttr dims = pool.getDims();
  checkBlocks(dims);
  domain.operands[0] = getIdentity(dims.getRank());
  for (auto [i, size] : llvm::enumerate(pool.getWindow())) {
    unsigned loop = dims.find(i), window = addReduction(size, "a pooling window stays whole");
    domain.operands[0][loop] = domain.getSlice(getLoop(loop) * pool.getStrides()[i] +
                                               getLoop(window) * pool.getDilations()[i]);
  }
  addWindow(dims, pool.getPads());
}

void DomainBuilder::add(MaxPoolOp pool) {
  addPool(pool);
  Type type = getElementTypeOrSelf(pool.getInput());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    if (APFloat::semanticsHasInf(semantics))
      domain.padding = FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  } else if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    domain.padding = IntegerAttr::get(type, pool.getIsUnsigned() ? APInt::getZero(width)
                                                                 : APInt::getSignedMinValue(width));
  }
  if (!pool.getIndices())
    return;
  for (unsigned i = 0, e = domain.loops.size(); i < e; ++i)
    domain.refuse(i, "indices count the elements of the whole input");
}

void DomainBuilder::add(AvgPoolOp pool) {
  addPool(pool);
  // Padding that counts is as good as zeros; what ceil mode reads beyond it never counts.
  if (!pool.getCountIncludePad())
    return;
  ArrayRef<int64_t> shape = getTensorType(pool.getInput()).getShape();
  for (auto [i, dim] : llvm::enumerate(domain.windowDims)) {
    const DimSlice &slice = domain.operands[0][dim];
    int64_t after = pool.getPads()[domain.windowDims.size() + i];
    if (slice.start + domain.getExtent(slice) > shape[dim] + after)
      return;
  }
  domain.padding = Builder(op->getContext()).getZeroAttr(getElementTypeOrSelf(pool.getInput()));
}

//===----------------------------------------------------------------------===//
// Normalization and resampling
//===----------------------------------------------------------------------===//

template <typename Softmax>
void DomainBuilder::addSoftmax(Softmax softmax) {
  addResultLoops();
  domain.operands[0] = getIdentity(domain.loops.size());
  makeReduction(softmax.getDimension(), "a normalized dimension stays whole");
}

void DomainBuilder::add(BatchNormOp norm) {
  addResultLoops();
  DimsAttr dims = norm.getDims();
  checkBlocks(dims);
  domain.operands[0] = getIdentity(dims.getRank());
  for (unsigned i = 1; i <= 4; ++i)
    domain.operands[i] = {domain.getSlice(getLogical(dims, DimsAttr::kChannel))};
}

void DomainBuilder::add(InstanceNormOp norm) {
  addResultLoops();
  DimsAttr dims = norm.getDims();
  checkBlocks(dims);
  domain.operands[0] = getIdentity(dims.getRank());
  for (unsigned i = 1; i <= 2; ++i)
    domain.operands[i] = {domain.getSlice(getLogical(dims, DimsAttr::kChannel))};
  for (int64_t i = 0, e = dims.getSpatialRank(); i < e; ++i)
    makeReduction(dims.find(i), "a normalized dimension stays whole");
}

void DomainBuilder::add(LayerNormOp norm) {
  addResultLoops();
  unsigned rank = domain.loops.size();
  domain.operands[0] = getIdentity(rank);
  for (unsigned i = norm.getDimension(); i < rank; ++i)
    makeReduction(i, "a normalized dimension stays whole");
  // Scale and bias are read whole; statistics have one element per normalized dimension.
  for (unsigned i = 1, e = op->getNumOperands() - norm.getInits().size(); i < e; ++i)
    domain.operands[i].resize(getTensorType(op->getOperand(i)).getRank());
  for (unsigned i = op->getNumOperands() - norm.getInits().size() + 1; i < op->getNumOperands();
       ++i)
    for (unsigned d = norm.getDimension(); d < rank; ++d)
      domain.operands[i][d] = {};
}

void DomainBuilder::add(LRNOp norm) {
  addResultLoops();
  DimsAttr dims = norm.getDims();
  checkBlocks(dims);
  domain.operands[0] = getIdentity(dims.getRank());
  if (dims.find(DimsAttr::kChannel) >= 0)
    makeReduction(dims.find(DimsAttr::kChannel), "a normalized dimension stays whole");
}

void DomainBuilder::add(ResizeOp resize) {
  addResultLoops();
  ArrayRef<int64_t> from = getTensorType(resize.getInput()).getShape();
  ArrayRef<int64_t> to = getTensorType(resize.getResult()).getShape();
  domain.operands[0] = getIdentity(from.size());
  for (unsigned i = 0; i < from.size(); ++i) {
    bool isCopied = resize.getScales()[i] == 1 && from[i] == to[i] && !resize.getRoi();
    if (isCopied)
      continue;
    domain.refuse(i, "a resampled dimension stays whole");
    domain.operands[0][i] = {};
  }
}

TilingDomain udnn::dnn::getTilingDomain(Operation *op) {
  DomainBuilder builder(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<ConvOp, ConvTransposeOp, MatmulOp, MaxPoolOp, AvgPoolOp, SoftmaxOp, LogSoftmaxOp,
            BatchNormOp, InstanceNormOp, LayerNormOp, LRNOp, ResizeOp>(
          [&](auto primitive) { builder.add(primitive); });
  return builder.take();
}
