//===- Matmul.cpp - matrix products ------------------------------------------===//
//
// The family "cpu.matmul": batched products whose right side is read in panels of whole vectors.
// Constant right sides are packed at compile time, others by a launch of their own or not at all.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuFamilies.h"
#include "MatmulPlan.h"

#include "../common/CheckedFamily.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::cpu;

/// Cuts the rows into pieces, and narrows the groups of columns where there are few tasks.
static void chooseSchedule(const MatmulProblem &p, int64_t lanes, int64_t cores, MatmulPlan &plan) {
  plan.tiles = MatmulGrid(p, plan, lanes).tiles;
  auto countTasks = [&] { return MatmulGrid(p, plan, lanes).countTasks(p); };
  while (plan.tiles > 1 && countTasks() < 8 * cores)
    plan.tiles = llvm::divideCeilSigned(plan.tiles, 2);
  while (plan.vectors > 2 && countTasks() < 4 * cores)
    plan.vectors = llvm::divideCeilSigned(plan.vectors, 2);
}

static std::string explainMatmul(dnn::UnitOp unit, dnn::DeviceAttr device) {
  auto op = dyn_cast_or_null<dnn::MatmulOp>(unit.getPrimitive());
  if (!op)
    return "the unit is not a matrix product";
  auto isF32 = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType().isF32();
  };
  if (!isF32(op.getLhs()) || !isF32(op.getRhs()) || !isF32(op.getResult()) ||
      !op.getAccumulator().isF32())
    return "only f32 is covered";
  if (op.getAccumulate())
    return "accumulation is not covered";
  if (std::string why = explainOperands(op); !why.empty())
    return why;
  if (std::string why = explainLanes(device); !why.empty())
    return why;
  MatmulProblem p = MatmulProblem::get(op);
  if (p.m * p.n * p.k * p.batch == 0)
    return "empty products are not covered";
  int64_t rank = cast<RankedTensorType>(op.getResult().getType()).getRank();
  return explainEpilogue(cast<dnn::EpilogueOpInterface>(op.getOperation()), rank - 1);
}

namespace {

class MatmulFamily : public KernelFamily {
public:
  StringRef getName() const override { return "cpu.matmul"; }

  void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device, CandidateList &list) const override {
    if (std::string why = explainMatmul(unit, device); !why.empty())
      return list.reject(why);
    int64_t lanes = getLanes(device), percent = 100;
    auto op = cast<dnn::MatmulOp>(unit.getPrimitive());
    MatmulProblem p = MatmulProblem::get(op);
    RegisterTile tile = chooseTile(p.m, llvm::divideCeilSigned(p.n, lanes), /*maxVectors=*/64,
                                   /*exact=*/false, lanes, &percent);
    bool constant = isConstant(getUnitOperand(unit, op.getRhs()));
    MatmulPlan plan{MatmulPlan::kProduct, tile.columns, tile.vectors, 1, true};
    // A right side that many rows pass by is worth packing.
    plan.packed = constant || op.getTransposeRhs() || p.m >= 32;
    chooseSchedule(p, lanes, device.getCores(), plan);

    Candidate candidate;
    candidate.parameters = plan.getParameters(unit.getContext());
    candidate.inputLayouts.resize(unit.getInputs().size());
    candidate.resultLayouts.resize(1);
    candidate.flops = 2 * p.batch * p.m * p.n * p.k;
    candidate.bytes = 4 * p.batch * (p.m * p.k + p.k * p.n + p.m * p.n);
    candidate.efficiencyPercent = std::max<int64_t>(1, percent * 95 / 100);
    candidate.errorPpb = 300;
    if (plan.packed && !constant) {
      candidate.launches = 2;
      candidate.workspaceBytes =
          4 * getPackedType(unit.getContext(), op, plan, lanes).getNumElements();
      candidate.bytes += candidate.workspaceBytes;
    }
    list.candidates.push_back(candidate);
  }

  FailureOr<SmallVector<Value>> expand(dnn::UnitOp unit, DictionaryAttr parameters,
                                       dnn::DeviceAttr device,
                                       DispatchBuilder &builder) const override {
    auto op = cast<dnn::MatmulOp>(unit.getPrimitive());
    MatmulPlan plan = MatmulPlan::get(parameters);
    // Packing is a step that is added here, never what a unit computes.
    if (plan.step != MatmulPlan::kProduct)
      return unit.emitError() << "expects a plan for the kernel family '" << getName()
                              << "' to have the step " << int64_t(MatmulPlan::kProduct) << ", got "
                              << plan.step;
    if (op.getTransposeRhs() && !plan.packed)
      return unit.emitError() << "expects a plan for the kernel family '" << getName()
                              << "' to pack the right side, which is transposed";
    int64_t lanes = getLanes(device);
    Value lhs = getUnitOperand(unit, op.getLhs()), rhs = getUnitOperand(unit, op.getRhs());
    if (plan.packed && isConstant(rhs)) {
      rhs = packConstant(builder, op, rhs, plan.vectors * lanes);
    } else if (plan.packed) {
      MatmulPlan pack = plan;
      pack.step = MatmulPlan::kPack;
      Value init = builder.empty(getPackedType(unit.getContext(), op, plan, lanes));
      rhs = builder.dispatch(pack.getParameters(unit.getContext()), rhs, init)[0];
    }
    SmallVector<Value> inputs = {lhs, rhs};
    llvm::append_range(inputs, getUnitExtras(unit));
    return SmallVector<Value>(builder.dispatch(parameters, inputs,
                                               getUnitOperand(unit, op.getInit()),
                                               /*workerBytes=*/0, getInPlaceExtra(unit, 2)));
  }

  LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const override {
    auto op = cast<dnn::MatmulOp>(kernel.getPrimitive());
    MatmulProblem p = MatmulProblem::get(op);
    MatmulPlan plan = MatmulPlan::get(kernel.getParameters());
    MatmulGrid grid(p, plan, getLanes(device));
    LaunchShape launch;
    launch.grid[0] =
        plan.step == MatmulPlan::kPack ? countRightMatrices(op) * grid.groups : grid.countTasks(p);
    return launch;
  }

  LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                      ModuleOp module) const override {
    emitMatmul(kernel, module, getLanes(device));
    return success();
  }

private:
  static int64_t countRightMatrices(dnn::MatmulOp op) {
    int64_t count = 1;
    auto type = cast<RankedTensorType>(op.getRhs().getType());
    for (int64_t extent : type.getShape().drop_back(2))
      count *= extent;
    return count;
  }

  /// [(batch,) groups, k, vectors x lanes].
  static RankedTensorType getPackedType(MLIRContext *context, dnn::MatmulOp op,
                                        const MatmulPlan &plan, int64_t lanes) {
    MatmulProblem p = MatmulProblem::get(op);
    SmallVector<int64_t> shape = {MatmulGrid(p, plan, lanes).groups, p.k, plan.vectors * lanes};
    if (cast<RankedTensorType>(op.getRhs().getType()).getRank() > 2)
      shape.insert(shape.begin(), countRightMatrices(op));
    return RankedTensorType::get(shape, Float32Type::get(context));
  }

  /// Packs a constant right side by operations that fold.
  static Value packConstant(DispatchBuilder &builder, dnn::MatmulOp op, Value rhs, int64_t block) {
    RewriterBase &rewriter = builder.getRewriter();
    Location loc = builder.getLoc();
    auto type = cast<RankedTensorType>(rhs.getType());
    if (type.getRank() > 3) {
      SmallVector<ReassociationIndices> groups(3);
      for (int64_t i = 0; i < type.getRank(); ++i)
        groups[std::max<int64_t>(0, i - (type.getRank() - 3))].push_back(i);
      rhs = tensor::CollapseShapeOp::create(rewriter, loc, rhs, groups);
      type = cast<RankedTensorType>(rhs.getType());
    }
    int64_t rank = type.getRank();
    int64_t n = rank - (op.getTransposeRhs() ? 2 : 1), k = rank - (op.getTransposeRhs() ? 1 : 2);
    SmallVector<int64_t> order = {n, k}, inner = {n}, tiles = {block};
    SmallVector<int64_t> shape = {llvm::divideCeilSigned(type.getDimSize(n), block),
                                  type.getDimSize(k), block};
    if (rank == 3) {
      order.insert(order.begin(), 0);
      shape.insert(shape.begin(), type.getDimSize(0));
    }
    std::optional<Value> padding;
    if (type.getDimSize(n) % block)
      padding = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    Value init = builder.empty(RankedTensorType::get(shape, type.getElementType()));
    return linalg::PackOp::create(rewriter, loc, rhs, init, inner,
                                  getAsIndexOpFoldResult(rewriter.getContext(), tiles), padding,
                                  order)
        .getResult();
  }
};

} // namespace

std::unique_ptr<KernelFamily> cpu::createMatmulFamily() {
  return withParameters<dnn::MatmulOp>(std::make_unique<MatmulFamily>(),
                                       {{"step", MatmulPlan::kProduct, MatmulPlan::kPack},
                                        {"rows", 1, kMaxTile},
                                        {"vectors", 1, kMaxTile},
                                        {"tiles", 1, kMaxTaskSize},
                                        {"packed", 0, 1}});
}
