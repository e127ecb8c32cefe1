// RUN: udnn-opt %s --dnn-verify-launches --split-input-file --verify-diagnostics

// expected-error @below {{expects only programs, kernels, constants and code}}
func.func @main() {
  return
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
// expected-error @below {{expects memrefs and integers as arguments, got 'tensor<4xf32>'}}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (tensor<4xf32>, tensor<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<4xf32>, memref<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}
dnn.program @main target #cpu arena 16 live 16 worker 0 inputs [{name = "x", shape = array<i64: 4>, type = "float"}] outputs [] {
  // expected-error @below {{expects 2 arguments for kernel 'k', got 1}}
  %0 = dnn.launch "a" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<input, 0, 0, 16>]
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<4xf32>, memref<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}
dnn.program @main target #cpu arena 16 live 16 worker 0 inputs [{name = "x", shape = array<i64: 4>, type = "float"}] outputs [] {
  // expected-error @below {{expects #dnn.buffer<arena, 0, 16, 16> to lie inside the 16 bytes of arena}}
  %0 = dnn.launch "a" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<input, 0, 0, 16>, #dnn.buffer<arena, 0, 16, 16>]
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<4xf32>, memref<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}
dnn.program @main target #cpu arena 16 live 16 worker 0 inputs [{name = "x", shape = array<i64: 4>, type = "float"}] outputs [] {
  // expected-error @below {{expects results outside inputs and constants, got #dnn.buffer<input, 0, 0, 16>}}
  %0 = dnn.launch "a" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<arena, 0, 0, 16>, #dnn.buffer<input, 0, 0, 16>]
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<4xf32>, memref<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}
dnn.program @main target #cpu arena 16 live 16 worker 0 inputs [] outputs [] {
  // expected-error @below {{expects output 0 to exist}}
  %0 = dnn.launch "a" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<arena, 0, 0, 16>, #dnn.buffer<output, 0, 0, 16>]
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<4xf32>, memref<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}
dnn.program @main target #cpu arena 32 live 16 worker 0 inputs [] outputs [] {
  // expected-error @below {{expects a range of 16 bytes for 'memref<4xf32>', got 8}}
  %0 = dnn.launch "a" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<arena, 0, 0, 8>, #dnn.buffer<arena, 0, 16, 16>]
}
