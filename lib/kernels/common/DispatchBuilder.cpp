//===- DispatchBuilder.cpp - kernels and dispatches -------------------------===//
//
// Emits dispatches and shares equal kernels.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Kernels/KernelFamily.h"

using namespace mlir;

namespace udnn {

/// Text that is equal for kernels that compute the same: the kernel op without its name.
static std::string getKey(dnn::KernelOp kernel) {
  StringAttr name = kernel.getSymNameAttr();
  kernel.setSymName("_");
  std::string key;
  llvm::raw_string_ostream os(key);
  kernel->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  kernel.setSymNameAttr(name);
  return key;
}

KernelTable::KernelTable(ModuleOp module) : module(module) {
  for (auto kernel : module.getOps<dnn::KernelOp>())
    symbolOf[getKey(kernel)] = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
}

FlatSymbolRefAttr KernelTable::insert(dnn::KernelOp kernel) {
  FlatSymbolRefAttr &symbol = symbolOf[getKey(kernel)];
  if (symbol) {
    kernel.erase();
    return symbol;
  }
  // "cpu.direct_conv" names its kernels @direct_conv_0, @direct_conv_1, ...
  StringRef base = kernel.getFamily().rsplit('.').second;
  std::string name;
  do {
    name = (base + "_" + Twine(nextNumber[base]++)).str();
  } while (module.lookupSymbol(name));
  kernel.setSymName(name);
  module.push_back(kernel);
  symbol = FlatSymbolRefAttr::get(module.getContext(), name);
  return symbol;
}

Value DispatchBuilder::empty(RankedTensorType type) {
  return tensor::EmptyOp::create(rewriter, getLoc(), type.getShape(), type.getElementType());
}

ValueRange DispatchBuilder::dispatch(DictionaryAttr parameters, ValueRange inputs, ValueRange inits,
                                     int64_t workerBytes, ArrayRef<int64_t> inPlace) {
  SmallVector<Type> types(inputs.getTypes());
  llvm::append_range(types, inits.getTypes());
  OpBuilder detached(rewriter.getContext());
  auto kernel = dnn::KernelOp::create(detached, getLoc(), /*sym_name=*/"_", family, parameters,
                                      int64_t(inits.size()), workerBytes, inPlace,
                                      FunctionType::get(rewriter.getContext(), types, {}));
  IRMapping mapping;
  unit.getBody().cloneInto(&kernel.getBody(), mapping);
  FlatSymbolRefAttr symbol = kernels.insert(kernel);
  auto dispatch = dnn::DispatchOp::create(rewriter, getLoc(), TypeRange(inits.getTypes()),
                                          unit.getNameAttr(), symbol, inputs, inits);
  return dispatch.getResults();
}

} // namespace udnn
