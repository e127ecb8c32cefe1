//===- Device.cpp - facts about target devices ------------------------------===//
//
// CPU facts from LLVM's tables of processors, CUDA facts from a table of architectures.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Cost/Device.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace udnn {

static constexpr StringLiteral kCpuFeatures[] = {
#define CPU_FEATURE(NAME) NAME,
#include "udnn/Support/CpuFeatures.def"
};

/// Facts of a CPU: the peak assumes two FMA units per core at 3 GHz.
static FailureOr<dnn::DeviceAttr> getCpuDevice(MLIRContext *context, StringRef cpu,
                                               llvm::function_ref<InFlightDiagnostic()> emitError) {
  llvm::InitializeNativeTarget();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError() << "LLVM has no code generator for '" << triple.str() << "': " << error;
  bool native = cpu == "native";
  StringRef arch = native ? llvm::sys::getHostCPUName() : cpu;
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(arch))
    return emitError()
           << "expects 'native' or the name of a processor that LLVM knows for '--cpu', got '"
           << cpu << "'";
  // A virtual machine may hide instruction sets that the processor's model has.
  std::string hidden;
  if (native)
    for (auto &[feature, present] : llvm::sys::getHostCPUFeatures())
      if (!present && llvm::is_contained(kCpuFeatures, feature))
        hidden += (hidden.empty() ? "-" : ",-") + feature.str();
  info.reset(target->createMCSubtargetInfo(triple, arch, hidden));
  std::string features;
  for (StringRef feature : kCpuFeatures)
    features += ((features.empty() ? "" : ",") +
                 Twine(info->checkFeatures(("+" + feature).str()) ? "+" : "-") + feature)
                    .str();
  int64_t vectorBits = info->checkFeatures("+avx512f") && info->checkFeatures("+avx512vl") ? 512
                       : info->checkFeatures("+avx2")                                      ? 256
                                                                                           : 128;
  int64_t cores = native ? std::max(1u, llvm::get_physical_cores() > 0
                                            ? unsigned(llvm::get_physical_cores())
                                            : llvm::hardware_concurrency().compute_thread_count())
                         : 2;
  int64_t gflops = cores * 3 * (vectorBits / 32) * 4;
  return dnn::DeviceAttr::get(context, StringAttr::get(context, "cpu"),
                              StringAttr::get(context, arch), StringAttr::get(context, features),
                              cores, vectorBits, gflops, gflops, /*gbytes_per_s=*/10 * cores + 10,
                              /*l2_bytes=*/512 * 1024, /*launch_ns=*/3000);
}

namespace {
/// Published or measured facts of an architecture's data-centre product.
struct CudaFacts {
  StringLiteral arch;
  int64_t multiprocessors, gflopsF32, gflopsF16, gbytesPerSecond, l2Bytes;
};
} // namespace

static constexpr CudaFacts kCudaFacts[] = {
    {"sm_80", 108, 19500, 312000, 1600, int64_t(40) << 20},
    {"sm_86", 84, 38700, 154000, 700, int64_t(6) << 20},
    {"sm_89", 142, 91600, 366000, 864, int64_t(96) << 20},
    {"sm_90", 132, 60000, 790000, 4300, int64_t(50) << 20},
    {"sm_90a", 132, 60000, 790000, 4300, int64_t(50) << 20},
};

static FailureOr<dnn::DeviceAttr>
getCudaDevice(MLIRContext *context, StringRef arch,
              llvm::function_ref<InFlightDiagnostic()> emitError) {
  for (const CudaFacts &facts : kCudaFacts)
    if (facts.arch == arch)
      return dnn::DeviceAttr::get(context, StringAttr::get(context, "cuda"),
                                  StringAttr::get(context, arch), StringAttr::get(context, ""),
                                  facts.multiprocessors, /*vector_bits=*/128, facts.gflopsF32,
                                  facts.gflopsF16, facts.gbytesPerSecond, facts.l2Bytes,
                                  /*launch_ns=*/3000);
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "expects one of";
  for (const CudaFacts &facts : kCudaFacts)
    diagnostic << " 'cuda:" << facts.arch << "'";
  return diagnostic << " as CUDA target, got 'cuda:" << arch << "'";
}

FailureOr<dnn::DeviceAttr> getDevice(MLIRContext *context, StringRef target, StringRef cpu,
                                     llvm::function_ref<InFlightDiagnostic()> emitError) {
  context->getOrLoadDialect<dnn::DnnDialect>();
  if (target == "cpu")
    return getCpuDevice(context, cpu, emitError);
  if (target.consume_front("cuda:"))
    return getCudaDevice(context, target, emitError);
  return emitError() << "expects 'cpu' or 'cuda:<architecture>' as target, got '" << target << "'";
}

dnn::DeviceAttr getDevice(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto device = op->getAttrOfType<dnn::DeviceAttr>(kDeviceAttrName))
      return device;
  return {};
}

dnn::DeviceAttr requireDevice(ModuleOp module) {
  dnn::DeviceAttr device = getDevice(module);
  if (!device)
    module.emitError("expects the module to carry the device's facts as '")
        << kDeviceAttrName << "'";
  return device;
}

} // namespace udnn
