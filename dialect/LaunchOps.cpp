//===- LaunchOps.cpp - kernels, dispatches and launches ---------------------===//
//
// Checks and interfaces of what is compiled and launched.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"

using namespace mlir;
using namespace udnn::dnn;

LogicalResult KernelOp::verify() {
  if (!getFunctionType().getResults().empty())
    return emitOpError("expects a function type without results");
  int64_t arguments = getFunctionType().getNumInputs();
  int64_t outputs = getNumOutputs();
  if (outputs < 1 || outputs > arguments)
    return emitOpError("expects 1 to ") << arguments << " outputs, got " << outputs;
  ArrayRef<int64_t> inPlace = getInPlace();
  if (!inPlace.empty() && int64_t(inPlace.size()) != outputs)
    return emitOpError("expects one 'in_place' entry per output, got ") << inPlace.size();
  for (int64_t input : inPlace)
    if (input < -1 || input >= arguments - outputs)
      return emitOpError("expects 'in_place' to name an input or be -1, got ") << input;
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel = tables.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expects '") << getKernel() << "' to name a 'dnn.kernel'";
  if (kernel.getArgumentTypes().size() != getNumOperands())
    return emitOpError("expects ") << kernel.getArgumentTypes().size() << " operands for kernel '"
                                   << getKernel() << "', got " << getNumOperands();
  if (kernel.getNumOutputs() != int64_t(getInits().size()))
    return emitOpError("expects ") << kernel.getNumOutputs() << " inits for kernel '" << getKernel()
                                   << "', got " << getInits().size();
  return success();
}

void DispatchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getInitsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

LogicalResult LaunchOp::verify() {
  if (getGrid().size() != 3 || getBlock().size() != 3)
    return emitOpError("expects grid and block of 3 dimensions");
  for (Attribute arg : getArgs())
    if (!isa<BufferAttr, IntegerAttr>(arg))
      return emitOpError("expects arguments to be #dnn.buffer or integers, got ") << arg;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!tables.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr()))
    return emitOpError("expects '") << getKernel() << "' to name a 'dnn.kernel'";
  return success();
}
