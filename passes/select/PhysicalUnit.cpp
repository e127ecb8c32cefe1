//===- PhysicalUnit.cpp - units in planned layouts --------------------------===//
//
// Changes types, dimension numbers, maps and loops of a unit's body to the layouts of its plan.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SelectInternal.h"

#include "udnn/Passes/LayoutRules.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using udnn::dnn::DimsAttr;

namespace udnn {
namespace {

/// A plain operand that is read by blocks of channels: its dimension grows to whole blocks.
struct Padding {
  BlockArgument argument;
  int64_t dim, size;
};

/// Rewrites one cloned body.
class BodyRewriter {
public:
  BodyRewriter(RewriterBase &rewriter, llvm::DenseMap<Value, DimsAttr> layouts)
      : rewriter(rewriter), layouts(std::move(layouts)) {}

  LogicalResult rewrite(Block &body);
  ArrayRef<Padding> getPaddings() const { return paddings; }

private:
  LogicalResult rewritePrimitive(Operation *op);
  LogicalResult rewriteGeneric(linalg::GenericOp op);
  AffineMap rewriteExtraMap(dnn::EpilogueOpInterface op, Value extra, AffineMap map,
                            DimsAttr layout);
  void padChannels(Value value, int64_t dim, DimsAttr layout);

  DimsAttr getLayout(Value value) const { return layouts.lookup(value); }

  RewriterBase &rewriter;
  llvm::DenseMap<Value, DimsAttr> layouts;
  SmallVector<Padding> paddings;
};

} // namespace

/// Sizes dimension `dim` of a unit's argument to whole blocks of `layout`'s channels.
void BodyRewriter::padChannels(Value value, int64_t dim, DimsAttr layout) {
  auto argument = dyn_cast<BlockArgument>(value);
  int64_t block = layout.getBlock(DimsAttr::kChannel);
  auto type = cast<RankedTensorType>(value.getType());
  int64_t size = (type.getDimSize(dim) + block - 1) / block * block;
  if (!argument || size == type.getDimSize(dim))
    return;
  paddings.push_back({argument, dim, size});
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  value.setType(RankedTensorType::get(shape, type.getElementType()));
}

/// The map of an extra operand over the blocked result: the result gains a last dimension, and a
/// channel is `outer * block + inner`, or both parts where the operand is blocked as well.
AffineMap BodyRewriter::rewriteExtraMap(dnn::EpilogueOpInterface op, Value extra, AffineMap map,
                                        DimsAttr layout) {
  MLIRContext *context = rewriter.getContext();
  int64_t channelDim = layout.find(DimsAttr::kChannel);
  int64_t block = layout.getBlock(DimsAttr::kChannel);
  AffineExpr outer = getAffineDimExpr(channelDim, context);
  AffineExpr inner = getAffineDimExpr(map.getNumDims(), context);
  bool isBlocked = bool(getLayout(extra));
  SmallVector<AffineExpr> results;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    bool isChannel = expr == outer;
    if (isChannel && !isBlocked)
      padChannels(extra, i, layout);
    results.push_back(isChannel && !isBlocked ? outer * block + inner : expr);
  }
  if (isBlocked)
    results.push_back(inner);
  return AffineMap::get(map.getNumDims() + 1, 0, results, context);
}

LogicalResult BodyRewriter::rewritePrimitive(Operation *op) {
  auto layoutOp = cast<dnn::LayoutOpInterface>(op);
  auto destination = cast<DestinationStyleOpInterface>(op);
  DimsAttr resultLayout = getLayout(destination.getDpsInitOperand(0)->get());
  for (OpOperand &operand : op->getOpOperands()) {
    DimsAttr layout = getLayout(operand.get());
    unsigned number = operand.getOperandNumber();
    if (layout)
      layoutOp.setOperandDims(number, layout);
    // Vectors of channels of a normalization.
    else if (resultLayout && !isa<dnn::EpilogueOpInterface>(op) &&
             !layoutOp.getOperandDims(number) &&
             cast<RankedTensorType>(operand.get().getType()).getRank() == 1)
      padChannels(operand.get(), 0, resultLayout);
  }
  if (auto epilogue = dyn_cast<dnn::EpilogueOpInterface>(op);
      epilogue && resultLayout && resultLayout.getBlock(DimsAttr::kChannel) > 1) {
    SmallVector<AffineMap> maps;
    for (auto [extra, map] :
         llvm::zip(OperandRange(epilogue.getExtrasOperandRange()), epilogue.getExtraMapValues()))
      maps.push_back(rewriteExtraMap(epilogue, extra, map, resultLayout));
    epilogue.setExtraMapValues(maps);
  }
  for (auto [init, result] : llvm::zip(destination.getDpsInits(), op->getResults())) {
    result.setType(init.getType());
    layouts[result] = getLayout(init);
  }
  return success();
}

LogicalResult BodyRewriter::rewriteGeneric(linalg::GenericOp op) {
  // The loop that runs over channels, and its block.
  int64_t block = 0, channelLoop = -1;
  DimsAttr blockedLayout;
  for (OpOperand &operand : op->getOpOperands()) {
    DimsAttr layout = getLayout(operand.get());
    if (!layout)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(layout.find(DimsAttr::kChannel)));
    if (!dim || (channelLoop >= 0 && int64_t(dim.getPosition()) != channelLoop))
      return op.emitError("expects blocked operands to be read by one loop over channels");
    channelLoop = dim.getPosition();
    block = layout.getBlock(DimsAttr::kChannel);
    blockedLayout = layout;
  }
  if (channelLoop < 0)
    return success();
  MLIRContext *context = rewriter.getContext();
  unsigned loops = op.getNumLoops();
  AffineExpr outer = getAffineDimExpr(channelLoop, context);
  AffineExpr inner = getAffineDimExpr(loops, context);
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isBlocked = bool(getLayout(operand.get()));
    SmallVector<AffineExpr> results;
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      AffineExpr expr = map.getResult(i);
      if (!isBlocked && expr.isFunctionOfDim(channelLoop)) {
        padChannels(operand.get(), i, blockedLayout);
        expr = expr.replace(outer, outer * block + inner);
      }
      results.push_back(expr);
    }
    if (isBlocked)
      results.push_back(inner);
    maps.push_back(AffineMap::get(loops + 1, 0, results, context));
  }
  SmallVector<Attribute> iterators(op.getIteratorTypes().getValue());
  iterators.push_back(iterators[channelLoop]);
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  op.setIteratorTypesAttr(rewriter.getArrayAttr(iterators));
  for (auto index : llvm::make_early_inc_range(op.getBody()->getOps<linalg::IndexOp>())) {
    if (int64_t(index.getDim()) != channelLoop)
      continue;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(index);
    Value size = arith::ConstantIndexOp::create(rewriter, index.getLoc(), block);
    Value scaled = arith::MulIOp::create(rewriter, index.getLoc(), index, size);
    Value lane = linalg::IndexOp::create(rewriter, index.getLoc(), loops);
    Value channel = arith::AddIOp::create(rewriter, index.getLoc(), scaled, lane);
    rewriter.replaceAllUsesExcept(index.getResult(), channel, scaled.getDefiningOp());
  }
  for (auto [init, result] : llvm::zip(op.getOutputs(), op.getResults())) {
    result.setType(init.getType());
    layouts[result] = getLayout(init);
  }
  return success();
}

LogicalResult BodyRewriter::rewrite(Block &body) {
  for (Operation &op : body.without_terminator()) {
    if (isa<dnn::LayoutOpInterface>(op)) {
      if (failed(rewritePrimitive(&op)))
        return failure();
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (failed(rewriteGeneric(generic)))
        return failure();
    } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      Value init = fill.getDpsInits().front();
      fill->getResult(0).setType(init.getType());
      layouts[fill->getResult(0)] = getLayout(init);
    } else if (llvm::any_of(op.getOperands(), [&](Value value) { return getLayout(value); })) {
      return op.emitError("cannot be changed to the planned layout");
    }
  }
  return success();
}

/// Appends zeros to dimension `dim` up to `size`.
static Value padWithZeros(RewriterBase &rewriter, Location loc, Value value, int64_t dim,
                          int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> low(type.getRank(), rewriter.getIndexAttr(0)), high(low);
  high[dim] = rewriter.getIndexAttr(size - shape[dim]);
  shape[dim] = size;
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
                               value, low, high, zero);
}

FailureOr<dnn::UnitOp> createPhysicalUnit(RewriterBase &rewriter, dnn::UnitOp unit,
                                          ValueRange inputs) {
  dnn::PlanAttr plan = unit.getPlanAttr();
  Location loc = unit.getLoc();
  SmallVector<DimsAttr> argLayouts;
  for (Attribute attr : plan.getInputs())
    argLayouts.push_back(decodeLayout(attr));
  SmallVector<Value> inits;
  SmallVector<Type> resultTypes;
  for (auto [init, attr] : llvm::zip(unit.getInits(), plan.getResults())) {
    DimsAttr layout = decodeLayout(attr);
    argLayouts.push_back(layout);
    RankedTensorType type = getPhysicalType(cast<RankedTensorType>(init.getType()), layout);
    resultTypes.push_back(type);
    if (!layout) {
      inits.push_back(init);
      continue;
    }
    inits.push_back(tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType()));
  }
  auto physical =
      dnn::UnitOp::create(rewriter, loc, resultTypes, unit.getNameAttr(), inputs, inits, plan);
  IRMapping mapping;
  unit.getBody().cloneInto(&physical.getBody(), mapping);
  Block &body = physical.getBody().front();
  llvm::DenseMap<Value, DimsAttr> layouts;
  SmallVector<Value> operands(inputs);
  llvm::append_range(operands, inits);
  for (auto [argument, operand, layout] : llvm::zip(body.getArguments(), operands, argLayouts)) {
    argument.setType(operand.getType());
    layouts[argument] = layout;
  }
  BodyRewriter bodyRewriter(rewriter, std::move(layouts));
  if (failed(bodyRewriter.rewrite(body)))
    return failure();
  rewriter.setInsertionPoint(physical);
  for (const Padding &padding : bodyRewriter.getPaddings()) {
    OpOperand &operand = physical->getOpOperand(padding.argument.getArgNumber());
    operand.set(padWithZeros(rewriter, loc, operand.get(), padding.dim, padding.size));
  }
  rewriter.setInsertionPointAfter(physical);
  return physical;
}

} // namespace udnn
