//===- GenericUnit.cpp - what generic families ask of a unit ---------------===//
//
// Work, bytes, and which operations are element-wise.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GenericUnit.h"

#include "udnn/Dialect/Storage.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::generic;

/// Scalar operations that `op` executes, about.
static int64_t getOperations(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    int64_t count = linalgOp.getBlock()->getOperations().size();
    for (int64_t range : linalgOp.getStaticLoopRanges())
      count *= range;
    return count;
  }
  if (auto epilogue = dyn_cast<dnn::EpilogueOpInterface>(op))
    return 2 * epilogue.getNumProducts();
  int64_t results = 0;
  for (Value result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      results += type.getNumElements();
  // Pooling and normalizations: a window or a few passes per element.
  return 10 * results;
}

FailureOr<Candidate> udnn::generic::describeUnit(dnn::UnitOp unit) {
  Candidate candidate;
  candidate.parameters = DictionaryAttr::get(unit.getContext());
  candidate.inputLayouts.resize(unit.getInputs().size());
  candidate.resultLayouts.resize(unit.getNumResults());
  for (Type type : unit->getOperandTypes()) {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    std::optional<int64_t> bytes = tensorType ? getStorageBytes(tensorType) : std::nullopt;
    if (!bytes || llvm::AddOverflow(candidate.bytes, *bytes, candidate.bytes))
      return failure();
  }
  for (Operation &op : unit.getBody().front().without_terminator())
    candidate.flops += getOperations(&op);
  bool isFloat = isa<FloatType>(cast<ShapedType>(unit.getResult(0).getType()).getElementType());
  candidate.errorPpb = isFloat ? 300 : 0;
  return candidate;
}

bool udnn::generic::isElementwise(dnn::UnitOp unit) {
  auto type = cast<RankedTensorType>(unit.getResult(0).getType());
  for (Operation &op : unit.getBody().front().without_terminator()) {
    if (isa<tensor::EmptyOp, arith::ConstantOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic.getNumParallelLoops() != generic.getNumLoops() ||
        generic.hasIndexSemantics() || int64_t(generic.getNumLoops()) != type.getRank())
      return false;
    for (OpOperand &init : generic.getDpsInitsMutable())
      if (!generic.getMatchingIndexingMap(&init).isIdentity())
        return false;
    if (generic
            .walk([](Operation *inner) {
              return isa<tensor::ExtractOp>(inner) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
            })
            .wasInterrupted())
      return false;
  }
  return llvm::all_of(unit.getResultTypes(), [&](Type result) {
    return cast<RankedTensorType>(result).getShape() == type.getShape();
  });
}

bool udnn::generic::isReadInPlace(BlockArgument argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    return generic && generic.getMatchingIndexingMap(&use).isIdentity();
  });
}

SmallVector<int64_t> udnn::generic::getInPlaceInputs(dnn::UnitOp unit) {
  SmallVector<int64_t> inPlace(unit.getNumResults(), -1);
  if (unit.getNumResults() != 1 || !isElementwise(unit))
    return inPlace;
  Type type = unit.getResult(0).getType();
  for (size_t i = 0; i < unit.getInputs().size(); ++i) {
    BlockArgument argument = unit.getBody().getArgument(i);
    if (argument.getType() == type && !argument.use_empty() && isReadInPlace(argument)) {
      inPlace[0] = i;
      return inPlace;
    }
  }
  return inPlace;
}

static MemRefType getMemRefType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref;
  auto shaped = cast<ShapedType>(type);
  return MemRefType::get(shaped.getShape(), shaped.getElementType());
}

Problem udnn::generic::getProblem(dnn::UnitOp unit) {
  Problem problem{&unit.getBody(), {}, int64_t(unit.getNumResults())};
  for (Type type : unit->getOperandTypes())
    problem.arguments.push_back(getMemRefType(type));
  return problem;
}

Problem udnn::generic::getProblem(dnn::KernelOp kernel) {
  Problem problem{&kernel.getBody(), {}, kernel.getNumOutputs()};
  for (Type type : kernel.getArgumentTypes())
    problem.arguments.push_back(getMemRefType(type));
  return problem;
}

LogicalResult udnn::generic::verifyArguments(dnn::KernelOp kernel) {
  auto isSame = [](BlockArgument argument, Type type) {
    auto expected = dyn_cast<ShapedType>(argument.getType()), given = dyn_cast<ShapedType>(type);
    if (!expected || !given)
      return argument.getType() == type;
    return expected.getElementType() == given.getElementType() &&
           (expected.getShape() == given.getShape() || expected.getNumElements() == 0);
  };
  if (!llvm::equal(kernel.getBody().getArguments(), kernel.getArgumentTypes(), isSame))
    return kernel.emitError() << "expects the arguments of kernel '" << kernel.getSymName()
                              << "' to have the types of its body's";
  return success();
}

DictionaryAttr udnn::generic::makeTilingParameters(MLIRContext *context, const Tiling &tiling) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("tasks", builder.getI64IntegerAttr(tiling.tasks)),
       builder.getNamedAttr("tiles", builder.getDenseI64ArrayAttr(tiling.sizes))});
}

Tiling udnn::generic::getTiling(DictionaryAttr parameters) {
  Tiling tiling;
  if (auto sizes = parameters.getAs<DenseI64ArrayAttr>("tiles"))
    tiling.sizes = llvm::to_vector(sizes.asArrayRef());
  if (auto tasks = parameters.getAs<IntegerAttr>("tasks"))
    tiling.tasks = tasks.getInt();
  return tiling;
}

DictionaryAttr udnn::generic::addScratch(DictionaryAttr kernelParameters, int64_t scratchBytes) {
  NamedAttrList attributes(kernelParameters);
  attributes.set("scratch", Builder(kernelParameters.getContext()).getI64IntegerAttr(scratchBytes));
  return attributes.getDictionary(kernelParameters.getContext());
}

std::optional<int64_t> udnn::generic::getScratch(DictionaryAttr parameters) {
  auto scratch = parameters.getAs<IntegerAttr>("scratch");
  return scratch && scratch.getInt() >= 0 ? std::optional(scratch.getInt()) : std::nullopt;
}
