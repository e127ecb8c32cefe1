//===- Lowering.td - passes that lower primitives --------------*- tablegen -*-===//
//
// Conversions of dnn primitives to upstream dialects.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_LOWERING
#define UDNN_PASSES_LOWERING

include "mlir/Pass/PassBase.td"

def ConvertDnnToLinalgPass : Pass<"convert-dnn-to-linalg"> {
  let summary = "Replace dnn primitives by linalg operations on tensors";
  let description = [{
    The semantic reference of the dialect: every primitive becomes
    `linalg.fill`s and `linalg.generic`s over the physical dimensions of its
    result and its logical reduction dimensions. Positions that no affine map
    can name (padding, channel blocks, groups) are read by `tensor.extract`
    inside the body. The epilogue becomes a last `linalg.generic`.

    Before:

    ```mlir
    %y = dnn.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) outs(%e : tensor<8x2xf32>) accumulator f32
    ```

    After:

    ```mlir
    %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
    %y = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (k, n), (m, n, k) -> (m, n)], ...}
         ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) outs(%0 : tensor<8x2xf32>) {...}
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif // UDNN_PASSES_LOWERING
