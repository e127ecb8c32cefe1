//===- PoolOps.td - pooling ------------------------------------*- tablegen -*-===//
//
// Maximum and average over windows of 1 to 3 spatial dimensions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_POOL_OPS
#define UDNN_DNN_POOL_OPS

include "PrimitiveBase.td"

def Dnn_MaxPoolOp : Dnn_Primitive<"max_pool", [DeclareOpInterfaceMethods<Dnn_LayoutOpInterface>]> {
  let summary = "maximum over windows, with optional indices";
  let description = [{
    `result[n, c, p] = max over r of input[n, c, p*stride + r*dilation - pad]`
    over the window positions inside the input. The result's size is taken from
    its type, so ceil mode needs no attribute. The optional second init of type
    i64 receives the position of each maximum in the flattened input (first
    maximum in row-major window order); spatial dimensions are flattened in
    column-major order with `column_major`. Integers compare as signed, or as
    unsigned with `unsigned`. NaN wins over numbers.

    Tiling: the loops are the result's dimensions, then the window, which stays
    whole. With indices nothing can be tiled, for they count the elements of the
    whole input.

    Source: ONNX operator `MaxPool`.

    Example:

    ```mlir
    %y = dnn.max_pool ins(%x : tensor<1x64x112x112xf32>) outs(%e : tensor<1x64x56x56xf32>)
                      dims [n, c, 0, 1] window [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1]
                      -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input,
    AnyRankedTensor:$init,
    Optional<AnyRankedTensor>:$indices_init,
    DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads,
    DenseI64ArrayAttr:$dilations,
    Dnn_DimsAttr:$dims,
    UnitAttr:$column_major,
    UnitAttr:$is_unsigned
  );
  let results = (outs AnyRankedTensor:$result, Optional<AnyRankedTensor>:$indices);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $init (`,` $indices_init^)? `:` type($init) (`,` type($indices_init)^)? `)`
    `dims` custom<Dims>($dims) `window` $window `strides` $strides `pads` $pads `dilations` $dilations
    (`column_major` $column_major^)? (`unsigned` $is_unsigned^)? attr-dict `->` type(results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
  }];
}

def Dnn_AvgPoolOp : Dnn_SingleResultPrimitive<"avg_pool", [DeclareOpInterfaceMethods<Dnn_LayoutOpInterface>]> {
  let summary = "average over windows";
  let description = [{
    Mean over the window positions `p*stride + r*dilation - pad` that lie inside
    the input, or, with `count_include_pad`, inside the padded input (padding
    counts as zero; positions beyond the padding, which ceil mode can produce,
    never count). The result's size is taken from its type. Global average
    pooling is a window of the whole spatial size.

    Tiling: the loops are the result's dimensions, then the window, which stays
    whole. Where padding does not count, at most four tiles per border may read
    it.

    Source: ONNX operators `AveragePool` and `GlobalAveragePool`.

    Example:

    ```mlir
    %y = dnn.avg_pool ins(%x : tensor<1x2048x7x7xf32>) outs(%e : tensor<1x2048x1x1xf32>)
                      dims [n, c, 0, 1] window [7, 7] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input,
    AnyRankedTensor:$init,
    DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads,
    DenseI64ArrayAttr:$dilations,
    Dnn_DimsAttr:$dims,
    UnitAttr:$count_include_pad
  );
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    `dims` custom<Dims>($dims) `window` $window `strides` $strides `pads` $pads `dilations` $dilations
    (`count_include_pad` $count_include_pad^)? attr-dict
  }];
}

#endif // UDNN_DNN_POOL_OPS
