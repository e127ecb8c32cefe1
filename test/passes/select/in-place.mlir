// A result may take the bytes of an extra operand, but not of one that the primitive also reads in
// another place.
//
// RUN: udnn-opt %s --dnn-plan --dnn-select | FileCheck %s

module attributes {dnn.device = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500, gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>} {
  // CHECK-LABEL: func.func @main
  func.func @main(%x: tensor<96x96xf32>, %w: tensor<96x96xf32>, %r: tensor<96x96xf32>) -> (tensor<96x96xf32>, tensor<96x96xf32>) {
    %e = tensor.empty() : tensor<96x96xf32>
    %0 = dnn.unit "residual" ins(%x, %w, %r : tensor<96x96xf32>, tensor<96x96xf32>, tensor<96x96xf32>) outs(%e : tensor<96x96xf32>) {
    ^bb0(%a: tensor<96x96xf32>, %b: tensor<96x96xf32>, %c: tensor<96x96xf32>, %o: tensor<96x96xf32>):
      %y = dnn.matmul ins(%a, %b : tensor<96x96xf32>, tensor<96x96xf32>) outs(%o : tensor<96x96xf32>) accumulator f32
           epilogue(%c : tensor<96x96xf32> by affine_map<(m, n) -> (m, n)>) {
      ^bb0(%s: f32, %t: f32):
        %u = arith.addf %s, %t : f32
        dnn.yield %u : f32
      }
      dnn.yield %y : tensor<96x96xf32>
    } -> tensor<96x96xf32>
    %1 = dnn.unit "reused" ins(%x, %w : tensor<96x96xf32>, tensor<96x96xf32>) outs(%e : tensor<96x96xf32>) {
    ^bb0(%a: tensor<96x96xf32>, %b: tensor<96x96xf32>, %o: tensor<96x96xf32>):
      %y = dnn.matmul ins(%a, %b : tensor<96x96xf32>, tensor<96x96xf32>) outs(%o : tensor<96x96xf32>) accumulator f32
           epilogue(%b : tensor<96x96xf32> by affine_map<(m, n) -> (m, n)>) {
      ^bb0(%s: f32, %t: f32):
        %u = arith.addf %s, %t : f32
        dnn.yield %u : f32
      }
      dnn.yield %y : tensor<96x96xf32>
    } -> tensor<96x96xf32>
    return %0, %1 : tensor<96x96xf32>, tensor<96x96xf32>
  }
  // CHECK: dnn.kernel @implicit_gemm_0 {{.*}} in_place [2]
  // CHECK: dnn.kernel @implicit_gemm_1 {{.*}} in_place [-1]
}
