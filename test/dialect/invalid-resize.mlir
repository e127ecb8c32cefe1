// Every check of the verifiers of resize rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// A result of another type.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf16>) {
  // expected-error @+1 {{expects input and result of one rank and element type}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf16>) nearest asymmetric floor scales [1.0, 2.0]
  return
}

// -----

// A scale too few.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf32>) {
  // expected-error @+1 {{expects 2 scales, got 1}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>) nearest asymmetric floor scales [1.0]
  return
}

// -----

// A scale of zero.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf32>) {
  // expected-error @+1 {{expects positive scales, got}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>) nearest asymmetric floor scales [1.0, 0.0]
  return
}

// -----

// A crop without its region.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf32>) {
  // expected-error @+1 {{expects 4 roi values for 'tf_crop_and_resize'}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>) linear tf_crop_and_resize floor scales [1.0, 2.0]
  return
}
