//===- MatmulOps.td - matrix product ---------------------------*- tablegen -*-===//
//
// Batched matrix product with an epilogue.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_MATMUL_OPS
#define UDNN_DNN_MATMUL_OPS

include "PrimitiveBase.td"

def Dnn_MatmulOp : Dnn_EpiloguePrimitive<"matmul"> {
  let summary = "batched matrix product";
  let description = [{
    `result[b.., m, n] = epilogue(sum over k of lhs[b.., m, k] * rhs[b.., k, n])`.
    The last two dimensions are the matrices (`lhs` is `[k, m]` with
    `transpose_lhs`, `rhs` is `[n, k]` with `transpose_rhs`); the dimensions
    before them are the batch. An operand of rank 2 has no batch and is used for
    every one. Products are summed in the accumulator type; integers of the
    operands are sign-extended, or zero-extended with `unsigned`. With
    `accumulate` the sum is added to the init, whose type is then the
    accumulator's, and there is no epilogue.

    Tiling: the loops are `b.., m, n, k`; all of them can be tiled, `k` with
    `accumulate`.

    Source: ONNX operators `MatMul` and `Gemm`.

    Example:

    ```mlir
    %y = dnn.matmul ins(%a, %b : tensor<8x512xf32>, tensor<1000x512xf32>) outs(%e : tensor<8x1000xf32>)
                    transpose_rhs accumulator f32
                    epilogue(%c : tensor<1000xf32> by affine_map<(m, n) -> (n)>) {
    ^bb0(%acc: f32, %bias: f32):
      %0 = arith.addf %acc, %bias : f32
      dnn.yield %0 : f32
    }
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$lhs,
    AnyRankedTensor:$rhs,
    Variadic<AnyType>:$extras,
    AnyRankedTensor:$init,
    UnitAttr:$transpose_lhs,
    UnitAttr:$transpose_rhs,
    UnitAttr:$is_unsigned,
    TypeAttr:$accumulator,
    AffineMapArrayAttr:$extra_maps,
    UnitAttr:$accumulate
  );
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` `outs` `(` $init `:` type($init) `)`
    (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? (`unsigned` $is_unsigned^)?
    `accumulator` $accumulator (`accumulate` $accumulate^)?
    custom<Epilogue>($extras, type($extras), $extra_maps, $epilogue)
    attr-dict
  }];
}

#endif // UDNN_DNN_MATMUL_OPS
