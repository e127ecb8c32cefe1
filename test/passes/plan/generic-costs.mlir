// The generic family counts the same work for the same sum: whether the left matrix lies transposed,
// and whether a convolution of single pixels is called transposed.
//
// RUN: udnn-opt %s --dnn-plan="families=cpu.generic" -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 | FileCheck %s

// CHECK: predicted_ns=[[MATMUL:[0-9]+]], unit=matmul{{$}}
// CHECK: predicted_ns=[[MATMUL]], unit=matmul_transposed
// CHECK: predicted_ns=[[CONV:[0-9]+]], unit=conv{{$}}
// CHECK: predicted_ns=[[CONV]], unit=conv_transposed

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%a: tensor<32x1024xf32>, %t: tensor<1024x32xf32>, %b: tensor<1024x64xf32>,
                %x: tensor<1x64x16x16xf32>, %w: tensor<64x64x1x1xf32>)
    -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32>) {
  %e = tensor.empty() : tensor<32x64xf32>
  %f = tensor.empty() : tensor<1x64x16x16xf32>
  %0 = dnn.unit "matmul" ins(%a, %b : tensor<32x1024xf32>, tensor<1024x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%l: tensor<32x1024xf32>, %r: tensor<1024x64xf32>, %o: tensor<32x64xf32>):
    %y = dnn.matmul ins(%l, %r : tensor<32x1024xf32>, tensor<1024x64xf32>) outs(%o : tensor<32x64xf32>) accumulator f32
    dnn.yield %y : tensor<32x64xf32>
  } -> tensor<32x64xf32>
  %1 = dnn.unit "matmul_transposed" ins(%t, %b : tensor<1024x32xf32>, tensor<1024x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%l: tensor<1024x32xf32>, %r: tensor<1024x64xf32>, %o: tensor<32x64xf32>):
    %y = dnn.matmul ins(%l, %r : tensor<1024x32xf32>, tensor<1024x64xf32>) outs(%o : tensor<32x64xf32>) transpose_lhs accumulator f32
    dnn.yield %y : tensor<32x64xf32>
  } -> tensor<32x64xf32>
  %2 = dnn.unit "conv" ins(%x, %w : tensor<1x64x16x16xf32>, tensor<64x64x1x1xf32>) outs(%f : tensor<1x64x16x16xf32>) {
  ^bb0(%l: tensor<1x64x16x16xf32>, %r: tensor<64x64x1x1xf32>, %o: tensor<1x64x16x16xf32>):
    %y = dnn.conv ins(%l [n, c, 0, 1], %r [k, c, 0, 1] : tensor<1x64x16x16xf32>, tensor<64x64x1x1xf32>)
                  outs(%o [n, c, 0, 1] : tensor<1x64x16x16xf32>)
                  strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
    dnn.yield %y : tensor<1x64x16x16xf32>
  } -> tensor<1x64x16x16xf32>
  %3 = dnn.unit "conv_transposed" ins(%x, %w : tensor<1x64x16x16xf32>, tensor<64x64x1x1xf32>) outs(%f : tensor<1x64x16x16xf32>) {
  ^bb0(%l: tensor<1x64x16x16xf32>, %r: tensor<64x64x1x1xf32>, %o: tensor<1x64x16x16xf32>):
    %y = dnn.conv_transpose ins(%l [n, c, 0, 1], %r [c, k, 0, 1] : tensor<1x64x16x16xf32>, tensor<64x64x1x1xf32>)
                  outs(%o [n, c, 0, 1] : tensor<1x64x16x16xf32>)
                  strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
    dnn.yield %y : tensor<1x64x16x16xf32>
  } -> tensor<1x64x16x16xf32>
  return %0, %1, %2, %3 : tensor<32x64xf32>, tensor<32x64xf32>, tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32>
}
}
