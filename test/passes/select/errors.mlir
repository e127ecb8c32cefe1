// What cannot be selected, or be planned after selection, is named.
// RUN: udnn-opt %s --split-input-file --verify-diagnostics --dnn-select --dnn-wrap-transforms --dnn-plan="keep-layouts"

// expected-error @below {{expects the module to carry the device's facts as 'dnn.device'}}
module {}

// -----

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{no kernel family can run 'copy' on the target 'cpu' (}}
  %p = linalg.copy ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %p : tensor<?xf32>
}
}

// -----

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{'dnn.unit' op expects a plan}}
  %y = dnn.unit "copy" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = linalg.copy ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    dnn.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
}

// -----

// Parameters are checked before the family reads them.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{expects the parameter 'rows' of the kernel family 'cpu.pool' to be an i64 from 1 to 2147483648, got 0}}
  // expected-error @below {{kernel family "cpu.pool" cannot expand 'pool'}}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.pool", parameters = {rows = 0 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// One is missing.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{expects the parameter 'rows' of the kernel family 'cpu.pool' to be an i64 from 1 to 2147483648, got none}}
  // expected-error @below {{kernel family "cpu.pool" cannot expand 'pool'}}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.pool", parameters = {},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// Of another type.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{got 1 : i32}}
  // expected-error @below {{kernel family "cpu.pool" cannot expand 'pool'}}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.pool", parameters = {rows = 1 : i32},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// One too many.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{the kernel family 'cpu.pool' has no parameter 'columns'}}
  // expected-error @below {{kernel family "cpu.pool" cannot expand 'pool'}}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.pool", parameters = {columns = 1 : i64, rows = 1 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// Layouts of another device.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{expects layouts that the kernel family "cpu.pool" offers on this device}}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.pool", parameters = {rows = 1 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 16c]>], results = [#dnn.dims<[n, c, 0, 1, 16c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// A family that does not run the operation.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{is planned for the kernel family "cpu.lrn", which cannot run it: }}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.lrn", parameters = {rows = 1 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// A family for other devices.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{is planned for the kernel family "cuda.generic", which cannot run it: is for other devices}}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cuda.generic", parameters = {},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// Micro-batches.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{expects a plan with the count 1 and the batch 0, got 2 and 1}}
  %y = dnn.unit "pool" plan <pieces = [#dnn.piece<count = 2, batch = 1, family = "cpu.pool", parameters = {rows = 1 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.max_pool ins(%a : tensor<1x8x4x4xf32>) outs(%b : tensor<1x8x4x4xf32>) dims [n, c, 0, 1] window [1, 1]
         strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x4x4xf32>
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// Packing is a step that the family adds itself.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  // expected-error @below {{expects a plan for the kernel family 'cpu.matmul' to have the step 0, got 1}}
  // expected-error @below {{kernel family "cpu.matmul" cannot expand 'product'}}
  %y = dnn.unit "product" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.matmul",
      parameters = {packed = 1 : i64, rows = 4 : i64, step = 1 : i64, tiles = 1 : i64, vectors = 2 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [unit], results = [unit]>
      ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>):
    %0 = dnn.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%b : tensor<16x16xf32>) accumulator f32
    dnn.yield %0 : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}
}

// -----

// Right sides that are transposed are read packed only.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  // expected-error @below {{expects a plan for the kernel family 'cpu.matmul' to pack the right side, which is transposed}}
  // expected-error @below {{kernel family "cpu.matmul" cannot expand 'product'}}
  %y = dnn.unit "product" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.matmul",
      parameters = {packed = 0 : i64, rows = 4 : i64, step = 0 : i64, tiles = 1 : i64, vectors = 2 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [unit], results = [unit]>
      ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>):
    %0 = dnn.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%b : tensor<16x16xf32>)
        transpose_rhs accumulator f32
    dnn.yield %0 : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}
}

// -----

// Nor do plans begin with a later one of three launches.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %f = arith.constant dense<1.0> : tensor<8x8x3x3xf32>
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{expects a plan for the kernel family 'cpu.winograd' to have the step 0 (blocks) or 1 (three launches), got 2}}
  // expected-error @below {{kernel family "cpu.winograd" cannot expand 'conv'}}
  %y = dnn.unit "conv" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.winograd",
      parameters = {block_columns = 1 : i64, block_rows = 1 : i64, columns = 1 : i64, piece = 1 : i64, step = 2 : i64, vectors = 1 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>, unit], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x, %f : tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.conv ins(%a [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) outs(%b [n, c, 0, 1] : tensor<1x8x4x4xf32>)
         strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// Parameters that contradict the layouts.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %f = arith.constant dense<1.0> : tensor<8x8x3x3xf32>
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  // expected-error @below {{expects an input of plain channels for 'plain_input' = 1, got blocks of 8 channels}}
  // expected-error @below {{kernel family "cpu.direct_conv" cannot expand 'conv'}}
  %y = dnn.unit "conv" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.direct_conv",
      parameters = {columns = 4 : i64, filters_outside = 0 : i64, pass_blocks = 0 : i64, plain_input = 1 : i64, rows = 1 : i64, vectors = 1 : i64},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [#dnn.dims<[n, c, 0, 1, 8c]>, unit], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
      ins(%x, %f : tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xf32>, %b: tensor<1x8x4x4xf32>):
    %0 = dnn.conv ins(%a [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) outs(%b [n, c, 0, 1] : tensor<1x8x4x4xf32>)
         strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
    dnn.yield %0 : tensor<1x8x4x4xf32>
  } -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
}

// -----

// The fallback family is not asked again; it refuses what it cannot run.
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{family 'cpu.generic' cannot run unit 'copy' with the parameters {}}}
  // expected-error @below {{kernel family "cpu.generic" cannot expand 'copy'}}
  %y = dnn.unit "copy" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.generic", parameters = {},
      time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [unit], results = [unit]>
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %0 = linalg.copy ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
    dnn.yield %0 : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
}
