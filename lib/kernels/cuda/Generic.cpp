//===- Generic.cpp - the family that runs everything on a GPU ---------------===//
//
// A body is tiled by upstream linalg. Where every element of the result can be computed on its own
// a thread computes one; else a block computes a tile, operation by operation.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CudaFamilies.h"
#include "GenericThreads.h"
#include "KernelFunction.h"

#include "../common/GenericUnit.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace udnn;
using namespace udnn::generic;

/// As many tasks as there are elements.
static constexpr TilingLimits kTilingLimits = {/*minTaskWork=*/1,
                                               /*maxTasks=*/std::numeric_limits<int32_t>::max()};
/// Temporaries of a thread: what may become registers.
static constexpr int64_t kMaxThreadBytes = 1024;
/// Share of the peak rates that plain loops reach where data is used again, and where it is not.
static constexpr int64_t kPrimitivePercent = 1, kElementwisePercent = 20;

namespace {
/// How a problem is run.
struct Mapping {
  Tiling tiling;
  /// A task is the work of one thread; else of a block.
  bool perThread = false;
  /// Bytes that the temporaries of each block take.
  int64_t blockBytes = 0;

  /// Bytes of all blocks together.
  int64_t getScratchBytes() const { return perThread ? 0 : blockBytes * tiling.tasks; }
};

class GenericFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cuda.generic"; }
  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override;
  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override;
  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override;
  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device, ModuleOp module) const override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

/// The mapping with this tiling, or failure when it cannot be built.
static FailureOr<Mapping> tryMapping(const Problem &problem, const Tiling &tiling, bool perThread,
                                     Location loc) {
  OwningOpRef<ModuleOp> trial = ModuleOp::create(loc);
  ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<func::FuncOp> function = createTaskFunction("kernel", problem, tiling, 0, *trial);
  if (failed(function))
    return failure();
  FailureOr<int64_t> bytes = cuda::countTemporaryBytes(*function);
  if (failed(bytes) || (perThread && *bytes > kMaxThreadBytes))
    return failure();
  Mapping mapping{tiling, perThread, *bytes};
  if (perThread)
    return mapping;
  // The scratch memory is known only now.
  OwningOpRef<ModuleOp> second = ModuleOp::create(loc);
  function = createTaskFunction("kernel", problem, tiling, *bytes * tiling.tasks, *second);
  if (failed(function) || failed(cuda::mapTaskToBlock(*function)))
    return failure();
  return mapping;
}

static FailureOr<Mapping> chooseMapping(const Problem &problem, Location loc) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  FailureOr<func::FuncOp> function = createTensorFunction("kernel", problem, 0, *module);
  if (failed(function))
    return failure();
  Tiling tiling = chooseTiling(*function, kTilingLimits);
  int64_t elements = problem.arguments.back().getNumElements();
  if (tiling.tasks == elements)
    if (FailureOr<Mapping> mapping = tryMapping(problem, tiling, /*perThread=*/true, loc);
        succeeded(mapping))
      return mapping;
  if (FailureOr<Mapping> mapping = tryMapping(problem, tiling, /*perThread=*/false, loc);
      succeeded(mapping))
    return mapping;
  return tryMapping(problem, Tiling(), /*perThread=*/false, loc);
}

/// The parameters of a kernel.
static DictionaryAttr makeParameters(MLIRContext *context, const Mapping &mapping) {
  NamedAttrList attributes(makeTilingParameters(context, mapping.tiling));
  attributes.set("map", StringAttr::get(context, mapping.perThread ? "thread" : "block"));
  return attributes.getDictionary(context);
}

static bool isPerThread(DictionaryAttr parameters) {
  auto map = parameters.getAs<StringAttr>("map");
  return map && map.getValue() == "thread";
}

static bool isPerThread(dnn::KernelOp kernel) { return isPerThread(kernel.getParameters()); }

/// The mapping in a candidate's parameters, to which the scratch bytes are added; else a new one.
/// Fails for units that no candidate is for: the plan may have been edited.
static FailureOr<Mapping> getMapping(DictionaryAttr parameters, dnn::UnitOp unit) {
  if (failed(describeUnit(unit)))
    return failure();
  if (std::optional<int64_t> blockBytes = getScratch(parameters)) {
    Mapping mapping{getTiling(parameters), isPerThread(parameters), *blockBytes};
    int64_t bytes;
    if (mapping.tiling.tasks < 1 || mapping.tiling.tasks > kTilingLimits.maxTasks ||
        llvm::MulOverflow(*blockBytes, mapping.tiling.tasks, bytes))
      return failure();
    return mapping;
  }
  return chooseMapping(getProblem(unit), unit.getLoc());
}

void GenericFamily::getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device,
                                  CandidateList &list) const {
  FailureOr<Candidate> candidate = describeUnit(unit);
  if (failed(candidate))
    return list.reject("expects tensors of static shape below 2^63 bytes");
  candidate->efficiencyPercent = unit.getPrimitive() ? kPrimitivePercent : kElementwisePercent;
  // One operation needs no temporaries, and is mapped when it is expanded.
  if (!isElementwise(unit)) {
    FailureOr<Mapping> mapping = chooseMapping(getProblem(unit), unit.getLoc());
    if (failed(mapping))
      return list.reject("cannot be lowered to blocks and threads");
    candidate->parameters =
        addScratch(makeParameters(unit.getContext(), *mapping), mapping->blockBytes);
    candidate->workspaceBytes = mapping->getScratchBytes();
  }
  list.candidates.push_back(std::move(*candidate));
}

FailureOr<SmallVector<Value>> GenericFamily::expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                                    dnn::DeviceAttr device,
                                                    DispatchBuilder &builder) const {
  FailureOr<Mapping> mapping = getMapping(parameters, unit);
  if (failed(mapping))
    return unit.emitError() << "family '" << getName() << "' cannot run unit '" << unit.getName()
                            << "' with the parameters " << parameters;
  SmallVector<int64_t> inPlace;
  if (mapping->perThread)
    inPlace = getInPlaceInputs(unit);
  ValueRange results =
      builder.dispatch(makeParameters(unit.getContext(), *mapping), unit.getInputs(),
                       unit.getInits(), mapping->getScratchBytes(), inPlace);
  return llvm::to_vector(results);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LaunchShape GenericFamily::getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const {
  LaunchShape shape;
  int64_t tasks = getTiling(kernel.getParameters()).tasks;
  shape.grid[0] =
      isPerThread(kernel) ? llvm::divideCeilSigned(tasks, cuda::kGenericThreads) : tasks;
  shape.block[0] = cuda::kGenericThreads;
  return shape;
}

LogicalResult GenericFamily::build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                                   ModuleOp module) const {
  if (failed(verifyArguments(kernel)))
    return failure();
  Tiling tiling = getTiling(kernel.getParameters());
  OwningOpRef<ModuleOp> part = ModuleOp::create(kernel.getLoc());
  FailureOr<func::FuncOp> function = createTaskFunction(kernel.getSymName(), getProblem(kernel),
                                                        tiling, kernel.getWorkerBytes(), *part);
  if (succeeded(function) && !isPerThread(kernel))
    if (FailureOr<int64_t> bytes = cuda::countTemporaryBytes(*function);
        succeeded(bytes) && *bytes * tiling.tasks > int64_t(kernel.getWorkerBytes()))
      return kernel.emitError() << "expects at least " << *bytes * tiling.tasks
                                << " bytes of scratch memory for kernel '" << kernel.getSymName()
                                << "', got " << kernel.getWorkerBytes();
  if (failed(function) ||
      failed(isPerThread(kernel) ? cuda::mapTaskToThread(*function, tiling.tasks)
                                 : cuda::mapTaskToBlock(*function)))
    return kernel.emitError() << "cannot lower the body of kernel '" << kernel.getSymName() << "'";
  gpu::GPUFuncOp gpuFunction =
      cuda::createKernelFunction(kernel, getLaunchShape(kernel, device), module);
  cuda::moveBody(*function, gpuFunction);
  return success();
}

std::unique_ptr<KernelFamily> udnn::cuda::createGenericFamily() {
  return std::make_unique<GenericFamily>();
}
