//===- LowerToLLVM.cpp - kernel functions to the LLVM dialect --------------===//
//
// The list of passes that all kernels of CPU families go through.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCpu.h"

#include "../common/ExpandMath.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {
/// Which optional parts of the lowering a module needs.
struct Needs {
  bool linalg = false, narrowFloats = false, bf16 = false, transfers = false, powers = false;
};
} // namespace

static Needs scan(ModuleOp module) {
  Needs needs;
  auto note = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    needs.narrowFloats |= element.isF16() || element.isBF16();
    needs.bf16 |= element.isBF16();
  };
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    needs.linalg |= dialect == "linalg";
    needs.transfers |= isa<vector::TransferReadOp, vector::TransferWriteOp>(op);
    needs.powers |= isa<math::IPowIOp>(op);
    llvm::for_each(op->getOperandTypes(), note);
    llvm::for_each(op->getResultTypes(), note);
  });
  return needs;
}

/// Everything above scalars and one-dimensional vectors in loops.
static LogicalResult lowerToLoops(ModuleOp module, const Needs &needs) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  if (needs.linalg)
    passes.addPass(createConvertLinalgToLoopsPass());
  if (needs.transfers)
    passes.addPass(createConvertVectorToSCFPass(VectorTransferToSCFOptions().enableFullUnroll()));
  if (needs.narrowFloats)
    passes.addPass(math::createMathExtendToSupportedTypes());
  if (needs.bf16)
    udnn::codegen::addBFloat16Passes(passes);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  return passes.run(module);
}

static LogicalResult lowerLoops(ModuleOp module, const Needs &needs) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  if (needs.powers)
    passes.addPass(createConvertMathToFuncs());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  passes.addPass(createConvertMathToLLVMPass(math));
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions function;
  function.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(function));
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(module);
}

LogicalResult udnn::codegen::lowerToLLVM(ModuleOp module) {
  Needs needs = scan(module);
  if (failed(expandArithmetic(module)) || failed(lowerToLoops(module, needs)) ||
      failed(lowerMath(module)) || failed(lowerLoops(module, needs)))
    return emitError(module.getLoc(), "cannot lower a kernel to LLVM");
  WalkResult walk = module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) || isa_and_present<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    emitError(module.getLoc()) << "cannot lower operation '" << op->getName()
                               << "' of a kernel to LLVM";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
