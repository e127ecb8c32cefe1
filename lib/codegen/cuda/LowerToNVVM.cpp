//===- LowerToNVVM.cpp - kernel functions to the NVVM dialect ---------------===//
//
// The list of passes that all kernels of CUDA families go through.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCuda.h"

#include "../common/ExpandMath.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Buffers of fewer elements than this are indexed by 32 bits, which GPUs compute with much faster.
static constexpr int64_t kMaxShortIndex = int64_t(1) << 30;

/// Operations that LLVM's NVPTX target computes itself, correctly rounded.
static bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CtPopOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::SqrtOp, math::TruncOp>(op);
}

static bool usesBFloat16(Operation *root) {
  auto isBFloat16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  return root
      ->walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isBFloat16) ||
                       llvm::any_of(op->getResultTypes(), isBFloat16)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Makes arithmetic one that the later steps know.
static LogicalResult simplifyArithmetic(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(math::createMathExtendToSupportedTypes());
  if (usesBFloat16(module))
    udnn::codegen::addBFloat16Passes(passes);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  if (failed(passes.run(module)) || failed(udnn::codegen::expandArithmetic(module)) ||
      failed(udnn::codegen::approximateMath(module)))
    return failure();
  PassManager powers(module.getContext());
  powers.enableVerifier(false);
  powers.addPass(createConvertMathToFuncs());
  return powers.run(module);
}

/// Integer powers became functions of the outer module.
static void moveFunctions(ModuleOp module, gpu::GPUModuleOp gpuModule) {
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    function->moveBefore(gpuModule.getBody(), gpuModule.getBody()->begin());
}

/// Lowers the operations that need no library, which the conversion to NVVM would look for in
/// libdevice.
static LogicalResult lowerNativeMath(gpu::GPUModuleOp gpuModule) {
  MLIRContext *context = gpuModule.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *op) { return !isNative(op); });
  return applyPartialConversion(gpuModule, target, std::move(patterns));
}

static bool hasLongBuffers(gpu::GPUModuleOp gpuModule) {
  return llvm::any_of(gpuModule.getOps<gpu::GPUFuncOp>(), [](gpu::GPUFuncOp function) {
    return llvm::any_of(function.getArgumentTypes(), [](Type type) {
      auto memref = cast<MemRefType>(type);
      int64_t span = memref.getNumElements();
      SmallVector<int64_t> strides;
      int64_t offset;
      if (succeeded(memref.getStridesAndOffset(strides, offset)))
        for (auto [size, stride] : llvm::zip(memref.getShape(), strides))
          span = std::max(span, size * stride);
      return span >= kMaxShortIndex;
    });
  });
}

static LogicalResult lowerLoops(ModuleOp module) {
  PassManager indices(module.getContext());
  indices.enableVerifier(false);
  indices.addPass(memref::createExpandStridedMetadataPass());
  indices.addPass(createLowerAffinePass());
  indices.addPass(arith::createArithUnsignedWhenEquivalentPass());
  if (failed(indices.run(module)) || failed(udnn::codegen::expandArithmetic(module)))
    return failure();
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSCFToControlFlowPass());
  return passes.run(module);
}

/// Vectors of several dimensions become arrays of vectors, which are made vector by vector.
static LogicalResult unrollVectors(gpu::GPUModuleOp gpuModule) {
  RewritePatternSet patterns(gpuModule.getContext());
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  return applyPatternsGreedily(gpuModule, std::move(patterns));
}

/// The conversion of the pass "convert-gpu-to-nvvm", which however takes all of `math` to
/// libdevice.
static LogicalResult convertToNVVM(gpu::GPUModuleOp gpuModule, bool hasLongBuffers) {
  MLIRContext *context = gpuModule.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(hasLongBuffers ? 64 : 32);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateNVGPUToNVVMConversionPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/10);
  populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/10);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  return applyFullConversion(gpuModule, target, std::move(patterns));
}

/// True for numbers whose arithmetic needs a library that GPUs do not have.
static bool isTooWide(Type type) {
  type = getElementTypeOrSelf(type);
  return isa<FloatType, IntegerType>(type) && type.getIntOrFloatBitWidth() > 64;
}

/// LLVM aborts on functions and types that NVPTX lacks, so none may reach it.
static LogicalResult checkLowered(gpu::GPUModuleOp gpuModule) {
  WalkResult walk = gpuModule.walk([&](Operation *op) {
    bool isLowered = isa<gpu::GPUModuleOp>(op) ||
                     isa_and_present<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect());
    bool isMissing = isa<LLVM::ExpOp, LLVM::Exp10Op, LLVM::LogOp, LLVM::Log10Op, LLVM::PowOp,
                         LLVM::PowIOp, LLVM::FRemOp>(op);
    bool isWide = llvm::any_of(op->getResultTypes(), isTooWide);
    if (isLowered && !isMissing && !isWide)
      return WalkResult::advance();
    emitError(op->getLoc()) << "cannot lower operation '" << op->getName()
                            << "' of a kernel to NVVM";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult udnn::codegen::lowerToNVVM(ModuleOp module) {
  if (failed(simplifyArithmetic(module)))
    return emitError(module.getLoc(), "cannot simplify the arithmetic of kernels");
  auto gpuModule = *module.getOps<gpu::GPUModuleOp>().begin();
  bool isLong = hasLongBuffers(gpuModule);
  moveFunctions(module, gpuModule);
  if (failed(lowerNativeMath(gpuModule)) || failed(lowerLoops(module)) ||
      failed(unrollVectors(gpuModule)) || failed(convertToNVVM(gpuModule, isLong)))
    return emitError(module.getLoc(), "cannot lower kernels to NVVM");
  return checkLowered(gpuModule);
}
