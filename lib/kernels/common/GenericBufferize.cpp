//===- GenericBufferize.cpp - a body on tensors becomes one on memrefs ------===//
//
// Makes the function of a body, lowers primitives to linalg, and bufferizes it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GenericBody.h"

#include "udnn/Dialect/Storage.h"
#include "udnn/Lowering/DnnToLinalg.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace udnn::generic;

static LogicalResult cleanUp(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createCSEPass());
  passes.addPass(createCanonicalizerPass());
  return passes.run(module);
}

/// Primitives to linalg, named operations to generic ones, chains of element-wise operations to
/// one.
static LogicalResult lowerToGenerics(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  udnn::populateDnnToLinalgPatterns(patterns);
  populateTransformPatterns(patterns);
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  if (failed(applyPatternsGreedily(function, std::move(patterns))))
    return failure();
  SmallVector<linalg::LinalgOp> named;
  function.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op))
      named.push_back(op);
  });
  IRRewriter rewriter(context);
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return failure();
  }
  RewritePatternSet fusion(context);
  linalg::populateElementwiseOpsFusionPatterns(fusion, [](OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    // What adds to its init would do so once per element of the reader.
    return producer && operand->get().hasOneUse() &&
           llvm::none_of(producer.getDpsInitsMutable(), [&](OpOperand &init) {
             return producer.payloadUsesValueFromOperand(&init);
           });
  });
  linalg::populateEraseUnnecessaryInputsPatterns(fusion);
  linalg::GenericOp::getCanonicalizationPatterns(fusion, context);
  linalg::FillOp::getCanonicalizationPatterns(fusion, context);
  return applyPatternsGreedily(function, std::move(fusion));
}

/// Materializes what a result is a view of into a view of the output.
static bufferization::MaterializeInDestinationOp
skipReshapes(bufferization::MaterializeInDestinationOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value source = op.getSource(), output = op.getDest();
  while (true) {
    if (auto reshape = source.getDefiningOp<tensor::CollapseShapeOp>()) {
      source = reshape.getSrc();
      output = memref::ExpandShapeOp::create(builder, loc, reshape.getSrcType().getShape(), output,
                                             reshape.getReassociationIndices());
      continue;
    }
    auto reshape = source.getDefiningOp<tensor::ExpandShapeOp>();
    if (!reshape || !memref::CollapseShapeOp::isGuaranteedCollapsible(
                        cast<MemRefType>(output.getType()), reshape.getReassociationIndices()))
      break;
    source = reshape.getSrc();
    output =
        memref::CollapseShapeOp::create(builder, loc, output, reshape.getReassociationIndices());
  }
  if (source == op.getSource())
    return op;
  auto result = bufferization::MaterializeInDestinationOp::create(
      builder, loc, Type(), source, output, /*restrict=*/true, /*writable=*/true);
  op.erase();
  return result;
}

/// Lets the operation that computes a result write where the result belongs.
static void writeToOutput(Value result, Value output) {
  while (auto opResult = dyn_cast<OpResult>(result)) {
    auto op = dyn_cast<linalg::LinalgOp>(opResult.getOwner());
    if (!op)
      return;
    OpOperand *init = op.getDpsInitOperand(opResult.getResultNumber());
    Operation *producer = init->get().getDefiningOp();
    if (isa_and_present<tensor::EmptyOp>(producer)) {
      init->set(output);
      return;
    }
    if (!isa_and_present<linalg::FillOp>(producer) || !init->get().hasOneUse())
      return;
    result = init->get();
  }
}

FailureOr<func::FuncOp> udnn::generic::createTensorFunction(StringRef name, const Problem &problem,
                                                            int64_t scratchBytes, ModuleOp module) {
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  // Nothing is read or written through the pointer of an empty tensor, and LLVM has no type for it.
  SmallVector<Type> types;
  for (MemRefType type : problem.arguments)
    types.push_back(type.getNumElements() ? type : MemRefType::get({1}, type.getElementType()));
  if (scratchBytes)
    types.push_back(MemRefType::get({scratchBytes}, builder.getI8Type()));
  types.push_back(builder.getIndexType());
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  IRMapping mapping;
  Block &body = problem.body->front();
  for (auto [i, type] : llvm::enumerate(problem.arguments)) {
    Value tensor;
    if (int64_t(i) < problem.getNumInputs() && type.getNumElements())
      tensor = bufferization::ToTensorOp::create(
          builder, loc, RankedTensorType::get(type.getShape(), type.getElementType()),
          entry->getArgument(i), /*restrict=*/true, /*writable=*/false);
    else
      tensor = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
    mapping.map(body.getArgument(i), tensor);
  }
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    int64_t output = problem.getNumInputs() + i;
    if (problem.arguments[output].getNumElements())
      bufferization::MaterializeInDestinationOp::create(
          builder, loc, Type(), mapping.lookupOrDefault(value), entry->getArgument(output),
          /*restrict=*/true, /*writable=*/true);
  }
  func::ReturnOp::create(builder, loc);
  if (failed(lowerToGenerics(function)) || failed(cleanUp(module)))
    return failure();

  for (auto op : llvm::to_vector(function.getOps<bufferization::MaterializeInDestinationOp>())) {
    op = skipReshapes(op);
    builder.setInsertionPointToStart(entry);
    if (Operation *view = op.getDest().getDefiningOp()) {
      // Views of outputs depend on arguments only.
      SmallVector<Operation *> views;
      for (; view; view = view->getOperand(0).getDefiningOp())
        views.push_back(view);
      for (Operation *each : views)
        each->moveBefore(entry, entry->begin());
      builder.setInsertionPointAfter(views.front());
    }
    auto type = cast<RankedTensorType>(op.getSource().getType());
    Value output = bufferization::ToTensorOp::create(builder, loc, type, op.getDest(),
                                                     /*restrict=*/true, /*writable=*/true);
    writeToOutput(op.getSource(), output);
  }
  return function;
}

LogicalResult udnn::generic::bufferizeFunction(ModuleOp module) {
  if (failed(cleanUp(module)))
    return failure();
  IRRewriter rewriter(module.getContext());
  if (failed(bufferization::eliminateEmptyTensors(rewriter, module)))
    return failure();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferAlignment = kTemporaryAlignment;
  options.memCpyFn = [](OpBuilder &builder, Location loc, Value from, Value to) {
    linalg::CopyOp::create(builder, loc, from, to);
    return success();
  };
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotBufferize(module, options, state)))
    return failure();
  return cleanUp(module);
}

/// True when `buffer` is a function's output, or all of it by another name.
static bool isWholeOutput(Value buffer, int64_t firstOutput, int64_t numOutputs) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      if (llvm::any_of(view.getStaticOffsets(), ShapedType::isDynamic))
        return false;
      buffer = view.getSource();
    } else if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      buffer = view.getViewSource();
    } else {
      return false;
    }
  }
  int64_t number = cast<BlockArgument>(buffer).getArgNumber();
  return number >= firstOutput && number < firstOutput + numOutputs;
}

bool udnn::generic::writesOwnTileOnly(func::FuncOp function, const Problem &problem) {
  WalkResult walk = function.walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue() &&
          isa<MemRefType>(effect.getValue().getType()) &&
          isWholeOutput(effect.getValue(), problem.getNumInputs(), problem.outputs))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

FailureOr<func::FuncOp> udnn::generic::createTaskFunction(StringRef name, const Problem &problem,
                                                          const Tiling &tiling,
                                                          int64_t scratchBytes, ModuleOp module) {
  FailureOr<func::FuncOp> function = createTensorFunction(name, problem, scratchBytes, module);
  if (failed(function) || (tiling.tasks > 1 && failed(tileToTask(*function, tiling))) ||
      failed(bufferizeFunction(module)))
    return failure();
  auto result = module.lookupSymbol<func::FuncOp>(name);
  if (tiling.tasks > 1 && !writesOwnTileOnly(result, problem))
    return failure();
  return result;
}

FailureOr<int64_t> udnn::generic::getTemporaryBytes(MemRefType type) {
  std::optional<int64_t> bytes = getStorageBytes(type);
  if (!bytes || *bytes > std::numeric_limits<int64_t>::max() - kTemporaryAlignment)
    return failure();
  return llvm::alignTo(*bytes, kTemporaryAlignment);
}
