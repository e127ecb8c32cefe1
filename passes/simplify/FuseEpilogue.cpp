//===- FuseEpilogue.cpp - fuse element-wise operations into epilogues -------===//
//
// Appends the body of an element-wise reader to the epilogue of the operation that it reads.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_FUSEEPILOGUEPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;

/// True for an operation that could take an element-wise reader into its epilogue.
static bool canTakeReaders(Operation *op) {
  auto producer = dyn_cast_or_null<dnn::EpilogueOpInterface>(op);
  return producer && !producer.getAccumulate();
}

/// True when the body consists of scalar arithmetic only and captures nothing but constants.
static bool hasScalarBody(linalg::GenericOp op) {
  for (Operation &nested : *op.getBody()) {
    if (isa<linalg::YieldOp>(nested))
      continue;
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(nested.getDialect()) ||
        nested.getNumRegions())
      return false;
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(captured, [](Value value) {
    return value.getDefiningOp<arith::ConstantOp>() && !isa<ShapedType>(value.getType());
  });
}

/// The element-wise reader that can become part of `producer`'s epilogue, or null.
static linalg::GenericOp getFusableReader(Operation *producer) {
  Value result = producer->getResult(0);
  if (result.use_empty())
    return {};
  auto reader = dyn_cast<linalg::GenericOp>(*result.getUsers().begin());
  if (!reader || reader->getBlock() != producer->getBlock() ||
      llvm::any_of(result.getUsers(), [&](Operation *user) { return user != reader; }))
    return {};
  if (!isElementwise(reader) || !hasScalarBody(reader) ||
      cast<RankedTensorType>(reader.getResult(0).getType()).getShape() !=
          cast<RankedTensorType>(result.getType()).getShape())
    return {};
  for (OpOperand &operand : reader->getOpOperands()) {
    AffineMap map = reader.getMatchingIndexingMap(&operand);
    bool isProduced = operand.get() == result;
    if (isProduced && (!map.isIdentity() || reader.isDpsInit(&operand)))
      return {};
    if (!isProduced && (!isa<RankedTensorType>(operand.get().getType()) || map.getNumSymbols()))
      return {};
    // Of two producers the later one takes the reader, so that the other runs before it.
    Operation *other = operand.get().getDefiningOp();
    if (!isProduced && canTakeReaders(other) && other->getBlock() == producer->getBlock() &&
        map.isIdentity() && other->hasOneUse() && producer->isBeforeInBlock(other))
      return {};
  }
  return reader;
}

/// `operand` read through `map`, without its dimensions of size 1 where it is smaller than the
/// result: a bias of shape 64x1x1 becomes a vector.
static std::pair<Value, AffineMap> dropUnitDims(OpBuilder &builder, Value operand, AffineMap map,
                                                RankedTensorType resultType) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (type.getShape() == resultType.getShape() && map.isIdentity())
    return {operand, map};
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading; // Unit dimensions before the first that stays.
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (size == 1) {
      (groups.empty() ? leading : groups.back()).push_back(i);
      continue;
    }
    groups.push_back(groups.empty() ? leading : ReassociationIndices());
    groups.back().push_back(i);
    shape.push_back(size);
    exprs.push_back(map.getResult(i));
  }
  if (int64_t(shape.size()) == type.getRank())
    return {operand, map};
  auto collapsed = RankedTensorType::get(shape, type.getElementType());
  Value view =
      tensor::CollapseShapeOp::create(builder, operand.getLoc(), collapsed, operand, groups);
  return {view, AffineMap::get(map.getNumDims(), 0, exprs, builder.getContext())};
}

/// Gives an operation without epilogue one that stores the accumulator as the result's type.
static void createEpilogue(OpBuilder &builder, dnn::EpilogueOpInterface op) {
  Region &region = op.getEpilogueRegion();
  if (!region.empty())
    return;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  Block *block = builder.createBlock(&region, region.end(), {op.getAccumulatorType()}, {loc});
  Type elementType = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  dnn::YieldOp::create(builder, loc,
                       convertScalar(builder, loc, block->getArgument(0), elementType));
}

/// Appends the reader's body to the epilogue. `arguments` are the epilogue's scalars for the
/// reader's operands.
static void appendBody(OpBuilder &builder, Block &epilogue, linalg::GenericOp reader,
                       ArrayRef<Value> arguments) {
  auto yield = cast<dnn::YieldOp>(epilogue.getTerminator());
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(reader.getBody()->getArguments(), arguments))
    mapping.map(argument, value);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(yield);
  for (Operation &op : reader.getBody()->without_terminator())
    builder.clone(op, mapping);
  Value result = mapping.lookupOrDefault(reader.getBody()->getTerminator()->getOperand(0));
  yield->setOperands(result);
}

/// Moves `producer` to its reader's place and makes it compute what the reader did.
static void fuse(Operation *producer, linalg::GenericOp reader) {
  auto op = cast<dnn::EpilogueOpInterface>(producer);
  OpBuilder builder(reader);
  createEpilogue(builder, op);
  Block &epilogue = op.getEpilogueRegion().front();
  auto resultType = cast<RankedTensorType>(reader.getResult(0).getType());
  SmallVector<Value> extras = llvm::to_vector(OperandRange(op.getExtrasOperandRange()));
  SmallVector<AffineMap> maps = op.getExtraMapValues();
  Value stored = cast<dnn::YieldOp>(epilogue.getTerminator()).getOperand(0);
  SmallVector<Value> arguments;
  for (OpOperand *operand : reader.getDpsInputOperands()) {
    if (operand->get() == producer->getResult(0)) {
      arguments.push_back(stored);
      continue;
    }
    auto [value, map] =
        dropUnitDims(builder, operand->get(), reader.getMatchingIndexingMap(operand), resultType);
    size_t position = 0;
    while (position < extras.size() && (extras[position] != value || maps[position] != map))
      ++position;
    if (position == extras.size()) {
      extras.push_back(value);
      maps.push_back(map);
      epilogue.addArgument(getElementTypeOrSelf(value), producer->getLoc());
    }
    arguments.push_back(epilogue.getArgument(position + 1));
  }
  appendBody(builder, epilogue, reader, arguments);
  op.getExtrasOperandRange().assign(extras);
  op.setExtraMapValues(maps);
  auto destination = cast<DestinationStyleOpInterface>(producer);
  destination.getDpsInitsMutable()[0].set(createEmpty(builder, producer->getLoc(), resultType));
  producer->getResult(0).setType(resultType);
  producer->moveBefore(reader);
  producer->setLoc(fuseLocations(producer->getLoc(), reader.getLoc()));
  report(reader.getLoc(), "dnn-fuse-epilogue", "fuse",
         "fused into the epilogue of " + producer->getName().getStringRef());
  reader.getResult(0).replaceAllUsesWith(producer->getResult(0));
  reader->erase();
}

namespace {

struct FuseEpiloguePass : public udnn::impl::FuseEpiloguePassBase<FuseEpiloguePass> {
  using FuseEpiloguePassBase::FuseEpiloguePassBase;

  void runOnOperation() override {
    SmallVector<Operation *> producers;
    getOperation().walk([&](dnn::EpilogueOpInterface op) {
      if (canTakeReaders(op))
        producers.push_back(op);
    });
    // Later producers first: what they take away may leave an earlier one with a single reader.
    for (Operation *producer : llvm::reverse(producers))
      while (linalg::GenericOp reader = getFusableReader(producer))
        fuse(producer, reader);
  }
};

} // namespace
