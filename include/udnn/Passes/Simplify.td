//===- Simplify.td - passes that fold and fuse -----------------*- tablegen -*-===//
//
// From the imported graph to units.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_SIMPLIFY
#define UDNN_PASSES_SIMPLIFY

include "mlir/Pass/PassBase.td"

def FoldConstantsPass : Pass<"dnn-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "compute what depends on constants alone";
  let description = [{
    Replaces values that depend on constants alone by constants: shape
    arithmetic and reshaped parameters before planning, packed and transformed
    filters after selection. Only the values that something else reads become
    constants; what lies between is not kept. Large results are resources.

    Before:

    ```mlir
    %w = arith.constant dense<...> : tensor<32x16x3x3xf32>
    %p = linalg.pack %w inner_dims_pos = [0] inner_tiles = [16] into %e : tensor<32x16x3x3xf32> -> tensor<2x16x3x3x16xf32>
    ```

    After:

    ```mlir
    %p = arith.constant dense_resource<udnn> : tensor<2x16x3x3x16xf32>
    ```
  }];
  let options = [
    Option<"limitBytes", "limit-bytes", "int64_t", /*default=*/"int64_t(1) << 31",
           "Tensors of more bytes than this stay computations; 0 for no limit">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldBatchNormPass : Pass<"dnn-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "fold batch normalization into convolutions";
  let description = [{
    A batch normalization with constant parameters that is the only reader of a
    convolution with a constant filter, whose epilogue adds at most a constant
    bias, disappears: the filter is scaled and the bias replaced, computed in
    f64. Every other one becomes an element-wise `linalg.generic`, with one
    constant scale and shift per channel where its parameters are constant.

    Before:

    ```mlir
    %0 = dnn.conv ins(%x, %w) outs(%e) ...
    %1 = dnn.batch_norm ins(%0, %scale, %bias, %mean, %variance) outs(%e) dims [n, c, 0, 1] epsilon 1.0e-05
    ```

    After:

    ```mlir
    %1 = dnn.conv ins(%x, %folded) outs(%e) ... epilogue(%shift : tensor<64xf32> by affine_map<(n, c, h, w) -> (c)>) {
    ^bb0(%acc: f32, %b: f32):
      %2 = arith.addf %acc, %b : f32
      dnn.yield %2 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def FoldPadPass : Pass<"dnn-fold-pad", "::mlir::func::FuncOp"> {
  let summary = "fold explicit padding into convolution and pooling";
  let description = [{
    Zero padding of spatial dimensions before a convolution or an average
    pooling that counts padding becomes part of its pads; so does padding with
    minus infinity before a maximum pooling without indices. Padding with zeros
    never folds into a maximum pooling. Every other `tensor.pad` with a constant
    value becomes a `linalg.generic`.

    Before:

    ```mlir
    %0 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {...} : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32>
    %1 = dnn.conv ins(%0, %w) outs(%e) strides [1, 1] pads [0, 0, 0, 0] ...
    ```

    After:

    ```mlir
    %1 = dnn.conv ins(%x, %w) outs(%e) strides [1, 1] pads [1, 1, 1, 1] ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AbsorbTransposesPass : Pass<"dnn-absorb-transposes", "::mlir::func::FuncOp"> {
  let summary = "cancel transpositions and absorb them in primitives";
  let description = [{
    Transpositions move down through element-wise operations until they meet
    their inverse or a primitive that can name its dimensions in another order:
    dimension numbers of convolution, pooling and normalization, the transposed
    operands of a matrix product. A primitive whose only reader is a
    transposition writes its result in that order.

    Before:

    ```mlir
    %t = linalg.transpose ins(%x : tensor<1x8x8x3xf32>) outs(%e : tensor<1x3x8x8xf32>) permutation = [0, 3, 1, 2]
    %y = dnn.conv ins(%t [n, c, 0, 1], ...)
    ```

    After:

    ```mlir
    %y = dnn.conv ins(%x [n, 0, 1, c], ...)
    ```
  }];
  let options = [
    Option<"absorbDims", "absorb-dims", "bool", /*default=*/"true",
           "Absorb transpositions in dimension numbers; without it they only cancel">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FuseElementwisePass : Pass<"dnn-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "fuse chains of element-wise operations";
  let description = [{
    Brings element-wise operations to `linalg.generic` and fuses a producer into
    its only reader, as long as the body stays small and nothing expensive is
    computed more often than before (through a broadcast). An operation behind
    an expanding reshape works before it, next to what computes its operand.

    Before:

    ```mlir
    %0 = linalg.generic ... ins(%x) { sigmoid }
    %1 = linalg.generic ... ins(%x, %0) { arith.mulf }
    ```

    After:

    ```mlir
    %1 = linalg.generic ... ins(%x) { sigmoid; arith.mulf }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", /*default=*/"64",
           "Largest number of scalar operations in a fused body">,
    Option<"maxInputs", "max-inputs", "int64_t", /*default=*/"8",
           "Largest number of inputs of a fused operation">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseEpiloguePass : Pass<"dnn-fuse-epilogue", "::mlir::func::FuncOp"> {
  let summary = "fuse element-wise operations into the epilogue of their producer";
  let description = [{
    An element-wise `linalg.generic` that is the only reader of a convolution or
    matrix product and keeps its shape becomes part of the epilogue: bias,
    activation, residual, scale and clip, in any order, one after the other. Its
    other operands become extra operands, without their dimensions of size 1.
    Where two producers could take it, the later one does.

    Before:

    ```mlir
    %0 = dnn.conv ins(%x, %w) outs(%e) ...
    %1 = linalg.generic ... ins(%0, %residual) { arith.addf; arith.maximumf }
    ```

    After:

    ```mlir
    %1 = dnn.conv ins(%x, %w) outs(%e) ... epilogue(%residual : ...) { arith.addf; arith.maximumf; dnn.yield }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FormUnitsPass : Pass<"dnn-form-units", "::mlir::func::FuncOp"> {
  let summary = "wrap what is planned as one into units";
  let description = [{
    Wraps every primitive and every `linalg` operation into a `dnn.unit` named
    after its ONNX node. Inits are `tensor.empty` outside; an init that was
    filled is filled inside. Scalar constants move to where they are used.
    Constants, views and concatenations stay outside.

    Before:

    ```mlir
    %y = dnn.softmax ins(%x : tensor<1x10xf32>) outs(%e : tensor<1x10xf32>) dimension 1
    ```

    After:

    ```mlir
    %y = dnn.unit "softmax" ins(%x : tensor<1x10xf32>) outs(%e : tensor<1x10xf32>) {
    ^bb0(%a: tensor<1x10xf32>, %b: tensor<1x10xf32>):
      %0 = dnn.softmax ins(%a : tensor<1x10xf32>) outs(%b : tensor<1x10xf32>) dimension 1
      dnn.yield %0 : tensor<1x10xf32>
    } -> tensor<1x10xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::udnn::dnn::DnnDialect"];
}

def VerifySimplifiedPass : Pass<"dnn-verify-simplified", "::mlir::ModuleOp"> {
  let summary = "check the contract of the simplify stage";
  let description = [{
    Checks that functions hold only units, constants, `tensor.empty`, views,
    concatenations and `return` on static tensors, and that the names of units
    are unique in a function.
  }];
}

#endif // UDNN_PASSES_SIMPLIFY
