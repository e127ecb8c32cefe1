// Selection places each layout transform once, where a reader needs it, and grows concatenations in one tensor.
// RUN: udnn-opt %s --dnn-plan="families=cpu.direct_conv" --dnn-select --canonicalize --cse | FileCheck %s

#device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200,
                      gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>

// The plain input is packed once for both convolutions; their results stay blocked in one tensor of the whole size.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.+]] = linalg.pack %arg0 inner_dims_pos = [1] inner_tiles = [8]
// CHECK-NOT: linalg.pack %arg0
// CHECK: %[[A:.+]] = dnn.dispatch "a" {{.*}}ins(%[[X]],
// CHECK: %[[B:.+]] = dnn.dispatch "b" {{.*}}ins(%[[X]],
// CHECK: %[[FIRST:.+]] = tensor.insert_slice %[[A]] into %{{.+}}[0, 0, 0, 0, 0] [1, 2, 28, 28, 8]
// CHECK: %[[WHOLE:.+]] = tensor.insert_slice %[[B]] into %[[FIRST]][0, 2, 0, 0, 0] [1, 2, 28, 28, 8]
// CHECK-SAME: into tensor<1x4x28x28x8xf32>
// CHECK: linalg.unpack %[[WHOLE]]
module attributes {dnn.device = #device} {
func.func @main(%x: tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32> {
  %w0 = arith.constant dense<0.5> : tensor<16x32x3x3xf32>
  %w1 = arith.constant dense<0.25> : tensor<16x32x3x3xf32>
  %e = tensor.empty() : tensor<1x16x28x28xf32>
  %a = dnn.unit "a" ins(%x, %w0 : tensor<1x32x28x28xf32>, tensor<16x32x3x3xf32>) outs(%e : tensor<1x16x28x28xf32>) {
  ^bb0(%i: tensor<1x32x28x28xf32>, %f: tensor<16x32x3x3xf32>, %o: tensor<1x16x28x28xf32>):
    %0 = dnn.conv ins(%i [n, c, 0, 1], %f [k, c, 0, 1] : tensor<1x32x28x28xf32>, tensor<16x32x3x3xf32>)
                  outs(%o [n, c, 0, 1] : tensor<1x16x28x28xf32>)
                  strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
    dnn.yield %0 : tensor<1x16x28x28xf32>
  } -> tensor<1x16x28x28xf32>
  %b = dnn.unit "b" ins(%x, %w1 : tensor<1x32x28x28xf32>, tensor<16x32x3x3xf32>) outs(%e : tensor<1x16x28x28xf32>) {
  ^bb0(%i: tensor<1x32x28x28xf32>, %f: tensor<16x32x3x3xf32>, %o: tensor<1x16x28x28xf32>):
    %0 = dnn.conv ins(%i [n, c, 0, 1], %f [k, c, 0, 1] : tensor<1x32x28x28xf32>, tensor<16x32x3x3xf32>)
                  outs(%o [n, c, 0, 1] : tensor<1x16x28x28xf32>)
                  strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
    dnn.yield %0 : tensor<1x16x28x28xf32>
  } -> tensor<1x16x28x28xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<1x16x28x28xf32>, tensor<1x16x28x28xf32>) -> tensor<1x32x28x28xf32>
  return %c : tensor<1x32x28x28xf32>
}
}
