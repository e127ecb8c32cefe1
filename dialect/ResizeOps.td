//===- ResizeOps.td - resampling -------------------------------*- tablegen -*-===//
//
// Nearest and linear interpolation in all dimensions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_RESIZE_OPS
#define UDNN_DNN_RESIZE_OPS

include "PrimitiveBase.td"

def Dnn_ResizeMode : I32EnumAttr<"ResizeMode", "interpolation", [
    I32EnumAttrCase<"Nearest", 0, "nearest">,
    I32EnumAttrCase<"Linear", 1, "linear">
  ]> {
  let cppNamespace = "::udnn::dnn";
}

def Dnn_CoordinateMode : I32EnumAttr<"CoordinateMode", "how a result's coordinate maps to the input's", [
    I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
    I32EnumAttrCase<"HalfPixelSymmetric", 1, "half_pixel_symmetric">,
    I32EnumAttrCase<"PytorchHalfPixel", 2, "pytorch_half_pixel">,
    I32EnumAttrCase<"AlignCorners", 3, "align_corners">,
    I32EnumAttrCase<"Asymmetric", 4, "asymmetric">,
    I32EnumAttrCase<"TfCropAndResize", 5, "tf_crop_and_resize">,
    I32EnumAttrCase<"TfHalfPixelForNN", 6, "tf_half_pixel_for_nn">
  ]> {
  let cppNamespace = "::udnn::dnn";
}

def Dnn_NearestMode : I32EnumAttr<"NearestMode", "rounding of a coordinate to the nearest element", [
    I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
    I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
    I32EnumAttrCase<"Floor", 2, "floor">,
    I32EnumAttrCase<"Ceil", 3, "ceil">
  ]> {
  let cppNamespace = "::udnn::dnn";
}

def Dnn_ResizeOp : Dnn_SingleResultPrimitive<"resize"> {
  let summary = "resampling by nearest or linear interpolation";
  let description = [{
    Resamples every dimension whose scale is not 1. `scales` holds the scale of
    each dimension as ONNX defines it (f64: the given scale, or result size /
    input size). For `tf_crop_and_resize`, `roi` holds the normalized starts of
    all dimensions, then the ends, and coordinates outside the input yield
    `extrapolation`. Interpolated integers are rounded to even; they are signed,
    or unsigned with `unsigned`.

    Tiling: the loops are the result's dimensions; resampled ones stay whole.

    Source: ONNX operator `Resize`, opset 19, without antialiasing.

    Example:

    ```mlir
    %y = dnn.resize ins(%x : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x32x32xf32>)
                    nearest asymmetric floor scales [1.0, 1.0, 2.0, 2.0]
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input, AnyRankedTensor:$init,
    Dnn_ResizeMode:$mode, Dnn_CoordinateMode:$coordinate_mode, Dnn_NearestMode:$nearest_mode,
    DenseF64ArrayAttr:$scales, OptionalAttr<DenseF64ArrayAttr>:$roi, OptionalAttr<F64Attr>:$extrapolation,
    UnitAttr:$is_unsigned
  );
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    $mode $coordinate_mode $nearest_mode `scales` $scales (`roi` $roi^)? (`extrapolation` $extrapolation^)?
    (`unsigned` $is_unsigned^)? attr-dict
  }];
}

#endif // UDNN_DNN_RESIZE_OPS
