//===- Generic.cpp - the family that runs everything -----------------------===//
//
// Kernels of any unit by upstream tiling, bufferization and LLVM's loop vectorizer.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"
#include "GenericLoops.h"

#include "../common/GenericUnit.h"

#include "udnn/Codegen/Cpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::generic;

/// Tasks that are worth their overhead, enough of them to balance many cores.
static constexpr TilingLimits kTilingLimits = {/*minTaskWork=*/16 * 1024, /*maxTasks=*/128};

namespace {
class GenericFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.generic"; }
  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override;
  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override;
  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override;
  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device, ModuleOp module) const override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Offers channel-blocked layouts to element-wise units whose tensors have channels.
static void addBlockedCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, const Candidate &plain,
                                 CandidateList &list) {
  auto type = cast<RankedTensorType>(unit.getResult(0).getType());
  if (type.getRank() < 3 || type.getRank() > 5 || !isElementwise(unit))
    return;
  for (int64_t block : {8, 16}) {
    int64_t channels = type.getDimSize(1);
    if (channels < block)
      continue;
    auto layout = dnn::DimsAttr::getBlocked(unit.getContext(), type.getRank() - 2, block, channels);
    Candidate candidate = plain;
    bool hasSmallOperand = false, isPermuted = false;
    for (auto [argument, chosen] :
         llvm::zip(unit.getBody().getArguments(), candidate.inputLayouts)) {
      auto inputType = cast<RankedTensorType>(argument.getType());
      if (inputType.getShape() != type.getShape()) {
        hasSmallOperand |= inputType.getNumElements() > 1;
        continue;
      }
      isPermuted |= !isReadInPlace(argument);
      chosen = layout;
    }
    if (isPermuted)
      return;
    // Blocks of a channel vector must not reach beyond its end.
    if (hasSmallOperand && channels % block)
      continue;
    for (dnn::DimsAttr &chosen : candidate.resultLayouts)
      chosen = layout;
    list.candidates.push_back(std::move(candidate));
  }
}

//===----------------------------------------------------------------------===//
// From unit to kernel
//===----------------------------------------------------------------------===//

/// Makes the finished function of a problem: cut as `tiling` says, or in one piece that the first
/// task runs when that cannot be done. Returns the scratch bytes that it needs.
static FailureOr<int64_t> buildFunction(StringRef name, const Problem &problem,
                                        const Tiling &tiling, int64_t scratchBytes,
                                        ModuleOp module) {
  FailureOr<func::FuncOp> function =
      createTaskFunction(name, problem, tiling, scratchBytes, module);
  if (failed(function))
    return failure();
  FailureOr<int64_t> needed = placeTemporaries(*function, scratchBytes > 0);
  if (failed(needed) || failed(prepareLoops(*function)))
    return failure();
  return needed;
}

namespace {
/// How a problem is run: tiles, scratch bytes of each worker, and whether it is one operation,
/// which reads its operands before it writes an element.
struct Cut {
  Tiling tiling;
  int64_t scratchBytes;
  bool isOneOperation;
};
} // namespace

static FailureOr<Cut> chooseCut(const Problem &problem, Location loc) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  FailureOr<func::FuncOp> function = createTensorFunction("kernel", problem, 0, *module);
  if (failed(function))
    return failure();
  Tiling tiling = chooseTiling(*function, kTilingLimits);
  for (const Tiling &attempt : {tiling, Tiling()}) {
    OwningOpRef<ModuleOp> trial = ModuleOp::create(loc);
    ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<int64_t> scratch = buildFunction("kernel", problem, attempt, 0, *trial);
    if (failed(scratch))
      continue;
    int64_t operations = 0;
    trial->walk([&](linalg::LinalgOp) { ++operations; });
    return Cut{attempt, *scratch, operations == 1};
  }
  return failure();
}

/// A cut as the parameters of a candidate: those of the kernel, and the scratch bytes.
static DictionaryAttr makeParameters(MLIRContext *context, const Cut &cut) {
  return addScratch(makeTilingParameters(context, cut.tiling), cut.scratchBytes);
}

/// The cut in a candidate's parameters; else, where it depends on the layouts, a new one. Fails for
/// units that no candidate is for: the plan may have been edited.
static FailureOr<Cut> getCut(DictionaryAttr parameters, dnn::UnitOp unit) {
  if (failed(describeUnit(unit)))
    return failure();
  if (std::optional<int64_t> scratchBytes = getScratch(parameters)) {
    Cut cut{getTiling(parameters), *scratchBytes, /*isOneOperation=*/false};
    if (cut.tiling.tasks < 1)
      return failure();
    return cut;
  }
  return chooseCut(getProblem(unit), unit.getLoc());
}

void GenericFamily::getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device,
                                  CandidateList &list) const {
  if (!device.isCPU())
    return list.reject("runs on CPUs only");
  FailureOr<Candidate> described = describeUnit(unit);
  if (failed(described))
    return list.reject("expects tensors of static shape below 2^63 bytes");
  Candidate &candidate = *described;
  // Plain loops reach a small part of the peak where data is used again.
  candidate.efficiencyPercent = unit.getPrimitive() ? 2 : 20;
  // One operation needs no temporaries, and is cut when its layout is known.
  if (!isElementwise(unit)) {
    FailureOr<Cut> cut = chooseCut(getProblem(unit), unit.getLoc());
    if (failed(cut))
      return list.reject("cannot be lowered to loops");
    candidate.parameters = makeParameters(unit.getContext(), *cut);
    candidate.workerBytes = cut->scratchBytes;
  }
  list.candidates.push_back(candidate);
  addBlockedCandidates(unit, device, candidate, list);
}

FailureOr<SmallVector<Value>> GenericFamily::expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                                    dnn::DeviceAttr device,
                                                    DispatchBuilder &builder) const {
  FailureOr<Cut> cut = getCut(parameters, unit);
  if (failed(cut))
    return unit.emitError() << "family '" << getName() << "' cannot run unit '" << unit.getName()
                            << "' with the parameters " << parameters;
  DictionaryAttr cutParameters = makeTilingParameters(unit.getContext(), cut->tiling);
  SmallVector<int64_t> inPlace;
  if (cut->isOneOperation)
    inPlace = getInPlaceInputs(unit);
  ValueRange results = builder.dispatch(cutParameters, unit.getInputs(), unit.getInits(),
                                        cut->scratchBytes, inPlace);
  return llvm::to_vector(results);
}

LaunchShape GenericFamily::getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const {
  LaunchShape shape;
  shape.grid[0] = getTiling(kernel.getParameters()).tasks;
  return shape;
}

//===----------------------------------------------------------------------===//
// Kernel functions
//===----------------------------------------------------------------------===//

static func::FuncOp getFunction(ModuleOp module, StringRef name) {
  return module.lookupSymbol<func::FuncOp>(name);
}

/// Moves everything of `from` into `to` and returns the function called `name`.
static func::FuncOp adopt(ModuleOp from, ModuleOp to, StringRef name) {
  for (Operation &op : llvm::make_early_inc_range(*from.getBody()))
    op.moveBefore(to.getBody(), to.getBody()->end());
  return getFunction(to, name);
}

/// Builds a function of `kernel` into `module`; when its tiling cannot be kept, as one piece that
/// task 0 runs.
static FailureOr<func::FuncOp> buildVariant(dnn::KernelOp kernel, StringRef name, Problem problem,
                                            ModuleOp module) {
  Tiling tiling = getTiling(kernel.getParameters());
  for (const Tiling &attempt : {tiling, Tiling()}) {
    OwningOpRef<ModuleOp> part = ModuleOp::create(kernel.getLoc());
    FailureOr<int64_t> scratch =
        buildFunction(name, problem, attempt, kernel.getWorkerBytes(), *part);
    if (failed(scratch))
      continue;
    if (*scratch > kernel.getWorkerBytes())
      return kernel.emitError() << "expects " << *scratch << " bytes of scratch memory, got "
                                << kernel.getWorkerBytes();
    func::FuncOp function = adopt(*part, module, name);
    if (attempt.tasks == 1 && tiling.tasks > 1) {
      // The other tasks have nothing to do.
      OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
      Location loc = function.getLoc();
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                            function.getArguments().back(), zero);
      auto guard = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
      Block *body = guard.thenBlock();
      Block &entry = function.getBody().front();
      body->getOperations().splice(body->begin(), entry.getOperations(),
                                   std::next(guard->getIterator()), std::prev(entry.end()));
    }
    return function;
  }
  return kernel.emitError() << "cannot lower the body of kernel '" << kernel.getSymName() << "'";
}

/// Where an output may share the bytes of an input, a function that tells the two cases apart:
/// LLVM vectorizes each of them, but not code that must serve both.
static void buildSwitch(dnn::KernelOp kernel, func::FuncOp apart, func::FuncOp shared,
                        int64_t input, int64_t output, ModuleOp module) {
  Location loc = kernel.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(builder, loc, kernel.getSymName(), apart.getFunctionType());
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  auto getAddress = [&](int64_t argument) -> Value {
    return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                          entry->getArgument(argument));
  };
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, getAddress(input),
                                     getAddress(output));
  auto branch = scf::IfOp::create(builder, loc, same, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> arguments(entry->getArguments().begin(), entry->getArguments().end());
  func::CallOp::create(builder, loc, apart, arguments)
      ->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  arguments[input] = arguments[output];
  func::CallOp::create(builder, loc, shared, arguments);
  builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(builder, loc);
  function->setAttr(kVectorizeLoopsAttrName, builder.getUnitAttr());
  for (func::FuncOp variant : {apart, shared})
    variant.setPrivate();
  apart.setArgAttr(output, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
}

LogicalResult GenericFamily::build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                                   ModuleOp module) const {
  if (failed(verifyArguments(kernel)))
    return failure();
  Problem problem = getProblem(kernel);
  int64_t input = kernel.getInPlace().empty() ? -1 : kernel.getInPlace()[0];
  int64_t output = problem.getNumInputs();
  std::string name = kernel.getSymName().str();
  bool mayShare = input >= 0 && problem.arguments[input] == problem.arguments[output];
  FailureOr<func::FuncOp> apart =
      buildVariant(kernel, mayShare ? name + "_apart" : name, problem, module);
  if (failed(apart))
    return failure();
  (*apart)->setAttr(kVectorizeLoopsAttrName, UnitAttr::get(kernel.getContext()));
  if (!mayShare)
    return success();
  FailureOr<func::FuncOp> shared = buildVariant(kernel, name + "_shared", problem, module);
  if (failed(shared))
    return failure();
  // The shared variant reads what it overwrites through the output.
  shared->getArgument(input).replaceAllUsesWith(shared->getArgument(output));
  buildSwitch(kernel, *apart, *shared, input, output, module);
  return success();
}

std::unique_ptr<KernelFamily> udnn::cpu::createGenericFamily() {
  return std::make_unique<GenericFamily>();
}
