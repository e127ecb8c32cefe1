//===- BufferizeDispatch.cpp - bufferization of dispatches ---------------------===//
//
// Tells One-Shot Bufferize that a dispatch reads its inputs, overwrites its inits without reading
// them, and becomes the same dispatch on buffers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Dialect/Dnn.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace udnn;

namespace {

struct DispatchModel
    : public DstBufferizableOpInterfaceExternalModel<DispatchModel, dnn::DispatchOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto dispatch = cast<dnn::DispatchOp>(op);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs, inits;
    auto convert = [&](ValueRange values, SmallVectorImpl<Value> &out) {
      for (Value value : values) {
        if (!isa<TensorType>(value.getType())) {
          out.push_back(value);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        out.push_back(*buffer);
      }
      return success();
    };
    if (failed(convert(dispatch.getInputs(), inputs)) ||
        failed(convert(dispatch.getInits(), inits)))
      return failure();
    dnn::DispatchOp::create(rewriter, op->getLoc(), TypeRange(), dispatch.getNameAttr(),
                            dispatch.getKernelAttr(), inputs, inits);
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};

} // namespace

void udnn::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, dnn::DnnDialect *) {
    dnn::DispatchOp::attachInterface<DispatchModel>(*context);
  });
}
