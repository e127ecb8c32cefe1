// Every check of the contract after selection refuses what it is there to refuse.
// RUN: udnn-opt %s --dnn-verify-selected --split-input-file --verify-diagnostics

// expected-error @below {{expects the attribute 'dnn.device'}}
module {
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
// expected-error @below {{expects a function 'main' of one block}}
module attributes {dnn.device = #cpu} {
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
module attributes {dnn.device = #cpu} {
  // expected-error @below {{expects static shapes, got 'tensor<?xf32>'}}
  func.func @main(%x: tensor<?xf32>) {
    return
  }
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
module attributes {dnn.device = #cpu} {
  // expected-error @below {{expects a tensor below 2^63 bytes, got 'tensor<4611686018427387904xf32>'}}
  func.func @main(%x: tensor<4611686018427387904xf32>) {
    return
  }
}

// -----

#cpu = #dnn.device<kind = "cpu", arch = "x", features = "", cores = 2, vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
module attributes {dnn.device = #cpu} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expects only dispatches, constants, views and insertions}}
    %0 = arith.addf %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
