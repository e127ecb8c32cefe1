// A buffer without elements is no bytes of its input, whatever its strides are said to be.
// RUN: udnn-opt %s --dnn-memory-pipeline | FileCheck %s

// CHECK: dnn.launch "sum" @[[K:[a-z0-9_]+]] grid [1, 1, 1] block [1, 1, 1]
// CHECK-SAME: args [#dnn.buffer<input, 0, 0, 0>, #dnn.buffer<output, 0, 0, 32>]
// CHECK: dnn.kernel @[[K]] {{.*}} : (memref<2x0x4xf32>, memref<2x4xf32>) -> ()
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<2x0x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %y = dnn.dispatch "sum" @sum ins(%x : tensor<2x0x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
dnn.kernel @sum family "cpu.generic" parameters {} num_outputs 1 : (tensor<2x0x4xf32>, tensor<2x4xf32>) -> () {
^bb0(%a: tensor<2x0x4xf32>, %b: tensor<2x4xf32>):
  dnn.yield %b : tensor<2x4xf32>
}
}
