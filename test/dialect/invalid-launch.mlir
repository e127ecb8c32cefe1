// Every check of the verifiers of kernels, dispatches, programs and launches rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// A kernel that returns.
// expected-error @+1 {{expects a function type without results}}
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>) -> tensor<8xf32> {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// A kernel that writes nothing.
// expected-error @+1 {{expects 1 to 2 outputs, got 0}}
dnn.kernel @k family "f" parameters {} num_outputs 0 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// An entry of 'in_place' too many.
// expected-error @+1 {{expects one 'in_place' entry per output, got 2}}
dnn.kernel @k family "f" parameters {} num_outputs 1 in_place [0, -1] : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// An output in the place of no input.
// expected-error @+1 {{expects 'in_place' to name an input or be -1, got 1}}
dnn.kernel @k family "f" parameters {} num_outputs 1 in_place [1] : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// A kernel that is not there.
func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{expects 'k' to name a 'dnn.kernel'}}
  %0 = dnn.dispatch "d" @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// An operand too few.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{expects 2 operands for kernel 'k', got 1}}
  %0 = dnn.dispatch "d" @k outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// An output too many.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{expects 1 inits for kernel 'k', got 2}}
  %0:2 = dnn.dispatch "d" @k outs(%x, %e : tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// A grid of one number.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
#cpu = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  // expected-error @+1 {{expects grid and block of 3 dimensions}}
  %0 = dnn.launch "l" @k grid [1] block [1, 1, 1] args []
}

// -----

// An argument of another kind.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
#cpu = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  // expected-error @+1 {{expects arguments to be #dnn.buffer or integers, got}}
  %0 = dnn.launch "l" @k grid [1, 1, 1] block [1, 1, 1] args ["x"]
}

// -----

// A launch of no kernel.
#cpu = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  // expected-error @+1 {{expects 'k' to name a 'dnn.kernel'}}
  %0 = dnn.launch "l" @k grid [1, 1, 1] block [1, 1, 1] args []
}
