// What keeps kernels from being compiled; errors name the kernel and the layer.
// RUN: udnn-opt %s --dnn-codegen --split-input-file --verify-diagnostics

#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// expected-error @+2 {{expects 'cpu.abacus' to be a kernel family}}
// expected-error @+1 {{cannot compile kernel 'k' of family 'cpu.abacus' for layer 'relu_1'}}
dnn.kernel @k family "cpu.abacus" parameters {} num_outputs 1 : (memref<8xf32>) -> () {
^bb0(%x: tensor<8xf32>):
  dnn.yield %x : tensor<8xf32>
}
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<output, 0, 0, 32>]
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// expected-error @+1 {{expects the arguments of kernel 'k' to be memrefs, got 'tensor<8xf32>'}}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (tensor<8xf32>) -> () {
^bb0(%x: tensor<8xf32>):
  dnn.yield %x : tensor<8xf32>
}
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<output, 0, 0, 32>]
}

// -----

#tpu = #dnn.device<kind = "tpu", arch = "", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<8xf32>) -> () {
^bb0(%x: tensor<8xf32>):
  dnn.yield %x : tensor<8xf32>
}
// expected-error @+1 {{no code generator for devices of kind 'tpu'}}
dnn.program @main target #tpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<output, 0, 0, 32>]
}

// -----

// Kernels can be edited, too: parameters, families and arguments are checked before they are used.
#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// expected-error @+2 {{the kernel family 'cpu.pool' does not run this operation}}
// expected-error @+1 {{cannot compile kernel 'k' of family 'cpu.pool' for layer 'relu_1'}}
dnn.kernel @k family "cpu.pool" parameters {rows = 1 : i64} num_outputs 1 : (memref<8xf32>) -> () {
^bb0(%x: tensor<8xf32>):
  dnn.yield %x : tensor<8xf32>
}
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<output, 0, 0, 32>]
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// expected-error @+2 {{expects the arguments of kernel 'k' to have the types of its body's}}
// expected-error @+1 {{cannot compile kernel 'k' of family 'cpu.generic' for layer 'relu_1'}}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<8xf32>) -> () {
^bb0(%x: tensor<9xf32>):
  dnn.yield %x : tensor<9xf32>
}
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @k grid [1, 1, 1] block [1, 1, 1] args [#dnn.buffer<output, 0, 0, 32>]
}

// -----

// A direct convolution that takes blocked channels for plain ones.
#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// expected-error @+2 {{expects an input of plain channels for 'plain_input' = 1, got blocks of 8 channels}}
// expected-error @+1 {{cannot compile kernel 'k' of family 'cpu.direct_conv' for layer 'conv_1'}}
dnn.kernel @k family "cpu.direct_conv" parameters {columns = 4 : i64, filters_outside = 0 : i64, pass_blocks = 0 : i64,
    plain_input = 1 : i64, rows = 1 : i64, vectors = 1 : i64} num_outputs 1
    : (memref<1x1x4x4x8xf32>, memref<1x8x8xf32>, memref<1x1x4x4x8xf32>) -> () {
^bb0(%x: tensor<1x1x4x4x8xf32>, %f: tensor<8x8x1x1xf32>, %y: tensor<1x1x4x4x8xf32>):
  %0 = dnn.conv ins(%x [n, c, 0, 1, 8c], %f [k, c, 0, 1] : tensor<1x1x4x4x8xf32>, tensor<8x8x1x1xf32>)
      outs(%y [n, c, 0, 1, 8c] : tensor<1x1x4x4x8xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  dnn.yield %0 : tensor<1x1x4x4x8xf32>
}
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "conv_1" @k grid [1, 1, 1] block [1, 1, 1]
      args [#dnn.buffer<input, 0, 0, 512>, #dnn.buffer<input, 1, 0, 256>, #dnn.buffer<output, 0, 0, 512>]
}

// -----

// A layer normalization over more dimensions than it has scales for.
#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// expected-error @+2 {{the kernel family 'cpu.row_norm' does not run this operation}}
// expected-error @+1 {{cannot compile kernel 'k' of family 'cpu.row_norm' for layer 'norm_1'}}
dnn.kernel @k family "cpu.row_norm" parameters {rows = 1 : i64} num_outputs 1
    : (memref<4x16xf32>, memref<16xf32>, memref<4x16xf32>) -> () {
^bb0(%x: tensor<4x16xf32>, %s: tensor<16xf32>, %y: tensor<4x16xf32>):
  %0 = dnn.layer_norm ins(%x, %s : tensor<4x16xf32>, tensor<16xf32>) outs(%y : tensor<4x16xf32>)
      dimension 0 epsilon 1.0e-05 -> tensor<4x16xf32>
  dnn.yield %0 : tensor<4x16xf32>
}
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "norm_1" @k grid [1, 1, 1] block [1, 1, 1]
      args [#dnn.buffer<input, 0, 0, 256>, #dnn.buffer<input, 1, 0, 64>, #dnn.buffer<output, 0, 0, 256>]
}

// -----

// A softmax of another element type.
#cpu = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2, vector_bits = 256,
  gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>

// expected-error @+2 {{the kernel family 'cpu.row_norm' does not run this operation}}
// expected-error @+1 {{cannot compile kernel 'k' of family 'cpu.row_norm' for layer 'softmax_1'}}
dnn.kernel @k family "cpu.row_norm" parameters {rows = 1 : i64} num_outputs 1
    : (memref<4x16xf16>, memref<4x16xf16>) -> () {
^bb0(%x: tensor<4x16xf16>, %y: tensor<4x16xf16>):
  %0 = dnn.softmax ins(%x : tensor<4x16xf16>) outs(%y : tensor<4x16xf16>) dimension 1
  dnn.yield %0 : tensor<4x16xf16>
}
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "softmax_1" @k grid [1, 1, 1] block [1, 1, 1]
      args [#dnn.buffer<input, 0, 0, 128>, #dnn.buffer<output, 0, 0, 128>]
}
