//===- ConvOps.td - convolutions -------------------------------*- tablegen -*-===//
//
// Convolution and transposed convolution of 1 to 3 spatial dimensions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_CONV_OPS
#define UDNN_DNN_CONV_OPS

include "PrimitiveBase.td"

class Dnn_ConvBase<string mnemonic>
    : Dnn_EpiloguePrimitive<mnemonic, [DeclareOpInterfaceMethods<Dnn_LayoutOpInterface>]> {
  let arguments = (ins
    AnyRankedTensor:$input,
    AnyRankedTensor:$filter,
    Variadic<AnyType>:$extras,
    AnyRankedTensor:$init,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads,
    DenseI64ArrayAttr:$dilations,
    Dnn_IntAttr:$groups,
    Dnn_DimsAttr:$input_dims,
    Dnn_DimsAttr:$filter_dims,
    Dnn_DimsAttr:$output_dims,
    TypeAttr:$accumulator,
    AffineMapArrayAttr:$extra_maps,
    UnitAttr:$accumulate
  );
  let assemblyFormat = [{
    `ins` `(` $input custom<Dims>($input_dims) `,` $filter custom<Dims>($filter_dims) `:` type($input) `,` type($filter) `)`
    `outs` `(` $init custom<Dims>($output_dims) `:` type($init) `)`
    `strides` $strides `pads` $pads `dilations` $dilations `groups` $groups
    `accumulator` $accumulator (`accumulate` $accumulate^)?
    custom<Epilogue>($extras, type($extras), $extra_maps, $epilogue)
    attr-dict
  }];
}

def Dnn_ConvOp : Dnn_ConvBase<"conv"> {
  let summary = "convolution (cross-correlation), forward";
  let description = [{
    Convolution of 1 to 3 spatial dimensions as in cuDNN and ONNX `Conv`:

    `result[n, k, p] = epilogue(sum over c, r of input[n, g*C + c, p*stride + r*dilation - pad] * filter[k, c, r])`

    with `g = k / (K / groups)` and C the filter's channels per group. What
    lies in the padding is zero. `pads` holds the padding before every spatial
    dimension, then after every one; the padding after may exceed what the
    result's size needs. Products are summed in the accumulator type. With
    `accumulate` the sum is added to the init, whose type is then the
    accumulator's, and there is no epilogue.

    Tiling: the loops are the result's dimensions, the filter's channels and its
    window. Tiles of a spatial dimension overlap in the input. Blocks of
    channels stay whole, and so do channels of which the last block is partly
    filled. With groups, a tile of output channels is either several groups or
    part of one (whose size it divides); only the latter is tiled along the
    input channels.

    Source: cuDNN (arXiv 1410.0759), section 2; ONNX operator `Conv`.

    Example:

    ```mlir
    %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>)
                  outs(%e [n, c, 0, 1] : tensor<1x64x56x56xf32>)
                  strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
                  epilogue(%b : tensor<64xf32> by affine_map<(n, c, h, w) -> (c)>) {
    ^bb0(%acc: f32, %bias: f32):
      %0 = arith.addf %acc, %bias : f32
      dnn.yield %0 : f32
    }
    ```
  }];
}

def Dnn_ConvTransposeOp : Dnn_ConvBase<"conv_transpose"> {
  let summary = "transposed convolution, forward";
  let description = [{
    Transposed convolution of 1 to 3 spatial dimensions as in ONNX
    `ConvTranspose`: every input element is multiplied by the filter and added
    to the result at `p*stride + r*dilation - pad`; what falls outside the
    result is dropped. The filter is `[C, K/groups, spatial...]`, that is, its
    dimension numbers name `c` first. The result's size is taken from its type,
    so output padding needs no attribute.

    Tiling: the loops are those of `dnn.conv`. The batch and the channels of a
    single group can be tiled; spatial dimensions and the window stay whole.

    Source: ONNX operator `ConvTranspose`.

    Example:

    ```mlir
    %y = dnn.conv_transpose ins(%x [n, c, 0, 1], %w [c, k, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x4x2x2xf32>)
                            outs(%e [n, c, 0, 1] : tensor<1x4x8x8xf32>)
                            strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
    ```
  }];
}

def Dnn_WinogradFilterOp : Dnn_Op<"winograd_filter", [
    Pure, DestinationStyleOpInterface, AllTypesMatch<["init", "result"]>]> {
  let summary = "a 3x3 filter in the Winograd domain";
  let description = [{
    `result[6 * i + j, k, c] = (G * filter[k, c] * transpose(G))[i, j]` for the
    algorithm F(4x4, 3x3) (`tile` 4) with the interpolation points 0,
    sqrt(1/2), -sqrt(1/2), sqrt(2), -sqrt(2) and infinity, in this order. It is
    computed in f64 and rounded once. Constant filters are transformed at
    compile time.

    Source: Lavin and Gray (arXiv 1509.09308), section 4.

    Example:

    ```mlir
    %u = dnn.winograd_filter ins(%w [k, c, 0, 1] : tensor<64x32x3x3xf32>)
                             outs(%e : tensor<36x64x32xf32>) tile 4
    ```
  }];
  let arguments = (ins AnyRankedTensor:$filter, AnyRankedTensor:$init,
                   Dnn_DimsAttr:$filter_dims, Dnn_IntAttr:$tile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $filter custom<Dims>($filter_dims) `:` type($filter) `)`
    `outs` `(` $init `:` type($init) `)` `tile` $tile attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

#endif // UDNN_DNN_CONV_OPS
