//===- KernelFunction.cpp - the frame of a CUDA kernel ----------------------===//
//
// Creates the functions that the families fill.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"

using namespace mlir;
using namespace udnn;

static gpu::GPUModuleOp getGpuModule(ModuleOp module) {
  auto existing = module.getOps<gpu::GPUModuleOp>();
  if (!existing.empty())
    return *existing.begin();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  return gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
}

gpu::GPUFuncOp cuda::createKernelFunction(dnn::KernelOp kernel, const LaunchShape &shape,
                                          ModuleOp module, ArrayRef<Type> shared) {
  gpu::GPUModuleOp gpuModule = getGpuModule(module);
  OpBuilder builder = OpBuilder::atBlockEnd(gpuModule.getBody());
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    auto memref = cast<MemRefType>(type);
    types.push_back(memref.getNumElements() ? memref
                                            : MemRefType::get({1}, memref.getElementType()));
  }
  if (kernel.getWorkerBytes())
    types.push_back(MemRefType::get({kernel.getWorkerBytes()}, builder.getI8Type()));
  auto function = gpu::GPUFuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                         builder.getFunctionType(types, {}), shared);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {int32_t(shape.block[0]), int32_t(shape.block[1]), int32_t(shape.block[2])}));
  builder.setInsertionPointToStart(&function.getBody().front());
  gpu::ReturnOp::create(builder, kernel.getLoc());
  return function;
}

Value cuda::getBlockId(OpBuilder &builder, Location loc, gpu::Dimension dimension) {
  return gpu::BlockIdOp::create(builder, loc, dimension);
}

Value cuda::getThreadId(OpBuilder &builder, Location loc) {
  return gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
}
