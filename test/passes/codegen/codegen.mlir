// Each target gets one dnn.code with the kernels that its programs launch, in order of first launch.
// RUN: udnn-opt %s --dnn-codegen --mlir-elide-resource-strings-if-larger=16 | FileCheck %s

#haswell = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// CHECK: dnn.kernel @relu
dnn.kernel @relu family "cpu.generic" parameters {tasks = 2 : i64, tiles = array<i64: 4>} num_outputs 1
    : (memref<8xf32>, memref<8xf32>) -> () {
^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>):
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  dnn.yield %0 : tensor<8xf32>
}

// Nothing launches it, so it is not compiled.
dnn.kernel @unused family "no.such.family" parameters {} num_outputs 1 : (memref<8xf32>) -> () {
^bb0(%x: tensor<8xf32>):
  dnn.yield %x : tensor<8xf32>
}

// CHECK: dnn.program @main
dnn.program @main target #haswell arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @relu grid [2, 1, 1] block [1, 1, 1]
      args [#dnn.buffer<input, 0, 0, 32>, #dnn.buffer<output, 0, 0, 32>]
}

// CHECK: dnn.code @code_cpu target {{.*}} format "elf" kernels [@relu] data dense_resource<{{.*}}> : tensor<{{[0-9]+}}xi8>
// CHECK-NOT: dnn.code
