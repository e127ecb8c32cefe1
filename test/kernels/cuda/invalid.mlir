// What the CUDA families say to kernels whose parameters were edited.
// RUN: udnn-opt %s --dnn-build-kernels --split-input-file --verify-diagnostics

#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
// expected-error @+1 {{expects a problem and a tile of family 'cuda.implicit_gemm', got parameters {math = "fma", tile = array<i64: 7, 7, 7>}}}
dnn.kernel @unknown_tile family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 7, 7, 7>} num_outputs 1
    : (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) -> () {
^bb0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %y: tensor<8x8xf32>):
  %0 = dnn.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) accumulator f32
  dnn.yield %0 : tensor<8x8xf32>
}
}

// -----

// Tensor cores take no f32.
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
// expected-error @+1 {{expects a problem and a tile of family 'cuda.implicit_gemm', got parameters {math = "mma", tile = array<i64: 32, 32, 32>}}}
dnn.kernel @wrong_type family "cuda.implicit_gemm" parameters {math = "mma", tile = array<i64: 32, 32, 32>} num_outputs 1
    : (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) -> () {
^bb0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %y: tensor<8x8xf32>):
  %0 = dnn.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) accumulator f32
  dnn.yield %0 : tensor<8x8xf32>
}
}

// -----

// The result's argument is missing.
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
// expected-error @+1 {{expects a problem and a tile of family 'cuda.implicit_gemm'}}
dnn.kernel @few_arguments family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<8x8xf32>, memref<8x8xf32>) -> () {
^bb0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %y: tensor<8x8xf32>):
  %0 = dnn.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) accumulator f32
  dnn.yield %0 : tensor<8x8xf32>
}
}

// -----

// Scratch memory for fewer blocks than there are.
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
// expected-error @+1 {{expects at least 8192 bytes of scratch memory for kernel 'little_scratch', got 128}}
dnn.kernel @little_scratch family "cuda.generic" parameters {map = "block", tasks = 64 : i64, tiles = array<i64: 1, 0>} num_outputs 1
    worker_bytes 128 : (memref<64x100xf32>, memref<64x100xf32>) -> () {
^bb0(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>):
  %0 = dnn.softmax ins(%x : tensor<64x100xf32>) outs(%y : tensor<64x100xf32>) dimension 1
  dnn.yield %0 : tensor<64x100xf32>
}
}

// -----

// A tile for each of four dimensions, where there are two.
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
// expected-error @+1 {{cannot lower the body of kernel 'many_tiles'}}
dnn.kernel @many_tiles family "cuda.generic" parameters {map = "block", tasks = 64 : i64, tiles = array<i64: 1, 0, 3, 4>} num_outputs 1
    worker_bytes 8192 : (memref<64x100xf32>, memref<64x100xf32>) -> () {
^bb0(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>):
  %0 = dnn.softmax ins(%x : tensor<64x100xf32>) outs(%y : tensor<64x100xf32>) dimension 1
  dnn.yield %0 : tensor<64x100xf32>
}
}

// -----

// A family of the CPU builds no kernel for a GPU.
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
// expected-error @+1 {{expects family 'cpu.generic' to build a kernel of 2 arguments}}
dnn.kernel @cpu family "cpu.generic" parameters {tasks = 64 : i64, tiles = array<i64: 1, 0>} num_outputs 1
    : (memref<64x100xf32>, memref<64x100xf32>) -> () {
^bb0(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>):
  %0 = dnn.softmax ins(%x : tensor<64x100xf32>) outs(%y : tensor<64x100xf32>) dimension 1
  dnn.yield %0 : tensor<64x100xf32>
}
}
