//===- NormOps.td - softmax and normalizations -----------------*- tablegen -*-===//
//
// Softmax, log-softmax, batch, instance, layer and local response normalization.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_NORM_OPS
#define UDNN_DNN_NORM_OPS

include "PrimitiveBase.td"

class Dnn_SoftmaxBase<string mnemonic> : Dnn_SingleResultPrimitive<mnemonic> {
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$init, Dnn_IntAttr:$dimension);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    `dimension` $dimension attr-dict
  }];
}

def Dnn_SoftmaxOp : Dnn_SoftmaxBase<"softmax"> {
  let summary = "softmax along one dimension";
  let description = [{
    `exp(x - max) / sum(exp(x - max))` along `dimension`.

    Tiling: the loops are the result's dimensions; `dimension` stays whole.

    Source: ONNX operator `Softmax`, opset 13.

    Example:

    ```mlir
    %y = dnn.softmax ins(%x : tensor<8x1000xf32>) outs(%e : tensor<8x1000xf32>) dimension 1
    ```
  }];
}

def Dnn_LogSoftmaxOp : Dnn_SoftmaxBase<"log_softmax"> {
  let summary = "logarithm of softmax along one dimension";
  let description = [{
    `x - max - log(sum(exp(x - max)))` along `dimension`.

    Tiling: the loops are the result's dimensions; `dimension` stays whole.

    Source: ONNX operator `LogSoftmax`, opset 13.

    Example:

    ```mlir
    %y = dnn.log_softmax ins(%x : tensor<8x1000xf32>) outs(%e : tensor<8x1000xf32>) dimension 1
    ```
  }];
}

def Dnn_BatchNormOp : Dnn_SingleResultPrimitive<"batch_norm", [DeclareOpInterfaceMethods<Dnn_LayoutOpInterface>]> {
  let summary = "batch normalization with given statistics";
  let description = [{
    `(x - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]`.

    Tiling: the loops are the result's dimensions; blocks of channels stay whole.

    Source: ONNX operator `BatchNormalization`, inference.

    Example:

    ```mlir
    %y = dnn.batch_norm ins(%x, %scale, %bias, %mean, %var : tensor<1x64x56x56xf32>, tensor<64xf32>,
                            tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
                        outs(%e : tensor<1x64x56x56xf32>) dims [n, c, 0, 1] epsilon 1.0e-05
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input, AnyRankedTensor:$scale, AnyRankedTensor:$bias,
    AnyRankedTensor:$mean, AnyRankedTensor:$variance, AnyRankedTensor:$init,
    Dnn_DimsAttr:$dims, F64Attr:$epsilon
  );
  let assemblyFormat = [{
    `ins` `(` $input `,` $scale `,` $bias `,` $mean `,` $variance `:` type($input) `,` type($scale) `,`
    type($bias) `,` type($mean) `,` type($variance) `)` `outs` `(` $init `:` type($init) `)`
    `dims` custom<Dims>($dims) `epsilon` $epsilon attr-dict
  }];
}

def Dnn_InstanceNormOp : Dnn_SingleResultPrimitive<"instance_norm", [DeclareOpInterfaceMethods<Dnn_LayoutOpInterface>]> {
  let summary = "normalization over the spatial dimensions of every image and channel";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale[c] + bias[c]`, mean and
    (biased) variance taken over the spatial dimensions.

    Tiling: the loops are the result's dimensions; the spatial ones and blocks of
    channels stay whole.

    Source: ONNX operator `InstanceNormalization`.

    Example:

    ```mlir
    %y = dnn.instance_norm ins(%x, %scale, %bias : tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>)
                           outs(%e : tensor<1x64x56x56xf32>) dims [n, c, 0, 1] epsilon 1.0e-05
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input, AnyRankedTensor:$scale, AnyRankedTensor:$bias, AnyRankedTensor:$init,
    Dnn_DimsAttr:$dims, F64Attr:$epsilon
  );
  let assemblyFormat = [{
    `ins` `(` $input `,` $scale `,` $bias `:` type($input) `,` type($scale) `,` type($bias) `)`
    `outs` `(` $init `:` type($init) `)` `dims` custom<Dims>($dims) `epsilon` $epsilon attr-dict
  }];
}

def Dnn_LayerNormOp : Dnn_Primitive<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "normalization over the trailing dimensions";
  let description = [{
    `(x - mean) * inverse_deviation * scale + bias`, mean and (biased) variance
    taken over the dimensions from `dimension` on, `inverse_deviation = 1 /
    sqrt(variance + epsilon)`. `scale` and `bias` broadcast to the normalized
    dimensions (rank `rank - dimension`, or rank of the input with ones). One
    init receives the result; two more, where given, the mean and the inverse
    deviation, with size 1 in the normalized dimensions. Statistics are computed
    in f32 (f64 for f64).

    Tiling: the loops are the dimensions of the first result; those from
    `dimension` on stay whole.

    Source: ONNX operator `LayerNormalization`, opset 17.

    Example:

    ```mlir
    %y = dnn.layer_norm ins(%x, %scale, %bias : tensor<8x128x768xf32>, tensor<768xf32>, tensor<768xf32>)
                        outs(%e : tensor<8x128x768xf32>) dimension 2 epsilon 1.0e-05
                        -> tensor<8x128x768xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input, AnyRankedTensor:$scale, Optional<AnyRankedTensor>:$bias,
    Variadic<AnyRankedTensor>:$inits, Dnn_IntAttr:$dimension, F64Attr:$epsilon
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $input `,` $scale (`,` $bias^)? `:` type($input) `,` type($scale) (`,` type($bias)^)? `)`
    `outs` `(` $inits `:` type($inits) `)` `dimension` $dimension `epsilon` $epsilon attr-dict
    `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

def Dnn_LRNOp : Dnn_SingleResultPrimitive<"lrn", [DeclareOpInterfaceMethods<Dnn_LayoutOpInterface>]> {
  let summary = "local response normalization across channels";
  let description = [{
    `x / (bias + alpha / size * sum over i of x[n, i, p]^2) ^ beta` with i from
    `c - floor((size - 1) / 2)` to `c + ceil((size - 1) / 2)`, inside the
    channels.

    Tiling: the loops are the result's dimensions; the channels stay whole.

    Source: ONNX operator `LRN`.

    Example:

    ```mlir
    %y = dnn.lrn ins(%x : tensor<1x64x27x27xf32>) outs(%e : tensor<1x64x27x27xf32>)
                 dims [n, c, 0, 1] size 5 alpha 1.0e-04 beta 7.5e-01 bias 1.0
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input, AnyRankedTensor:$init, Dnn_DimsAttr:$dims,
    Dnn_IntAttr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias
  );
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    `dims` custom<Dims>($dims) `size` $size `alpha` $alpha `beta` $beta `bias` $bias attr-dict
  }];
}

#endif // UDNN_DNN_NORM_OPS
