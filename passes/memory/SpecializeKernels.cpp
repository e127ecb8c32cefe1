//===- SpecializeKernels.cpp - kernels take the types of their dispatches -------===//
//
// Gives every kernel memref types with static strides, cloning it where dispatches differ.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "udnn/Dialect/Dnn.h"
#include "udnn/Kernels/KernelFamily.h"
#include "udnn/Passes/Entry.h"
#include "udnn/Passes/Memory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace udnn {
#define GEN_PASS_DEF_SPECIALIZEKERNELSPASS
#include "udnn/Passes/Memory.h.inc"
} // namespace udnn

using namespace mlir;
using namespace udnn;

/// The type with offset 0 and with the strides of unit dimensions, which do not matter, as in a
/// contiguous buffer; null when strides are not static.
static MemRefType normalize(MemRefType type) {
  if (!type.hasStaticShape())
    return nullptr;
  if (type.getNumElements() == 0)
    return MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamicShape(strides))
    return nullptr;
  int64_t contiguous = 1;
  bool isContiguous = true;
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    int64_t size = type.getDimSize(i);
    if (size == 1)
      strides[i] = i + 1 < type.getRank() ? strides[i + 1] * type.getDimSize(i + 1) : 1;
    isContiguous &= strides[i] == contiguous;
    contiguous *= size;
  }
  if (isContiguous)
    return MemRefType::get(type.getShape(), type.getElementType());
  return MemRefType::get(type.getShape(), type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(), 0, strides));
}

namespace {

/// The clone of a kernel for a function type; none is part of the module yet.
using Clones = llvm::MapVector<std::pair<StringAttr, Type>, OwningOpRef<dnn::KernelOp>>;

struct SpecializeKernels : public udnn::impl::SpecializeKernelsPassBase<SpecializeKernels> {
  void runOnOperation() override {
    func::FuncOp function = getEntry(getOperation());
    if (!function)
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    Clones clones;
    for (auto dispatch : function.getOps<dnn::DispatchOp>()) {
      FunctionType type = getKernelType(dispatch);
      if (!type)
        return signalPassFailure();
      OwningOpRef<dnn::KernelOp> &clone = clones[{dispatch.getKernelAttr().getAttr(), type}];
      if (!clone) {
        auto kernel = symbols.lookup<dnn::KernelOp>(dispatch.getKernel());
        clone = kernel.clone();
        clone->setFunctionType(type);
      }
    }
    replaceKernels(function, clones);
  }

  FunctionType getKernelType(dnn::DispatchOp dispatch) {
    SmallVector<Type> types;
    for (Value operand : dispatch->getOperands()) {
      Type type = operand.getType();
      if (auto memref = dyn_cast<MemRefType>(type))
        type = normalize(memref);
      if (!type) {
        dispatch.emitError("expects buffers with static strides, got ") << operand.getType();
        return nullptr;
      }
      types.push_back(type);
    }
    return FunctionType::get(&getContext(), types, {});
  }

  /// Removes the old kernels and inserts the clones, equal ones once.
  void replaceKernels(func::FuncOp function, Clones &clones) {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<dnn::KernelOp>()))
      kernel.erase();
    KernelTable table(getOperation());
    llvm::DenseMap<std::pair<StringAttr, Type>, FlatSymbolRefAttr> symbols;
    for (auto &[key, clone] : clones)
      symbols[key] = table.insert(clone.release());
    for (auto dispatch : function.getOps<dnn::DispatchOp>())
      dispatch.setKernelAttr(
          symbols.lookup({dispatch.getKernelAttr().getAttr(), getKernelType(dispatch)}));
  }
};

} // namespace
