//===- HalfConversions.cpp - f16 on processors without it ---------------------===//
//
// Defines the two functions that LLVM calls for conversions between f16 and f32 where the processor
// has no instructions for them. No library that is sure to be there has them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CodegenCpu.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace udnn::codegen;

/// IEEE conversions without branches. The subnormal f16 numbers are multiples of 2^-24: their
/// significand is converted as an integer, and adding 0.5, whose last bit is 2^-24, rounds to them.
static constexpr StringLiteral kConversions = R"(
define weak_odr hidden float @__extendhfsf2(half %half) nounwind {
  %bits16 = bitcast half %half to i16
  %bits = zext i16 %bits16 to i32
  %sign16 = and i32 %bits, 32768
  %sign = shl i32 %sign16, 16
  %magnitude = and i32 %bits, 32767
  %shifted = shl i32 %magnitude, 13
  %normal = add i32 %shifted, 939524096
  %special = or i32 %shifted, 2139095040
  %count = uitofp i32 %magnitude to float
  %tiny = fmul float %count, 0x3E70000000000000
  %subnormal = bitcast float %tiny to i32
  %is_subnormal = icmp ult i32 %magnitude, 1024
  %is_special = icmp uge i32 %magnitude, 31744
  %finite = select i1 %is_subnormal, i32 %subnormal, i32 %normal
  %absolute = select i1 %is_special, i32 %special, i32 %finite
  %all = or i32 %absolute, %sign
  %result = bitcast i32 %all to float
  ret float %result
}

define weak_odr hidden half @__truncsfhf2(float %float) nounwind {
  %bits = bitcast float %float to i32
  %shifted_sign = lshr i32 %bits, 16
  %sign = and i32 %shifted_sign, 32768
  %magnitude = and i32 %bits, 2147483647
  %biased = sub i32 %magnitude, 939524096
  %last = lshr i32 %magnitude, 13
  %odd = and i32 %last, 1
  %up = add i32 %biased, 4095
  %rounded = add i32 %up, %odd
  %normal = lshr i32 %rounded, 13
  %absolute = bitcast i32 %magnitude to float
  %sum = fadd float %absolute, 5.000000e-01
  %sum_bits = bitcast float %sum to i32
  %subnormal = sub i32 %sum_bits, 1056964608
  %payload_bits = and i32 %last, 511
  %nan = or i32 %payload_bits, 32256
  %is_subnormal = icmp ult i32 %magnitude, 947912704
  %is_large = icmp uge i32 %magnitude, 1199570944
  %is_nan = icmp ugt i32 %magnitude, 2139095040
  %finite = select i1 %is_subnormal, i32 %subnormal, i32 %normal
  %bounded = select i1 %is_large, i32 31744, i32 %finite
  %whole = select i1 %is_nan, i32 %nan, i32 %bounded
  %all = or i32 %whole, %sign
  %all16 = trunc i32 %all to i16
  %result = bitcast i16 %all16 to half
  ret half %result
}
)";

static bool usesHalf(const llvm::Module &module) {
  auto isHalf = [](const llvm::Value *value) {
    return value->getType()->getScalarType()->isHalfTy();
  };
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (isHalf(&instruction) || llvm::any_of(instruction.operands(), isHalf))
          return true;
  return false;
}

LogicalResult udnn::codegen::addHalfConversions(llvm::Module &module,
                                                const llvm::TargetMachine &machine, Location loc) {
  if (!machine.getTargetTriple().isX86() || machine.getMCSubtargetInfo()->checkFeatures("+f16c") ||
      !usesHalf(module))
    return success();
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> conversions =
      llvm::parseAssemblyString(kConversions, problem, module.getContext());
  if (!conversions)
    return emitError(loc) << "cannot read the conversions of f16: " << problem.getMessage();
  conversions->setDataLayout(module.getDataLayout());
  conversions->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(conversions)))
    return emitError(loc, "cannot add the conversions of f16");
  return success();
}
