// What cannot be selected, or be planned after selection, is named.
// RUN: udnn-opt %s --split-input-file --verify-diagnostics --dnn-select --dnn-wrap-transforms --dnn-plan="keep-layouts"

// expected-error @below {{expects the module to carry the device's facts as 'dnn.device'}}
module {}

// -----

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{no kernel family can run 'copy' on the target 'cpu' (}}
  %p = linalg.copy ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %p : tensor<?xf32>
}
}

// -----

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{'dnn.unit' op expects a plan}}
  %y = dnn.unit "copy" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = linalg.copy ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    dnn.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
}
