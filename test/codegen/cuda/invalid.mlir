// What keeps CUDA kernels from being compiled; errors name the kernel and the layer.
// RUN: udnn-opt %s --dnn-codegen --split-input-file --verify-diagnostics

#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>

// expected-error @+2 {{expects 'cuda.abacus' to be a kernel family}}
// expected-error @+1 {{cannot generate kernel 'k' of family 'cuda.abacus' for layer 'relu_1'}}
dnn.kernel @k family "cuda.abacus" parameters {} num_outputs 1 : (memref<8xf32>) -> () {
^bb0(%x: tensor<8xf32>):
  dnn.yield %x : tensor<8xf32>
}
dnn.program @main target #cuda arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<output, 0, 0, 32>]
}

// -----

#cuda = #dnn.device<kind = "cuda", arch = "sm_999", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>

// expected-error @+1 {{expects a CUDA architecture from 'sm_80' on that LLVM knows, got 'sm_999'}}
module {
dnn.kernel @k family "cuda.generic" parameters {map = "thread", tasks = 30 : i64, tiles = array<i64: 1>} num_outputs 1
    : (memref<30xf32>, memref<30xf32>) -> () {
^bb0(%x: tensor<30xf32>, %y: tensor<30xf32>):
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<30xf32>) outs(%y : tensor<30xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<30xf32>
  dnn.yield %0 : tensor<30xf32>
}
dnn.program @main target #cuda arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "neg_1" @k grid [1, 1, 1] block [256, 1, 1] args [#dnn.buffer<input, 0, 0, 120>, #dnn.buffer<output, 0, 0, 120>]
}
}

// -----

#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>

// No GPU computes with 128 bits.
module {
dnn.kernel @k family "cuda.generic" parameters {map = "thread", tasks = 30 : i64, tiles = array<i64: 1>} num_outputs 1
    : (memref<30xf128>, memref<30xf128>) -> () {
^bb0(%x: tensor<30xf128>, %y: tensor<30xf128>):
  // expected-error @+1 {{cannot lower operation 'llvm.load' of a kernel to NVVM}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<30xf128>) outs(%y : tensor<30xf128>) {
  ^bb0(%a: f128, %b: f128):
    %1 = arith.addf %a, %a : f128
    linalg.yield %1 : f128
  } -> tensor<30xf128>
  dnn.yield %0 : tensor<30xf128>
}
dnn.program @main target #cuda arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "add_1" @k grid [1, 1, 1] block [256, 1, 1] args [#dnn.buffer<input, 0, 0, 480>, #dnn.buffer<output, 0, 0, 480>]
}
}
