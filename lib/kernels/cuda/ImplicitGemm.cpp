//===- ImplicitGemm.cpp - convolutions and matrix products ------------------===//
//
// The family "cuda.implicit_gemm": windows are gathered while tiles are loaded, so that a
// convolution is a matrix product without workspace. FMA for f32 and f64, tensor cores for f16 and
// bf16 with f32 sums.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CudaFamilies.h"
#include "GemmEmitter.h"

#include "../common/GenericUnit.h"
#include "../common/UnitOperands.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cuda;

namespace {
/// A tile and the share of the peak rate that it reaches on a product that fills the device.
struct TileChoice {
  GemmTile tile;
  int64_t percent;
};
} // namespace

static constexpr TileChoice kTiles[] = {
    {{128, 128, 8, false, 8}, 50}, {{64, 64, 16, false, 4}, 30}, {{32, 32, 16, false, 2}, 20},
    {{128, 128, 32, true, 0}, 15}, {{64, 64, 32, true, 0}, 10},  {{32, 32, 32, true, 0}, 5}};

/// CUDA's limit for the second and third dimension of a grid.
static constexpr int64_t kMaxGridYZ = 65535;

static Type getElementType(Value value) {
  return cast<ShapedType>(value.getType()).getElementType();
}

/// Why the types of the primitive are not covered (empty: they are), and whether they are those of
/// the tensor cores.
static std::string explainTypes(Operation *primitive, bool &mma) {
  Type element = getElementType(primitive->getOperand(0));
  auto op = cast<dnn::EpilogueOpInterface>(primitive);
  Type accumulator = op.getAccumulatorType();
  mma = (element.isF16() || element.isBF16()) && accumulator.isF32();
  if (getElementType(primitive->getOperand(1)) != element)
    return "the operands' types differ";
  if (!mma && (element != accumulator || !(element.isF32() || element.isF64())))
    return "only f32, f64, and f16 and bf16 with f32 sums are covered";
  if (op.getAccumulate())
    return "accumulation is not covered";
  return {};
}

static DictionaryAttr makeParameters(MLIRContext *context, const GemmTile &tile) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("math", builder.getStringAttr(tile.mma ? "mma" : "fma")),
       builder.getNamedAttr("tile", builder.getDenseI64ArrayAttr({tile.m, tile.n, tile.k}))});
}

/// The tile of a kernel's parameters, or null for one that is not in the table.
static const GemmTile *getTile(DictionaryAttr parameters) {
  for (const TileChoice &choice : kTiles)
    if (makeParameters(parameters.getContext(), choice.tile) == parameters)
      return &choice.tile;
  return nullptr;
}

/// True when `tile` is for the operands' types and there is an argument for every operand.
static bool fits(dnn::KernelOp kernel, const GemmTile &tile) {
  Operation *primitive = kernel.getPrimitive();
  auto op = cast<dnn::EpilogueOpInterface>(primitive);
  bool mma;
  return explainTypes(primitive, mma).empty() && mma == tile.mma &&
         explainGemmEpilogue(op).empty() &&
         kernel.getArgumentTypes().size() == 3 + op.getExtrasOperandRange().size();
}

namespace {
class ImplicitGemmFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cuda.implicit_gemm"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    Operation *primitive = unit.getPrimitive();
    std::string reason;
    std::unique_ptr<GemmProblem> problem = GemmProblem::create(primitive, &reason);
    if (!problem)
      return list.reject(reason);
    bool mma;
    if (reason = explainTypes(primitive, mma); !reason.empty())
      return list.reject(reason);
    reason = explainGemmEpilogue(cast<dnn::EpilogueOpInterface>(primitive));
    if (!reason.empty())
      return list.reject(reason);
    if (problem->m * problem->n * problem->k * problem->batch == 0)
      return list.reject("the product is empty");
    FailureOr<Candidate> described = generic::describeUnit(unit);
    if (failed(described))
      return list.reject("expects tensors of static shape below 2^63 bytes");
    for (const TileChoice &choice : kTiles)
      if (choice.tile.mma == mma)
        addCandidate(*described, device, *problem, choice, list);
    if (list.candidates.empty())
      list.reject("the grid would be too large");
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    Operation *primitive = unit.getPrimitive();
    SmallVector<Value> inputs = {getUnitOperand(unit, primitive->getOperand(0)),
                                 getUnitOperand(unit, primitive->getOperand(1))};
    llvm::append_range(inputs, getUnitExtras(unit));
    Value init =
        getUnitOperand(unit, cast<DestinationStyleOpInterface>(primitive).getDpsInits()[0]);
    return SmallVector<Value>(
        builder.dispatch(parameters, inputs, init, /*workerBytes=*/0, getInPlaceExtra(unit, 2)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    std::string reason;
    std::unique_ptr<GemmProblem> problem = GemmProblem::create(kernel.getPrimitive(), &reason);
    const GemmTile *tile = getTile(kernel.getParameters());
    return problem && tile ? getGemmLaunch(*problem, *tile) : LaunchShape();
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    std::string reason;
    std::unique_ptr<GemmProblem> problem = GemmProblem::create(kernel.getPrimitive(), &reason);
    const GemmTile *tile = getTile(kernel.getParameters());
    if (!problem || !tile || !fits(kernel, *tile))
      return kernel.emitError() << "expects a problem and a tile of family '" << getName()
                                << "', got parameters " << kernel.getParameters();
    // The filters of a convolution are the rows of the product.
    int64_t aArgument = isa<dnn::ConvOp>(kernel.getPrimitive()) ? 1 : 0;
    emitGemm(kernel, *problem, *tile, aArgument, module);
    return success();
  }

private:
  static void addCandidate(Candidate candidate, dnn::DeviceAttr device, const GemmProblem &problem,
                           const TileChoice &choice, CandidateList &list) {
    LaunchShape shape = getGemmLaunch(problem, choice.tile);
    if (shape.grid[1] > kMaxGridYZ || shape.grid[2] > kMaxGridYZ)
      return;
    int64_t blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
    candidate.parameters = makeParameters(device.getContext(), choice.tile);
    candidate.flops = 2 * blocks * choice.tile.m * choice.tile.n * problem.k;
    // Multiprocessors without a block are idle.
    int64_t cores = device.getCores();
    candidate.efficiencyPercent =
        llvm::divideCeilSigned(choice.percent * std::min(blocks, cores), cores);
    candidate.errorPpb = 300;
    list.candidates.push_back(std::move(candidate));
  }
};
} // namespace

std::unique_ptr<KernelFamily> cuda::createImplicitGemmFamily() {
  return std::make_unique<ImplicitGemmFamily>();
}
