//===- Select.td - passes that turn units into dispatches ------*- tablegen -*-===//
//
// Applying plans.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_SELECT
#define UDNN_PASSES_SELECT

include "mlir/Pass/PassBase.td"

def SelectPass : Pass<"dnn-select", "::mlir::ModuleOp"> {
  let summary = "turn planned units into the dispatches of their kernel families";
  let description = [{
    Rewrites every `dnn.unit` into the layouts of its plan and lets the planned
    kernel family expand it into dispatches on tensors. Where a value is needed
    in another layout than it has, a `linalg.pack`, `linalg.unpack` or
    `linalg.transpose` is placed once per layout. `tensor.concat` becomes a
    chain of `tensor.insert_slice` into one tensor; a concatenation that only
    appends to another one shares its tensor, so that growing a tensor channel
    by channel copies nothing.

    Before:

    ```mlir
    %y = dnn.unit "conv1" plan <pieces = [#dnn.piece<family = "cpu.direct_conv", ...>], ...> ins(%x, %w : ...) ...
    ```

    After:

    ```mlir
    %p = linalg.pack %x inner_dims_pos = [1] inner_tiles = [8] into %e0 : ...
    %y = dnn.dispatch "conv1" @direct_conv_0 ins(%p, %packed : ...) outs(%e1 : ...) -> ...
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def DispatchRestPass : Pass<"dnn-dispatch-rest", "::mlir::ModuleOp"> {
  let summary = "dispatch what selection left on tensors: layout transforms and packing";
  let description = [{
    Runs after constant folding. Every `linalg` operation, `tensor.pad` and
    primitive that is still in a function is wrapped into a unit and dispatched
    by the fastest kernel family that takes it as it is.

    Before:

    ```mlir
    %p = linalg.pack %x inner_dims_pos = [1] inner_tiles = [8] into %e : ...
    ```

    After:

    ```mlir
    %p = dnn.dispatch "pack" @transform_0 ins(%x : ...) outs(%e : ...) -> ...
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // UDNN_PASSES_SELECT
