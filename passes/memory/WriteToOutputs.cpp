//===- WriteToOutputs.cpp - results become buffers that are written ------------===//
//
// Turns the results of the entry into memref arguments.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace udnn {
#define GEN_PASS_DEF_WRITETOOUTPUTSPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

/// Gives every use of `tensor.empty` an operation of its own.
static void splitEmpties(func::FuncOp function) {
  SmallVector<tensor::EmptyOp> empties(function.getOps<tensor::EmptyOp>());
  for (tensor::EmptyOp empty : empties)
    while (!empty->use_empty() && !empty->hasOneUse()) {
      OpOperand &use = *empty->use_begin();
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*empty)->getResult(0));
    }
}

/// Moves reshapes of `value` to the buffer: returns the value in front of all reshapes, and the
/// buffer in that value's shape.
static std::pair<Value, Value> skipReshapes(OpBuilder &builder, Value value, Value buffer) {
  Location loc = value.getLoc();
  while (Operation *op = value.getDefiningOp()) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      value = collapse.getSrc();
      buffer = memref::ExpandShapeOp::create(builder, loc, collapse.getSrcType().getShape(), buffer,
                                             collapse.getReassociationIndices());
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      value = expand.getSrc();
      buffer =
          memref::CollapseShapeOp::create(builder, loc, buffer, expand.getReassociationIndices());
    } else {
      break;
    }
  }
  return {value, buffer};
}

namespace {

struct WriteToOutputs : public udnn::impl::WriteToOutputsPassBase<WriteToOutputs> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!llvm::hasSingleElement(function.getBody())) {
      function.emitError("expects one block");
      return signalPassFailure();
    }
    splitEmpties(function);
    forbidWritesToInputs(function);
    if (failed(writeResults(function)))
      signalPassFailure();
  }

  void forbidWritesToInputs(func::FuncOp function) {
    auto no = BoolAttr::get(&getContext(), false);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName, no);
  }

  LogicalResult writeResults(func::FuncOp function) {
    Operation *terminator = function.getBody().front().getTerminator();
    OpBuilder builder(terminator);
    // Views of outputs depend on arguments only, so that every kernel can write through them.
    auto views = OpBuilder::atBlockBegin(&function.getBody().front());
    auto unit = builder.getUnitAttr();
    for (auto [i, value] : llvm::enumerate(SmallVector<Value>(terminator->getOperands()))) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape())
        return function.emitError("expects results to be static tensors, got ") << value.getType();
      NamedAttrList attributes(function.getResultAttrDict(i));
      attributes.set(kOutputAttr, unit);
      unsigned index = function.getNumArguments();
      if (failed(function.insertArgument(index,
                                         MemRefType::get(type.getShape(), type.getElementType()),
                                         attributes.getDictionary(&getContext()), value.getLoc())))
        return failure();
      auto [source, buffer] = skipReshapes(views, value, function.getArgument(index));
      bufferization::MaterializeInDestinationOp::create(builder, value.getLoc(), TypeRange(),
                                                        source, buffer, /*restrict=*/unit,
                                                        /*writable=*/unit);
    }
    terminator->setOperands(ValueRange());
    return function.eraseResults(llvm::BitVector(function.getNumResults(), true));
  }
};

} // namespace
