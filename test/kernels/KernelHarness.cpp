//===- KernelHarness.cpp - runs units through a kernel family ----------------===//
//
// The layouts, the expansion and the run of one unit, step by step.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "../codegen/SharedLibrary.h"

#include "udnn/Codegen/Backend.h"
#include "udnn/Codegen/Cpu.h"
#include "udnn/Constants/Evaluate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

using namespace mlir;

namespace udnn::test {

using dnn::DimsAttr;

Numbers makeRandom(std::mt19937 &random, std::vector<int64_t> shape, float scale) {
  Numbers numbers{shape, {}};
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  std::normal_distribution<float> normal(0, scale);
  for (int64_t i = 0; i < size; ++i)
    numbers.data.push_back(normal(random));
  return numbers;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getPhysicalShape(ArrayRef<int64_t> shape, DimsAttr layout) {
  if (!layout)
    return SmallVector<int64_t>(shape);
  SmallVector<int64_t> physical;
  for (auto [role, block] : llvm::zip(layout.getRoles(), layout.getBlocks())) {
    int64_t size = shape[role >= 0 ? role + 2 : role == DimsAttr::kChannel ? 1 : 0];
    int64_t divisor = layout.getBlock(role);
    physical.push_back(block != 1 ? block : (size + divisor - 1) / divisor);
  }
  return physical;
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

/// Calls `visit(plain, physical)` for the places of every element.
template <typename Visit>
static void forEachPlace(ArrayRef<int64_t> shape, DimsAttr layout, Visit visit) {
  SmallVector<int64_t> physical = getPhysicalShape(shape, layout);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t plain = 0, e = countElements(shape); plain < e; ++plain) {
    int64_t rest = plain;
    for (int64_t i = shape.size() - 1; i >= 0; --i) {
      index[i] = rest % shape[i];
      rest /= shape[i];
    }
    int64_t at = plain;
    if (layout) {
      at = 0;
      for (auto [role, block, size] : llvm::zip(layout.getRoles(), layout.getBlocks(), physical)) {
        int64_t value = index[role >= 0 ? role + 2 : role == DimsAttr::kChannel ? 1 : 0];
        int64_t divisor = layout.getBlock(role);
        at = at * size + (block != 1 ? value % divisor : value / divisor);
      }
    }
    visit(plain, at);
  }
}

static std::vector<float> toPhysical(const Numbers &numbers, DimsAttr layout) {
  std::vector<float> data(countElements(getPhysicalShape(numbers.shape, layout)), NAN);
  forEachPlace(numbers.shape, layout,
               [&](int64_t plain, int64_t at) { data[at] = numbers.data[plain]; });
  return data;
}

static ElementsAttr makeFloats(MLIRContext *context, ArrayRef<int64_t> shape,
                               ArrayRef<float> data) {
  auto type = RankedTensorType::get(shape, Float32Type::get(context));
  std::vector<char> bytes(data.size() * sizeof(float));
  std::memcpy(bytes.data(), data.data(), bytes.size());
  return makeConstant(type, std::move(bytes));
}

/// Maps of the extra operands from the plain result's dimensions to the physical result's.
static void rewriteMaps(Operation *op, ArrayRef<DimsAttr> operandLayouts, DimsAttr resultLayout) {
  auto epilogue = dyn_cast<dnn::EpilogueOpInterface>(op);
  if (!epilogue || !resultLayout)
    return;
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> plainDims(resultLayout.getSpatialRank() + 2);
  for (auto [i, role, block] : llvm::enumerate(resultLayout.getRoles(), resultLayout.getBlocks())) {
    AffineExpr &expr = plainDims[role >= 0 ? role + 2 : role == DimsAttr::kChannel ? 1 : 0];
    int64_t divisor = block != 1 ? 1 : resultLayout.getBlock(role);
    AffineExpr term = getAffineDimExpr(i, context) * divisor;
    expr = expr ? expr + term : term;
  }
  SmallVector<AffineMap> maps;
  OperandRange extras = epilogue.getExtrasOperandRange();
  for (auto [extra, map] : llvm::zip(extras, epilogue.getExtraMapValues())) {
    unsigned number = cast<BlockArgument>(extra).getArgNumber();
    bool sameLayout = operandLayouts[number] == resultLayout;
    AffineMap physical = sameLayout
                             ? AffineMap::getMultiDimIdentityMap(resultLayout.getRank(), context)
                             : map.replaceDimsAndSymbols(plainDims, {}, resultLayout.getRank(), 0);
    maps.push_back(physical);
  }
  epilogue.setExtraMapValues(maps);
}

/// Changes the unit's operands to constants in the candidate's layouts.
static void applyLayouts(dnn::UnitOp unit, const Candidate &candidate,
                         const std::vector<Numbers> &inputs, unsigned variableInputs) {
  OpBuilder builder(unit);
  Block &body = unit.getBody().front();
  Operation *op = unit.getPrimitive();
  SmallVector<DimsAttr> layouts(candidate.inputLayouts);
  llvm::append_range(layouts, candidate.resultLayouts);
  for (unsigned i = 0, e = unit.getNumOperands(); i < e; ++i) {
    Type element = Float32Type::get(unit.getContext());
    bool isInput = i < unit.getInputs().size();
    auto type = cast<RankedTensorType>(unit->getOperand(i).getType());
    SmallVector<int64_t> shape = getPhysicalShape(type.getShape(), layouts[i]);
    Value value;
    if (i < variableInputs) {
      value = unit->getOperand(i);
      value.setType(RankedTensorType::get(shape, element));
    } else if (isInput)
      value = arith::ConstantOp::create(
          builder, unit.getLoc(),
          cast<TypedAttr>(
              Attribute(makeFloats(unit.getContext(), shape, toPhysical(inputs[i], layouts[i])))));
    else
      value = tensor::EmptyOp::create(builder, unit.getLoc(), shape, element);
    unit->setOperand(i, value);
    body.getArgument(i).setType(value.getType());
  }
  DimsAttr resultLayout = candidate.resultLayouts[0];
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = cast<BlockArgument>(operand.get()).getArgNumber();
    if (auto layoutOp = dyn_cast<dnn::LayoutOpInterface>(op))
      if (layouts[number] && layoutOp.getOperandDims(operand.getOperandNumber()))
        layoutOp.setOperandDims(operand.getOperandNumber(), layouts[number]);
  }
  rewriteMaps(op, layouts, resultLayout);
  for (unsigned i = 0, e = unit.getNumResults(); i < e; ++i) {
    Type type = unit.getInits()[i].getType();
    unit.getResult(i).setType(type);
    op->getResult(i).setType(type);
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// Memory of one tensor, aligned, with a guard of NaN behind it.
struct Memory {
  std::vector<float> storage;
  float *data = nullptr;
  int64_t size = 0;

  explicit Memory(int64_t count) : storage(count + 64, NAN), size(count) {
    data = storage.data();
    while (reinterpret_cast<uintptr_t>(data) % 64)
      ++data;
  }
};

struct Step {
  std::string symbol;
  SharedLibrary::Kernel function = nullptr;
  SmallVector<void *> arguments;
  int64_t tasks = 0, workerBytes = 0;
};

void call(const Step &step, char *scratch, int64_t task) {
  SmallVector<void *> arguments(step.arguments);
  arguments.push_back(scratch);
  step.function(arguments.data(), task, task + 1);
}

/// Runs steps on this thread and one helper that spins between steps.
class Pool {
public:
  Pool() : helper([this] { loop(); }) {}
  ~Pool() {
    stop = true;
    helper.join();
  }

  void run(ArrayRef<Step> steps, ArrayRef<std::vector<char>> scratch, int threads) {
    for (const Step &step : steps) {
      if (threads == 1) {
        for (int64_t t = 0; t < step.tasks; ++t)
          call(step, const_cast<char *>(scratch[0].data()), t);
        continue;
      }
      current = &step;
      scratches = scratch;
      next = 0;
      int64_t ticket = started.load() + 1;
      started.store(ticket, std::memory_order_release);
      work(0);
      while (finished.load(std::memory_order_acquire) != ticket)
        ;
    }
  }

private:
  void work(int id) {
    for (int64_t t; (t = next.fetch_add(1, std::memory_order_relaxed)) < current->tasks;)
      call(*current, const_cast<char *>(scratches[id].data()), t);
  }
  void loop() {
    for (int64_t seen = 0; !stop;) {
      int64_t ticket = started.load(std::memory_order_acquire);
      if (ticket == seen) {
        if (++idle > 20000)
          std::this_thread::yield();
        continue;
      }
      idle = 0;
      seen = ticket;
      work(1);
      finished.store(seen, std::memory_order_release);
    }
  }

  const Step *current = nullptr;
  ArrayRef<std::vector<char>> scratches;
  std::atomic<int64_t> next{0}, started{0}, finished{0};
  std::atomic<bool> stop{false};
  int idle = 0;
  std::thread helper;
};

MLIRContext &getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registry
        .insert<dnn::DnnDialect, func::FuncDialect, linalg::LinalgDialect, tensor::TensorDialect>();
    registerCodegenDialects(registry);
    auto *created = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    created->loadAllAvailableDialects();
    return created;
  }();
  return *context;
}

dnn::DeviceAttr makeDevice(const Request &request) {
  MLIRContext *context = &getContext();
  bool wide = request.vectorBits == 512;
  int64_t rate = request.cores * 3 * (request.vectorBits / 32) * 4;
  return dnn::DeviceAttr::get(context, StringAttr::get(context, "cpu"),
                              StringAttr::get(context, wide ? "skylake-avx512" : "haswell"),
                              StringAttr::get(context, ""), request.cores, request.vectorBits, rate,
                              rate, 10 * request.cores + 10, 512 * 1024, 3000);
}

class CompiledUnitImpl : public CompiledUnit {
public:
  OwningOpRef<ModuleOp> module, kernelModule;
  std::unique_ptr<SharedLibrary> code;
  std::vector<std::unique_ptr<Memory>> memories;
  SmallVector<Step> steps;
  std::vector<std::vector<char>> scratch;
  /// Numbers of the inputs that are not constant, as laid out.
  llvm::DenseMap<Value, std::vector<float>> variables;
  Memory *result = nullptr;
  DimsAttr resultLayout;
  std::vector<int64_t> resultShape;
  Pool pool;

  void run(int threads) override { pool.run(steps, scratch, threads); }

  double measure(int threads, int count) override {
    double best = 1e9;
    for (int i = 0; i < count; ++i) {
      auto begin = std::chrono::steady_clock::now();
      run(threads);
      auto end = std::chrono::steady_clock::now();
      best = std::min(best, std::chrono::duration<double>(end - begin).count());
    }
    return best;
  }

  Numbers getResult() override {
    Numbers numbers{resultShape, {}};
    numbers.data.resize(countElements(numbers.shape));
    forEachPlace(numbers.shape, resultLayout,
                 [&](int64_t plain, int64_t at) { numbers.data[plain] = result->data[at]; });
    return numbers;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static dnn::UnitOp findUnit(ModuleOp module) {
  dnn::UnitOp found;
  module.walk([&](dnn::UnitOp unit) { found = unit; });
  return found;
}

/// Replaces the unit's inputs that are constants.
static void makeConstants(dnn::UnitOp unit, const Request &request) {
  OpBuilder builder(unit);
  for (unsigned i = request.variableInputs; i < unit.getInputs().size(); ++i) {
    auto attr = makeFloats(unit.getContext(), request.inputs[i].shape, request.inputs[i].data);
    unit->setOperand(i, arith::ConstantOp::create(builder, unit.getLoc(), cast<TypedAttr>(attr)));
  }
}

static std::string print(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

std::vector<std::string> listCandidates(const Request &request, std::string &reason) {
  std::vector<std::string> names;
  auto module = parseSourceString<ModuleOp>(request.module, &getContext());
  if (!module) {
    reason = "the module does not parse";
    return names;
  }
  CandidateList list;
  dnn::UnitOp unit = findUnit(*module);
  makeConstants(unit, request);
  lookupKernelFamily(request.family)->getCandidates(unit, makeDevice(request), list);
  for (const Candidate &candidate : list.candidates)
    names.push_back(print(candidate.parameters));
  reason = list.reason;
  return names;
}

/// Builds all kernels of the module into `unit.kernelModule`.
static bool buildKernels(CompiledUnitImpl &unit, const KernelFamily &family,
                         dnn::DeviceAttr device) {
  unit.kernelModule = ModuleOp::create(UnknownLoc::get(&getContext()));
  for (auto kernel : unit.module->getOps<dnn::KernelOp>()) {
    SmallVector<Type> types;
    for (Type type : kernel.getArgumentTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      types.push_back(MemRefType::get(tensor.getShape(), tensor.getElementType()));
    }
    auto tensors = kernel.getFunctionType();
    kernel.setFunctionType(FunctionType::get(&getContext(), types, {}));
    if (failed(family.build(kernel, device, *unit.kernelModule)))
      return false;
    kernel.setFunctionType(tensors);
  }
  return succeeded(verify(*unit.kernelModule));
}

/// Turns the dispatches into steps. Their inputs are constants or results of earlier ones.
static bool makeSteps(CompiledUnitImpl &unit, const KernelFamily &family, dnn::DeviceAttr device,
                      bool inPlace, std::string &error) {
  ConstantEvaluator evaluator;
  llvm::DenseMap<Value, Memory *> memoryOf;
  auto allocate = [&](int64_t count) {
    return unit.memories.emplace_back(std::make_unique<Memory>(count)).get();
  };
  auto getMemory = [&](Value value) -> Memory * {
    Memory *&memory = memoryOf[value];
    if (memory)
      return memory;
    auto type = cast<RankedTensorType>(value.getType());
    memory = allocate(type.getNumElements());
    if (auto it = unit.variables.find(value); it != unit.variables.end()) {
      std::copy(it->second.begin(), it->second.end(), memory->data);
      return memory;
    }
    if (ElementsAttr attr = evaluator.evaluate(value)) {
      auto bytes = getConstantBytes(attr);
      if (failed(bytes))
        return nullptr;
      std::memcpy(memory->data, bytes->data.data(), bytes->data.size());
      return memory;
    }
    error = "an input of a dispatch is not constant";
    return nullptr;
  };
  auto function = *unit.module->getOps<func::FuncOp>().begin();
  int64_t workerBytes = 0;
  for (auto dispatch : function.getOps<dnn::DispatchOp>()) {
    auto kernel = unit.module->lookupSymbol<dnn::KernelOp>(dispatch.getKernel());
    Step step{kernel.getSymName().str(),
              unit.code->lookup(kernel.getSymName().data()),
              {},
              0,
              kernel.getWorkerBytes()};
    SmallVector<Memory *> inputs;
    for (Value input : dispatch.getInputs()) {
      inputs.push_back(getMemory(input));
      if (!inputs.back())
        return false;
      step.arguments.push_back(inputs.back()->data);
    }
    for (auto [i, init, result] : llvm::enumerate(dispatch.getInits(), dispatch.getResults())) {
      int64_t shared = kernel.getInPlace().empty() ? -1 : kernel.getInPlace()[i];
      Memory *memory = inPlace && shared >= 0
                           ? inputs[shared]
                           : allocate(cast<RankedTensorType>(init.getType()).getNumElements());
      memoryOf[result] = memory;
      step.arguments.push_back(memory->data);
      unit.result = memory;
    }
    step.tasks = family.getLaunchShape(kernel, device).grid[0];
    workerBytes = std::max(workerBytes, step.workerBytes);
    unit.steps.push_back(step);
  }
  // Workers start with NaN in their scratch memory.
  unit.scratch.assign(2, std::vector<char>(workerBytes + 64, char(0xff)));
  return true;
}

std::unique_ptr<CompiledUnit> compile(const Request &request, int number, std::string &error) {
  auto unit = std::make_unique<CompiledUnitImpl>();
  unit->module = parseSourceString<ModuleOp>(request.module, &getContext());
  error = "the module does not parse";
  if (!unit->module)
    return nullptr;
  dnn::DeviceAttr device = makeDevice(request);
  const KernelFamily *family = lookupKernelFamily(request.family);
  dnn::UnitOp op = findUnit(*unit->module);
  CandidateList list;
  makeConstants(op, request);
  family->getCandidates(op, device, list);
  const Candidate &candidate = list.candidates[number];
  unit->resultLayout = candidate.resultLayouts[0];
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
  unit->resultShape.assign(shape.begin(), shape.end());
  applyLayouts(op, candidate, request.inputs, request.variableInputs);
  for (unsigned i = 0; i < request.variableInputs; ++i)
    unit->variables[op.getInputs()[i]] = toPhysical(request.inputs[i], candidate.inputLayouts[i]);
  error = "the unit is not valid in its layouts";
  if (failed(verify(op)))
    return nullptr;

  IRRewriter rewriter(op);
  KernelTable kernels(*unit->module);
  DispatchBuilder builder(rewriter, op, request.family, kernels);
  auto results = family->expand(op, candidate.parameters, device, builder);
  error = "the unit does not expand";
  if (failed(results))
    return nullptr;
  op.getResult(0).replaceAllUsesWith((*results)[0]);
  op.erase();
  error = "a kernel is not valid";
  if (!buildKernels(*unit, *family, device))
    return nullptr;
  auto bytes = compileModuleToSharedLibrary(*unit->kernelModule, device);
  error = "a kernel does not compile";
  if (failed(bytes))
    return nullptr;
  if (!canRun(request.vectorBits))
    return unit;
  unit->code = std::make_unique<SharedLibrary>(*bytes);
  if (!makeSteps(*unit, *family, device, request.inPlace, error))
    return nullptr;
  return unit;
}

bool canRun(int vectorBits) {
  return vectorBits == 512 ? __builtin_cpu_supports("avx512f") : __builtin_cpu_supports("avx2");
}

} // namespace udnn::test
