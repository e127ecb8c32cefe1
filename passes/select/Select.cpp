//===- Select.cpp - turn planned units into dispatches ----------------------===//
//
// Applies the plan: layouts between units, and the dispatches of each unit's kernel family.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Passes/Select.h"

#include "SelectInternal.h"

#include "udnn/Cost/Device.h"
#include "udnn/Kernels/Dialects.h"
#include "udnn/Kernels/KernelFamily.h"
#include "udnn/Passes/LayoutRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using udnn::dnn::DimsAttr;

namespace udnn {
#define GEN_PASS_DEF_SELECTPASS
#include "udnn/Passes/Select.h.inc"
} // namespace udnn

using namespace udnn;

namespace {

/// Selects one function: keeps for every original value the value that replaces it and its layout.
class Selector {
public:
  Selector(func::FuncOp function, dnn::DeviceAttr device, KernelTable &kernels)
      : function(function), device(device), kernels(kernels), rewriter(function.getContext()) {}

  LogicalResult run();

private:
  /// A replaced value: the tensor and the layout that it is in (null: plain).
  struct Physical {
    Value value;
    DimsAttr layout;
  };

  LogicalResult selectUnit(dnn::UnitOp unit);
  void selectConcat(tensor::ConcatOp concat);
  void selectSlice(tensor::ExtractSliceOp slice);
  void selectPlain(Operation &op);

  Physical lookup(Value value);
  /// The tensor that `value` stands for, in `layout`; transforms are placed once per layout.
  Value get(Value value, DimsAttr layout);
  DimsAttr deriveLayoutOf(Operation *op);
  Value insertSlice(Value piece, Value into, unsigned dim, int64_t offset);
  Value extractPrefix(Value from, RankedTensorType type);

  func::FuncOp function;
  dnn::DeviceAttr device;
  KernelTable &kernels;
  IRRewriter rewriter;
  llvm::DenseMap<Value, Physical> physicalOf;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> transformed;
  /// For a concatenation that others append to: the tensor with room for all of them.
  llvm::DenseMap<Value, Value> backingOf;
};

} // namespace

Selector::Physical Selector::lookup(Value value) {
  auto it = physicalOf.find(value);
  return it == physicalOf.end() ? Physical{value, {}} : it->second;
}

Value Selector::get(Value value, DimsAttr layout) {
  Physical physical = lookup(value);
  if (physical.layout == layout)
    return physical.value;
  Value &result = transformed[{value, layout}];
  if (result)
    return result;
  auto plainType = cast<RankedTensorType>(value.getType());
  // Place the transform behind the producer, so that all readers can use it.
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(physical.value);
  Value plain = physical.value;
  if (physical.layout)
    plain = unpackFrom(rewriter, value.getLoc(), plain, physical.layout, plainType);
  result = layout ? packTo(rewriter, value.getLoc(), plain, layout) : plain;
  return result;
}

DimsAttr Selector::deriveLayoutOf(Operation *op) {
  SmallVector<DimsAttr> layouts;
  for (Value operand : op->getOperands())
    layouts.push_back(lookup(operand).layout);
  return deriveLayout(op, layouts);
}

/// Checks a plan, which may have been edited, before a family trusts it: the family runs the unit
/// on the device in these layouts. The family checks its parameters itself.
static LogicalResult verifyPlan(dnn::UnitOp unit, dnn::PieceAttr piece, const KernelFamily *family,
                                dnn::DeviceAttr device) {
  if (piece.getCount() != 1 || piece.getBatch() != 0)
    return unit.emitOpError("expects a plan with the count 1 and the batch 0, got ")
           << piece.getCount() << " and " << piece.getBatch();
  dnn::PlanAttr plan = unit.getPlanAttr();
  auto isPlain = [](Attribute layout) { return !decodeLayout(layout); };
  // The fallback family runs any unit as it is; to offer that again it would lower the unit again.
  if (family == getFallbackFamily(device) && llvm::all_of(plan.getInputs(), isPlain) &&
      llvm::all_of(plan.getResults(), isPlain))
    return success();
  CandidateList list;
  if (!llvm::is_contained(getKernelFamilies(device), family))
    list.reject("is for other devices");
  else
    collectCandidates(*family, unit, device, list);
  if (list.candidates.empty())
    return unit.emitOpError("is planned for the kernel family ")
           << piece.getFamily() << ", which cannot run it: " << list.reason;
  auto isPlanned = [](ArrayRef<DimsAttr> layouts, ArrayAttr planned) {
    return llvm::equal(layouts, planned, [](DimsAttr layout, Attribute attr) {
      return layout == decodeLayout(attr);
    });
  };
  for (const Candidate &candidate : list.candidates)
    if (isPlanned(candidate.inputLayouts, plan.getInputs()) &&
        isPlanned(candidate.resultLayouts, plan.getResults()))
      return success();
  return unit.emitOpError("expects layouts that the kernel family ")
         << piece.getFamily() << " offers on this device, got " << plan.getInputs() << " and "
         << plan.getResults();
}

LogicalResult Selector::selectUnit(dnn::UnitOp unit) {
  dnn::PlanAttr plan = unit.getPlanAttr();
  if (!plan)
    return unit.emitOpError("expects a plan");
  if (plan.getPieces().size() != 1)
    return unit.emitOpError("expects a plan of one piece, got ") << plan.getPieces().size();
  auto piece = cast<dnn::PieceAttr>(plan.getPieces()[0]);
  const KernelFamily *family = lookupKernelFamily(piece.getFamily());
  if (!family)
    return unit.emitOpError("no kernel family is named ") << piece.getFamily();
  if (failed(verifyPlan(unit, piece, family, device)))
    return failure();
  SmallVector<Value> inputs;
  for (auto [value, layout] : llvm::zip(unit.getInputs(), plan.getInputs()))
    inputs.push_back(get(value, decodeLayout(layout)));
  for (OpOperand &init : unit.getInitsMutable())
    init.set(get(init.get(), {}));
  rewriter.setInsertionPoint(unit);
  FailureOr<dnn::UnitOp> physical = createPhysicalUnit(rewriter, unit, inputs);
  if (failed(physical))
    return failure();
  DispatchBuilder builder(rewriter, *physical, family->getName(), kernels);
  FailureOr<SmallVector<Value>> results =
      family->expand(*physical, piece.getParameters(), device, builder);
  if (failed(results))
    return unit.emitError("kernel family ")
           << piece.getFamily() << " cannot expand '" << unit.getName() << "'";
  for (auto [result, value, layout] : llvm::zip(unit.getResults(), *results, plan.getResults()))
    physicalOf[result] = {value, decodeLayout(layout)};
  rewriter.eraseOp(*physical);
  return success();
}

/// The concatenation that only appends to `concat` along the same dimension, or null.
static tensor::ConcatOp getAppending(tensor::ConcatOp concat) {
  tensor::ConcatOp found;
  for (OpOperand &use : concat->getUses()) {
    auto user = dyn_cast<tensor::ConcatOp>(use.getOwner());
    if (!user || use.getOperandNumber() != 0 || user.getDim() != concat.getDim())
      continue;
    if (found)
      return {};
    found = user;
  }
  return found;
}

Value Selector::insertSlice(Value piece, Value into, unsigned dim, int64_t offset) {
  auto type = cast<RankedTensorType>(piece.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)), sizes,
      strides(type.getRank(), rewriter.getIndexAttr(1));
  offsets[dim] = rewriter.getIndexAttr(offset);
  for (int64_t size : type.getShape())
    sizes.push_back(rewriter.getIndexAttr(size));
  return tensor::InsertSliceOp::create(rewriter, piece.getLoc(), piece, into, offsets, sizes,
                                       strides);
}

Value Selector::extractPrefix(Value from, RankedTensorType type) {
  if (from.getType() == type)
    return from;
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)), sizes,
      strides(type.getRank(), rewriter.getIndexAttr(1));
  for (int64_t size : type.getShape())
    sizes.push_back(rewriter.getIndexAttr(size));
  return tensor::ExtractSliceOp::create(rewriter, from.getLoc(), type, from, offsets, sizes,
                                        strides);
}

void Selector::selectConcat(tensor::ConcatOp concat) {
  DimsAttr layout = deriveLayoutOf(concat);
  unsigned dim = concat.getDim();
  RankedTensorType type = getPhysicalType(concat.getResultType(), layout);
  SmallVector<Value> pieces;
  for (Value input : concat.getInputs())
    pieces.push_back(get(input, layout));
  rewriter.setInsertionPoint(concat);
  int64_t offset = 0;
  size_t first = 0;
  Value backing = backingOf.lookup(concat.getInputs().front());
  bool appends =
      backing && lookup(concat.getInputs().front()).layout == layout &&
      getAppending(concat.getInputs().front().getDefiningOp<tensor::ConcatOp>()) == concat;
  if (appends) {
    offset = cast<RankedTensorType>(pieces.front().getType()).getDimSize(dim);
    first = 1;
  } else {
    // Room for everything that is appended later.
    tensor::ConcatOp last = concat;
    while (tensor::ConcatOp next = getAppending(last))
      last = next;
    RankedTensorType whole = getPhysicalType(last.getResultType(), layout);
    bool hasTail = layout && layout.getChannels();
    if (last == concat || hasTail)
      whole = type;
    backing = tensor::EmptyOp::create(rewriter, concat.getLoc(), whole.getShape(),
                                      whole.getElementType());
  }
  for (Value piece : llvm::drop_begin(pieces, first)) {
    backing = insertSlice(piece, backing, dim, offset);
    offset += cast<RankedTensorType>(piece.getType()).getDimSize(dim);
  }
  physicalOf[concat.getResult()] = {extractPrefix(backing, type), layout};
  if (backing.getType() != type)
    backingOf[concat.getResult()] = backing;
}

void Selector::selectSlice(tensor::ExtractSliceOp slice) {
  DimsAttr layout = deriveLayoutOf(slice);
  if (!layout)
    return selectPlain(*slice);
  int64_t block = layout.getBlock(DimsAttr::kChannel);
  int64_t channelDim = layout.find(DimsAttr::kChannel);
  SmallVector<int64_t> offsets(slice.getStaticOffsets());
  offsets[channelDim] /= block;
  offsets.push_back(0);
  RankedTensorType type = getPhysicalType(slice.getType(), layout);
  auto toAttrs = [&](ArrayRef<int64_t> values) {
    SmallVector<OpFoldResult> attrs;
    for (int64_t value : values)
      attrs.push_back(rewriter.getIndexAttr(value));
    return attrs;
  };
  rewriter.setInsertionPoint(slice);
  SmallVector<int64_t> strides(type.getRank(), 1);
  Value result = tensor::ExtractSliceOp::create(rewriter, slice.getLoc(), type,
                                                lookup(slice.getSource()).value, toAttrs(offsets),
                                                toAttrs(type.getShape()), toAttrs(strides));
  physicalOf[slice.getResult()] = {result, layout};
}

void Selector::selectPlain(Operation &op) {
  for (OpOperand &operand : op.getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      operand.set(get(operand.get(), {}));
}

LogicalResult Selector::run() {
  Block &body = function.getBody().front();
  SmallVector<Operation *> replaced;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (auto unit = dyn_cast<dnn::UnitOp>(op)) {
      if (failed(selectUnit(unit)))
        return failure();
      replaced.push_back(&op);
    } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      selectConcat(concat);
      replaced.push_back(&op);
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      selectSlice(slice);
      if (physicalOf.count(slice.getResult()))
        replaced.push_back(&op);
    } else {
      selectPlain(op);
    }
  }
  for (Operation *op : llvm::reverse(replaced))
    rewriter.eraseOp(op);
  return success();
}

namespace {
struct SelectPass : public udnn::impl::SelectPassBase<SelectPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    SelectPassBase::getDependentDialects(registry);
    registerKernelDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dnn::DeviceAttr device = requireDevice(module);
    if (!device)
      return signalPassFailure();
    KernelTable kernels(module);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration() && failed(Selector(function, device, kernels).run()))
        return signalPassFailure();
  }
};
} // namespace
