//===- PoolOperators.cpp - pooling -------------------------------------------===//
//
// MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorRegistry.h"
#include "Window.h"
#include "udnn/Dialect/Dnn.h"

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;
using dnn::DimsAttr;

/// A window with the shape that pooling with it gives.
struct Pool {
  Window window;
  SmallVector<int64_t> shape;
};

static FailureOr<Pool> readPool(NodeContext &ctx) {
  RankedTensorType input = ctx.getInputType(0);
  if (failed(checkSpatialRank(ctx, input)))
    return failure();
  FailureOr<Window> window = readWindow(ctx, input.getRank() - 2, {});
  if (failed(window))
    return failure();
  FailureOr<SmallVector<int64_t>> spatial =
      resolveWindow(ctx, *window, input.getShape().drop_front(2), ctx.getInt("ceil_mode", 0) != 0);
  if (failed(spatial))
    return failure();
  Pool pool{*window, {input.getDimSize(0), input.getDimSize(1)}};
  pool.shape.append(*spatial);
  if (failed(checkShape(ctx, pool.shape)))
    return failure();
  return pool;
}

/// A window over the whole spatial size.
static FailureOr<Pool> getGlobalPool(NodeContext &ctx) {
  RankedTensorType input = ctx.getInputType(0);
  if (failed(checkSpatialRank(ctx, input)))
    return failure();
  int64_t rank = input.getRank() - 2;
  Pool pool;
  pool.window.size.assign(input.getShape().begin() + 2, input.getShape().end());
  pool.window.strides.assign(rank, 1);
  pool.window.dilations.assign(rank, 1);
  pool.window.pads.assign(2 * rank, 0);
  pool.shape.assign(rank + 2, 1);
  pool.shape[0] = input.getDimSize(0);
  pool.shape[1] = input.getDimSize(1);
  if (llvm::is_contained(pool.window.size, 0))
    return ctx.emitError() << "expects spatial dimensions of 1 or more, got " << input;
  return pool;
}

static LogicalResult emitMaxPool(NodeContext &ctx, const Pool &pool) {
  OpBuilder &b = ctx.builder;
  Type elementType = ctx.getInputType(0).getElementType();
  Value init = ctx.createEmpty(pool.shape, elementType);
  Value indicesInit;
  if (ctx.wantsOutput(1))
    indicesInit = ctx.createEmpty(pool.shape, b.getI64Type());
  bool columnMajor = ctx.getInt("storage_order", 0) != 0;
  DimsAttr dims = DimsAttr::getActivation(b.getContext(), pool.window.getRank());
  auto op = dnn::MaxPoolOp::create(
      b, ctx.loc, init.getType(), indicesInit ? indicesInit.getType() : Type(), ctx.getInput(0),
      init, indicesInit, pool.window.size, pool.window.strides, pool.window.pads,
      pool.window.dilations, dims, columnMajor, isUnsigned(ctx.getElementType(0)));
  if (indicesInit)
    (void)ctx.setOutput(1, op.getIndices(), ElementType::Int64);
  return ctx.setOutput(0, op.getResult());
}

static LogicalResult emitAveragePool(NodeContext &ctx, const Pool &pool) {
  OpBuilder &b = ctx.builder;
  Value init = ctx.createEmpty(pool.shape, ctx.getInputType(0).getElementType());
  DimsAttr dims = DimsAttr::getActivation(b.getContext(), pool.window.getRank());
  auto op = dnn::AvgPoolOp::create(
      b, ctx.loc, init.getType(), ctx.getInput(0), init, pool.window.size, pool.window.strides,
      pool.window.pads, pool.window.dilations, dims, ctx.getInt("count_include_pad", 0) != 0);
  return ctx.setOutput(0, op.getResult());
}

template <FailureOr<Pool> (*read)(NodeContext &),
          LogicalResult (*emit)(NodeContext &, const Pool &)>
static LogicalResult importPool(NodeContext &ctx) {
  FailureOr<Pool> pool = read(ctx);
  return failed(pool) ? failure() : emit(ctx, *pool);
}

void udnn::onnx::registerPoolOperators(OperatorRegistry &registry) {
  std::string note = "more than 3 spatial dimensions";
  TypeSet maxTypes = kFloatTypes | TypeSet({ElementType::Int8, ElementType::UInt8});
  registry.add(
      {"AveragePool", {}, 1, 1, 1, kFloatTypes, importPool<readPool, emitAveragePool>, 0, note});
  registry.add({"GlobalAveragePool",
                {},
                1,
                1,
                1,
                kFloatTypes,
                importPool<getGlobalPool, emitAveragePool>,
                0,
                note});
  registry.add(
      {"GlobalMaxPool", {}, 1, 1, 1, kFloatTypes, importPool<getGlobalPool, emitMaxPool>, 0, note});
  registry.add({"MaxPool", {}, 1, 1, 2, maxTypes, importPool<readPool, emitMaxPool>, 0, note});
}
