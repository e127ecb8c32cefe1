//===- ActivationOperators.cpp - activation functions -----------------------===//
//
// Relu, LeakyRelu, PRelu, ThresholdedRelu, Elu, Celu, Selu, Gelu, Sigmoid, HardSigmoid, HardSwish,
// Swish, Mish, Softplus, Softsign, Clip.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "OperatorRegistry.h"

#include <cmath>

using namespace mlir;
using namespace udnn;
using namespace udnn::onnx;

using Scalar = llvm::function_ref<Value(ElementEmitter &, Value)>;

/// Applies a function of one element to input 0.
static LogicalResult importUnary(NodeContext &ctx, Scalar function) {
  return importElementwise(
      ctx, 1, [&](ElementEmitter &e, ValueRange elements) { return function(e, elements[0]); });
}

static LogicalResult importRelu(NodeContext &ctx) {
  return importUnary(ctx, [](ElementEmitter &e, Value x) { return e.max(x, 0.0); });
}

static LogicalResult importLeakyRelu(NodeContext &ctx) {
  double alpha = ctx.getFloat("alpha", 0.01f);
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    return e.select(e.less(x, 0.0), e.mul(x, alpha), x);
  });
}

static LogicalResult importPRelu(NodeContext &ctx) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  ElementType elementType = ctx.getElementType(0);
  Type type = ctx.getType(elementType);
  // The slope broadcasts to the input and not the other way round.
  FailureOr<Value> result = ctx.createElementwise(
      {ctx.getInput(0), ctx.getInput(1)}, ctx.getInputType(0).getShape(), type,
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        return emitWide(b, loc, elements, type, [&](ElementEmitter &e, ValueRange v) -> Value {
          if (isUnsigned(elementType))
            return v[0];
          return e.select(e.less(v[0], 0.0), e.mul(v[0], v[1]), v[0]);
        });
      });
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result);
}

static LogicalResult importThresholdedRelu(NodeContext &ctx) {
  double alpha = ctx.getFloat("alpha", 1.0f);
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    return e.select(e.greater(x, alpha), x, e.constant(x, 0));
  });
}

static LogicalResult importElu(NodeContext &ctx) {
  double alpha = ctx.getFloat("alpha", 1.0f);
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    return e.select(e.less(x, 0.0), e.mul(e.add(e.exp(x), -1), alpha), x);
  });
}

static LogicalResult importCelu(NodeContext &ctx) {
  double alpha = ctx.getFloat("alpha", 1.0f);
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    Value power = e.exp(e.div(x, e.constant(x, alpha)));
    return e.add(e.max(x, 0.0), e.min(e.mul(e.add(power, -1), alpha), 0.0));
  });
}

static LogicalResult importSelu(NodeContext &ctx) {
  double alpha = ctx.getFloat("alpha", 1.67326319217681884765625f);
  double gamma = ctx.getFloat("gamma", 1.05070102214813232421875f);
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    Value negative = e.mul(e.add(e.exp(x), -1), alpha);
    return e.mul(e.select(e.greater(x, 0.0), x, negative), gamma);
  });
}

static LogicalResult importGelu(NodeContext &ctx) {
  std::string approximate = ctx.getString("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return ctx.emitError() << "expects 'approximate' to be none or tanh, got '" << approximate
                           << "'";
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    Value half = e.mul(x, 0.5);
    if (approximate == "none") {
      Value erf = e.emit<math::ErfOp>(e.mul(x, std::sqrt(0.5)));
      return e.mul(half, e.add(erf, 1));
    }
    Value cube = e.mul(e.mul(x, x), x);
    Value inner = e.mul(e.add(x, e.mul(cube, 0.044715)), std::sqrt(2 / M_PI));
    return e.mul(half, e.add(e.emit<math::TanhOp>(inner), 1));
  });
}

static LogicalResult importSigmoid(NodeContext &ctx) {
  return importUnary(ctx, [](ElementEmitter &e, Value x) { return e.sigmoid(x); });
}

/// max(0, min(1, alpha * x + beta))
static Value emitHardSigmoid(ElementEmitter &e, Value x, double alpha, double beta) {
  return e.max(e.min(e.add(e.mul(x, alpha), beta), 1.0), 0.0);
}

static LogicalResult importHardSigmoid(NodeContext &ctx) {
  double alpha = ctx.getFloat("alpha", 0.2f), beta = ctx.getFloat("beta", 0.5f);
  return importUnary(
      ctx, [&](ElementEmitter &e, Value x) { return emitHardSigmoid(e, x, alpha, beta); });
}

static LogicalResult importHardSwish(NodeContext &ctx) {
  return importUnary(ctx, [](ElementEmitter &e, Value x) {
    return e.mul(x, emitHardSigmoid(e, x, 1.0 / 6, 0.5));
  });
}

static LogicalResult importSwish(NodeContext &ctx) {
  double alpha = ctx.getFloat("alpha", 1.0f);
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    return e.mul(x, e.sigmoid(alpha == 1 ? x : e.mul(x, alpha)));
  });
}

static LogicalResult importMish(NodeContext &ctx) {
  return importUnary(ctx, [](ElementEmitter &e, Value x) {
    return e.mul(x, e.emit<math::TanhOp>(e.softplus(x)));
  });
}

static LogicalResult importSoftplus(NodeContext &ctx) {
  return importUnary(ctx, [](ElementEmitter &e, Value x) { return e.softplus(x); });
}

static LogicalResult importSoftsign(NodeContext &ctx) {
  return importUnary(ctx, [](ElementEmitter &e, Value x) { return e.div(x, e.add(e.abs(x), 1)); });
}

/// Clip of opsets 7 to 10, whose bounds are attributes.
static LogicalResult importClipAttributes(NodeContext &ctx) {
  constexpr float largest = std::numeric_limits<float>::max();
  double low = ctx.getFloat("min", -largest), high = ctx.getFloat("max", largest);
  return importUnary(ctx, [&](ElementEmitter &e, Value x) {
    if (ctx.hasAttribute("min"))
      x = e.max(x, low);
    return ctx.hasAttribute("max") ? e.min(x, high) : x;
  });
}

static LogicalResult importClip(NodeContext &ctx) {
  if (failed(checkSameTypes(ctx)))
    return failure();
  SmallVector<Value> operands = {ctx.getInput(0)};
  for (unsigned i : {1, 2}) {
    if (!ctx.hasInput(i))
      continue;
    if (ctx.getInputType(i).getNumElements() != 1)
      return ctx.emitError() << "expects input " << i << " to have one element, got "
                             << ctx.getInputType(i).getNumElements();
    operands.push_back(ctx.createReshape(ctx.getInput(i), {}));
  }
  bool hasLow = ctx.hasInput(1), hasHigh = ctx.hasInput(2);
  bool compareUnsigned = isUnsigned(ctx.getElementType(0));
  Type type = ctx.getInputType(0).getElementType();
  FailureOr<Value> result = ctx.createElementwise(
      operands, ctx.getInputType(0).getShape(), type,
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        return emitWide(b, loc, elements, type, [&](ElementEmitter &e, ValueRange v) {
          Value x = v[0];
          if (hasLow)
            x = e.max(x, v[1], compareUnsigned);
          return hasHigh ? e.min(x, v.back(), compareUnsigned) : x;
        });
      });
  if (failed(result))
    return failure();
  return ctx.setOutput(0, *result);
}

void udnn::onnx::registerActivationOperators(OperatorRegistry &registry) {
  constexpr TypeSet wideIntegers = {ElementType::Int32, ElementType::Int64, ElementType::UInt32,
                                    ElementType::UInt64};
  registry.add({"Celu", {12}, 1, 1, 1, kFloatTypes, importCelu});
  registry.add({"Clip", {7, 10}, 1, 1, 1, kFloatTypes, importClipAttributes});
  registry.add({"Clip", {11}, 1, 3, 1, kNumericTypes, importClip});
  registry.add({"Elu", {}, 1, 1, 1, kFloatTypes, importElu});
  registry.add({"Gelu", {20}, 1, 1, 1, kFloatTypes, importGelu});
  registry.add({"HardSigmoid", {}, 1, 1, 1, kFloatTypes, importHardSigmoid});
  registry.add({"HardSwish", {14}, 1, 1, 1, kFloatTypes, importHardSwish});
  registry.add({"LeakyRelu", {}, 1, 1, 1, kFloatTypes, importLeakyRelu});
  registry.add({"Mish", {18}, 1, 1, 1, kFloatTypes, importMish});
  registry.add({"PRelu", {}, 2, 2, 1, kFloatTypes | wideIntegers, importPRelu});
  registry.add({"Relu", {}, 1, 1, 1, kFloatTypes | kSignedTypes, importRelu});
  registry.add({"Selu", {}, 1, 1, 1, kFloatTypes, importSelu});
  registry.add({"Sigmoid", {}, 1, 1, 1, kFloatTypes, importSigmoid});
  registry.add({"Softplus", {}, 1, 1, 1, kFloatTypes, importSoftplus});
  registry.add({"Softsign", {}, 1, 1, 1, kFloatTypes, importSoftsign});
  registry.add({"Swish", {24}, 1, 1, 1, kFloatTypes, importSwish});
  registry.add({"ThresholdedRelu", {10}, 1, 1, 1, kFloatTypes, importThresholdedRelu});
}
