//===- FormUnits.cpp - wrap what is planned as one into units ---------------===//
//
// Moves every primitive and every linalg operation into the isolated region of a dnn.unit.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SimplifyUtils.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace udnn {
#define GEN_PASS_DEF_FORMUNITSPASS
#include "udnn/Passes/Simplify.h.inc"
} // namespace udnn

using namespace udnn;

/// The name of the ONNX node that an operation comes from; empty when its location has none.
static StringRef getNodeName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return getNodeName(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = getNodeName(part); !name.empty())
        return name;
  return {};
}

namespace {

/// Names that are unique in a function: the node's, or the operation's where there is none; a
/// number is appended where the name is taken.
class UnitNames {
public:
  std::string get(Operation *op) {
    StringRef base = getNodeName(op->getLoc());
    if (base.empty())
      base = op->getName().stripDialect();
    std::string name = base.str();
    for (int64_t i = 1; !taken.insert(name).second; ++i)
      name = (base + "_" + Twine(i)).str();
    return name;
  }

private:
  llvm::StringSet<> taken;
};

} // namespace

static bool isScalarConstant(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() && !isa<ShapedType>(value.getType());
}

/// Clones scalar constants into the regions that capture them.
static void sinkScalarConstants(Operation *op) {
  for (Region &region : op->getRegions()) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(region, captured);
    for (Value value : captured) {
      if (!isScalarConstant(value) || region.empty())
        continue;
      OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
      Operation *copy = builder.clone(*value.getDefiningOp());
      replaceAllUsesInRegionWith(value, copy->getResult(0), region);
    }
  }
}

/// What becomes a unit of its own.
static bool isUnitOp(Operation &op) {
  if (isa<linalg::FillOp>(op)) // Cloned into the units whose init it is; else a unit.
    return llvm::any_of(op.getUses(), [](OpOperand &use) {
      auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return !user || !user.isDpsInit(&use);
    });
  return isa<linalg::LinalgOp, linalg::PackOp, linalg::UnPackOp, dnn::BatchOpInterface,
             dnn::WinogradFilterOp>(op);
}

/// The value that an init starts from, when the operation reads it: null for inits that are
/// overwritten.
static Value getInitialValue(DestinationStyleOpInterface op, OpOperand &init) {
  bool isRead = false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation()))
    isRead = linalgOp.payloadUsesValueFromOperand(&init);
  else if (auto epilogue = dyn_cast<dnn::EpilogueOpInterface>(op.getOperation()))
    isRead = epilogue.getAccumulate();
  return isRead ? init.get() : Value();
}

namespace {

/// Wraps one operation.
class UnitBuilder {
public:
  UnitBuilder(DestinationStyleOpInterface op) : op(op), builder(op) {}

  void build(StringRef name) {
    collectInputs();
    Location loc = op.getLoc();
    SmallVector<Value> empties;
    for (OpOperand &init : op.getDpsInitsMutable())
      empties.push_back(createEmpty(builder, loc, cast<RankedTensorType>(init.get().getType())));
    auto unit = dnn::UnitOp::create(builder, loc, op->getResultTypes(), name, inputs.getArrayRef(),
                                    empties, dnn::PlanAttr());
    Block *block = builder.createBlock(&unit.getBody());
    for (Value operand : unit->getOperands())
      block->addArgument(operand.getType(), loc);
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip(inputs, block->getArguments()))
      mapping.map(input, argument);
    SmallVector<Value> inits = createInits(*block, mapping);
    Operation *copy = builder.clone(*op, mapping);
    for (auto [init, value] :
         llvm::zip(cast<DestinationStyleOpInterface>(copy).getDpsInitsMutable(), inits))
      init.set(value);
    dnn::YieldOp::create(builder, loc, copy->getResults());
    op->replaceAllUsesWith(unit->getResults());
    op->erase();
  }

private:
  /// Everything that is read: operands, what regions capture, and inits that start from a value.
  void collectInputs() {
    for (OpOperand &operand : op->getOpOperands())
      if (!op.isDpsInit(&operand) && !isScalarConstant(operand.get()))
        inputs.insert(operand.get());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    inputs.insert(captured.begin(), captured.end());
    for (OpOperand &init : op.getDpsInitsMutable())
      if (Value value = getInitialValue(op, init); value && !getFillValue(value))
        inputs.insert(value);
  }

  /// The scalar constant that fills `value`, or null.
  static Value getFillValue(Value value) {
    auto fill = value.getDefiningOp<linalg::FillOp>();
    return fill && isScalarConstant(fill.value()) ? fill.value() : Value();
  }

  /// The inits inside the unit: its last arguments, filled or copied into where the operation reads
  /// them. Scalar operands are cloned as well.
  SmallVector<Value> createInits(Block &block, IRMapping &mapping) {
    builder.setInsertionPointToEnd(&block);
    for (Value operand : op->getOperands())
      if (isScalarConstant(operand) && !mapping.contains(operand))
        mapping.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
    SmallVector<Value> inits;
    for (auto [init, argument] :
         llvm::zip(op.getDpsInitsMutable(), block.getArguments().drop_front(inputs.size()))) {
      Value value = getInitialValue(op, init), start = argument;
      if (value) {
        if (Value scalar = getFillValue(value)) {
          Value element = builder.clone(*scalar.getDefiningOp())->getResult(0);
          start = linalg::FillOp::create(builder, op.getLoc(), element, start).getResult(0);
        } else {
          start = linalg::CopyOp::create(builder, op.getLoc(), mapping.lookup(value), start)
                      .getResult(0);
        }
      }
      inits.push_back(start);
    }
    return inits;
  }

  DestinationStyleOpInterface op;
  OpBuilder builder;
  llvm::SetVector<Value> inputs;
};

struct FormUnitsPass : public udnn::impl::FormUnitsPassBase<FormUnitsPass> {
  using FormUnitsPassBase::FormUnitsPassBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      SmallVector<Operation *> ops;
      for (Operation &op : block)
        if (isUnitOp(op))
          ops.push_back(&op);
      UnitNames names;
      for (Operation *op : ops) {
        sinkScalarConstants(op);
        UnitBuilder(cast<DestinationStyleOpInterface>(op)).build(names.get(op));
      }
      eraseDead(block);
    }
  }

  /// Constants, fills and empty tensors that only the wrapped operations used.
  static void eraseDead(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
