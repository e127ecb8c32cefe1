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

def WrapTransformsPass : Pass<"dnn-wrap-transforms", "::mlir::func::FuncOp"> {
  let summary = "make units of what selection left on tensors: layout transforms and packing";
  let description = [{
    Runs after constant folding. Every `linalg` operation, `tensor.pad` and
    primitive that is still in a function is wrapped into a unit, which
    `dnn-plan` with `keep-layouts` and `dnn-select` then treat like every other
    unit.

    Before:

    ```mlir
    %p = linalg.pack %x inner_dims_pos = [1] inner_tiles = [8] into %e : tensor<...> -> tensor<...>
    ```

    After:

    ```mlir
    %p = dnn.unit "pack" ins(%x : tensor<...>) outs(%e : tensor<...>) {
    ^bb0(%a: tensor<...>, %b: tensor<...>):
      %0 = linalg.pack %a inner_dims_pos = [1] inner_tiles = [8] into %b : tensor<...> -> tensor<...>
      dnn.yield %0 : tensor<...>
    } -> tensor<...>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::udnn::dnn::DnnDialect"];
}

def VerifySelectedPass : Pass<"dnn-verify-selected", "::mlir::ModuleOp"> {
  let summary = "check the contract after selection: dispatches, constants and views on tensors";
  let description = [{
    Checks that the module holds one `func.func @main` of one block and
    `dnn.kernel`s, that `@main` holds only `dnn.dispatch`, `tensor.empty`,
    `arith.constant`, views, `tensor.insert_slice` and `return`, that all shapes
    are static and every tensor's bytes fit 63 bits, and that the module names
    its device.
  }];
}

#endif // UDNN_PASSES_SELECT
