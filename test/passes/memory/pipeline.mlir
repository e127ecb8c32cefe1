// RUN: udnn-opt %s --dnn-memory-pipeline --split-input-file | FileCheck %s

// The results are an inner value that is read again, the same value, the input, and a constant.
// The first is computed in place; the others are copied. %a dies at once and shares the arena
// with %c.
#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "+avx2", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
// CHECK: memref.global "private" constant @[[C:.*]] : memref<64xf32> = dense<1.000000e+00>
// CHECK: dnn.program @main
// CHECK-SAME: arena 256 live 256 worker 0
// CHECK-SAME: inputs [{name = "x", shape = array<i64: 1, 64>, type = "float"}]
// CHECK-SAME: outputs [{name = "y", shape = array<i64: 1, 64>, type = "float"}
// CHECK: %[[A:.*]] = dnn.launch "a" @[[K:.*]] grid [4, 1, 1] block [1, 1, 1] args [#dnn.buffer<input, 0, 0, 256>, #dnn.buffer<arena, 0, 0, 256>]
// CHECK: %[[B:.*]] = dnn.launch "b" @[[K]] {{.*}} args [#dnn.buffer<arena, 0, 0, 256>, #dnn.buffer<output, 0, 0, 256>] after(%[[A]])
// CHECK: %[[R:.*]] = dnn.launch "c" @[[K]] {{.*}} args [#dnn.buffer<output, 0, 0, 256>, #dnn.buffer<arena, 0, 0, 256>] after(%[[B]])
// CHECK: dnn.launch "d" @[[K]] {{.*}} args [#dnn.buffer<arena, 0, 0, 256>, #dnn.buffer<output, 4, 0, 256>] after(%[[R]])
// CHECK: dnn.launch "copy" {{.*}} args [#dnn.buffer<output, 0, 0, 256>, #dnn.buffer<output, 1, 0, 256>] after(%[[B]])
// CHECK: dnn.launch "copy" {{.*}} args [#dnn.buffer<input, 0, 0, 256>, #dnn.buffer<output, 2, 0, 256>]
// CHECK-NOT: after
// CHECK: dnn.launch "copy" {{.*}} args [#dnn.buffer<constant, 0, 0, 256>, #dnn.buffer<output, 3, 0, 256>]
// CHECK-NOT: dnn.launch
module attributes {dnn.device = #cpu} {
  func.func @main(%x: tensor<1x64xf32> {dnn.name = "x", dnn.type = "float"}) -> (tensor<1x64xf32> {dnn.name = "y"}, tensor<1x64xf32>, tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) {
    %w = arith.constant dense<1.0> : tensor<64xf32>
    %e = tensor.empty() : tensor<1x64xf32>
    %a = dnn.dispatch "a" @k ins(%x : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
    %b = dnn.dispatch "b" @k ins(%a : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
    %c = dnn.dispatch "c" @k ins(%b : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
    %d = dnn.dispatch "d" @k ins(%c : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
    return %b, %b, %x, %w, %d : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>
  }
  dnn.kernel @k family "cpu.generic" parameters {tasks = 4 : i64, tiles = array<i64: 1, 16>} num_outputs 1 : (tensor<1x64xf32>, tensor<1x64xf32>) -> () {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<1x64xf32>):
    %0 = linalg.exp ins(%a : tensor<1x64xf32>) outs(%b : tensor<1x64xf32>) -> tensor<1x64xf32>
    dnn.yield %0 : tensor<1x64xf32>
  }
}

// -----

// Both parts of a concatenation are written straight into the output, although they are
// computed in the other order. A scratch buffer of the worker is the last argument.
#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "+avx2", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
// CHECK: dnn.program @main
// CHECK-SAME: arena 0 live 0 worker 512
// CHECK: dnn.launch "b" @[[K:.*]] grid {{.*}} args [#dnn.buffer<input, 0, 0, 512>, #dnn.buffer<output, 0, 256, 768>, #dnn.buffer<worker, 0, 0, 512>]
// CHECK: dnn.launch "a" @[[K]] grid {{.*}} args [#dnn.buffer<input, 0, 0, 512>, #dnn.buffer<output, 0, 0, 768>, #dnn.buffer<worker, 0, 0, 512>]
// CHECK-NOT: dnn.launch
// CHECK: dnn.kernel @[[K]] {{.*}} : (memref<2x64xf32>, memref<2x64xf32, strided<[128, 1]>>) -> ()
module attributes {dnn.device = #cpu} {
  func.func @main(%x: tensor<2x64xf32>) -> tensor<2x128xf32> {
    %e0 = tensor.empty() : tensor<2x64xf32>
    %b = dnn.dispatch "b" @k ins(%x : tensor<2x64xf32>) outs(%e0 : tensor<2x64xf32>) -> tensor<2x64xf32>
    %a = dnn.dispatch "a" @k ins(%x : tensor<2x64xf32>) outs(%e0 : tensor<2x64xf32>) -> tensor<2x64xf32>
    %e = tensor.empty() : tensor<2x128xf32>
    %0 = tensor.insert_slice %a into %e[0, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<2x128xf32>
    %1 = tensor.insert_slice %b into %0[0, 64] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<2x128xf32>
    return %1 : tensor<2x128xf32>
  }
  dnn.kernel @k family "cpu.generic" parameters {tasks = 4 : i64, tiles = array<i64: 1, 16>} num_outputs 1 worker_bytes 512 : (tensor<2x64xf32>, tensor<2x64xf32>) -> () {
  ^bb0(%a: tensor<2x64xf32>, %b: tensor<2x64xf32>):
    %0 = linalg.exp ins(%a : tensor<2x64xf32>) outs(%b : tensor<2x64xf32>) -> tensor<2x64xf32>
    dnn.yield %0 : tensor<2x64xf32>
  }
}
