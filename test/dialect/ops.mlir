// Every operation and attribute prints as it is written.
// RUN: udnn-opt %s | udnn-opt | FileCheck %s

// CHECK-LABEL: func.func @conv
// CHECK: dnn.conv ins(%{{.*}} [n, c, 0, 1], %{{.*}} [k, c, 0, 1] : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>)
// CHECK-SAME: outs(%{{.*}} [n, c, 0, 1] : tensor<1x64x56x56xf32>) strides [1, 1] pads [1, 1, 1, 1]
// CHECK-SAME: dilations [1, 1] groups 1 accumulator f32 epilogue(%{{.*}} : tensor<64xf32> by
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: arith.addf %[[ACC]], %[[BIAS]]
func.func @conv(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>,
                %e: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x64x56x56xf32>)
                strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
                epilogue(%b : tensor<64xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32, %bias: f32):
    %0 = arith.addf %acc, %bias : f32
    dnn.yield %0 : f32
  }
  return %y : tensor<1x64x56x56xf32>
}

// Blocked channels that the block does not divide keep their logical count.
// CHECK-LABEL: func.func @conv_blocked
// CHECK: dnn.conv ins(%{{.*}} [n, c = 20, 0, 8c], %{{.*}} [k = 12, c = 20, 0, 8c, 8k]
// CHECK-SAME: accumulate
func.func @conv_blocked(%x: tensor<1x3x9x8xf16>, %w: tensor<2x3x3x8x8xf16>,
                        %e: tensor<1x2x7x8xf32>) -> tensor<1x2x7x8xf32> {
  %y = dnn.conv ins(%x [n, c = 20, 0, 8c], %w [k = 12, c = 20, 0, 8c, 8k] : tensor<1x3x9x8xf16>, tensor<2x3x3x8x8xf16>)
                outs(%e [n, c = 12, 0, 8c] : tensor<1x2x7x8xf32>)
                strides [1] pads [0, 0] dilations [1] groups 1 accumulator f32 accumulate
  return %y : tensor<1x2x7x8xf32>
}

// CHECK-LABEL: func.func @conv_transpose
// CHECK: dnn.conv_transpose ins(%{{.*}} [n, c, 0, 1], %{{.*}} [c, k, 0, 1]
func.func @conv_transpose(%x: tensor<1x8x4x4xf32>, %w: tensor<8x4x2x2xf32>,
                          %e: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %y = dnn.conv_transpose ins(%x [n, c, 0, 1], %w [c, k, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x4x2x2xf32>)
                          outs(%e [n, c, 0, 1] : tensor<1x4x8x8xf32>)
                          strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %y : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @winograd_filter
// CHECK: dnn.winograd_filter ins(%{{.*}} [k, c, 0, 1] : tensor<64x32x3x3xf32>) outs(%{{.*}} : tensor<36x64x32xf32>) tile 4
func.func @winograd_filter(%w: tensor<64x32x3x3xf32>, %e: tensor<36x64x32xf32>) -> tensor<36x64x32xf32> {
  %u = dnn.winograd_filter ins(%w [k, c, 0, 1] : tensor<64x32x3x3xf32>) outs(%e : tensor<36x64x32xf32>) tile 4
  return %u : tensor<36x64x32xf32>
}

// CHECK-LABEL: func.func @matmul
// CHECK: dnn.matmul ins(%{{.*}}, %{{.*}} : tensor<2x8x512xi8>, tensor<1000x512xi8>) outs(%{{.*}} : tensor<2x8x1000xi32>)
// CHECK-SAME: transpose_rhs unsigned accumulator i32
func.func @matmul(%a: tensor<2x8x512xi8>, %b: tensor<1000x512xi8>, %e: tensor<2x8x1000xi32>) -> tensor<2x8x1000xi32> {
  %y = dnn.matmul ins(%a, %b : tensor<2x8x512xi8>, tensor<1000x512xi8>) outs(%e : tensor<2x8x1000xi32>)
                  transpose_rhs unsigned accumulator i32
  return %y : tensor<2x8x1000xi32>
}

// CHECK-LABEL: func.func @max_pool
// CHECK: dnn.max_pool ins(%{{.*}} : tensor<1x4x9x9xi8>) outs(%{{.*}}, %{{.*}} : tensor<1x4x4x4xi8>, tensor<1x4x4x4xi64>)
// CHECK-SAME: dims [n, c, 0, 1] window [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] column_major unsigned
func.func @max_pool(%x: tensor<1x4x9x9xi8>, %e: tensor<1x4x4x4xi8>, %i: tensor<1x4x4x4xi64>)
    -> (tensor<1x4x4x4xi8>, tensor<1x4x4x4xi64>) {
  %y:2 = dnn.max_pool ins(%x : tensor<1x4x9x9xi8>) outs(%e, %i : tensor<1x4x4x4xi8>, tensor<1x4x4x4xi64>)
                      dims [n, c, 0, 1] window [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1]
                      column_major unsigned -> tensor<1x4x4x4xi8>, tensor<1x4x4x4xi64>
  return %y#0, %y#1 : tensor<1x4x4x4xi8>, tensor<1x4x4x4xi64>
}

// CHECK-LABEL: func.func @avg_pool
// CHECK: dnn.avg_pool {{.*}} dims [n, 0, 1, c] window [7, 7] {{.*}} count_include_pad
func.func @avg_pool(%x: tensor<1x7x7x2048xf32>, %e: tensor<1x1x1x2048xf32>) -> tensor<1x1x1x2048xf32> {
  %y = dnn.avg_pool ins(%x : tensor<1x7x7x2048xf32>) outs(%e : tensor<1x1x1x2048xf32>)
                    dims [n, 0, 1, c] window [7, 7] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] count_include_pad
  return %y : tensor<1x1x1x2048xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK: dnn.softmax ins(%{{.*}} : tensor<8x1000xf32>) outs(%{{.*}} : tensor<8x1000xf32>) dimension 1
// CHECK: dnn.log_softmax {{.*}} dimension 0
func.func @softmax(%x: tensor<8x1000xf32>, %e: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  %y = dnn.softmax ins(%x : tensor<8x1000xf32>) outs(%e : tensor<8x1000xf32>) dimension 1
  %z = dnn.log_softmax ins(%y : tensor<8x1000xf32>) outs(%e : tensor<8x1000xf32>) dimension 0
  return %z : tensor<8x1000xf32>
}

// CHECK-LABEL: func.func @norms
// CHECK: dnn.batch_norm {{.*}} dims [n, c, 0] epsilon 1.000000e-05
// CHECK: dnn.instance_norm {{.*}} dims [n, c, 0] epsilon 1.000000e-05
// CHECK: dnn.lrn {{.*}} dims [n, c, 0] size 5 alpha 1.000000e-04 beta 7.500000e-01 bias 1.000000e+00
// CHECK: dnn.layer_norm {{.*}} dimension 2 epsilon 1.000000e-05 -> tensor<2x4x6xf32>, tensor<2x4x1xf32>, tensor<2x4x1xf32>
func.func @norms(%x: tensor<2x4x6xf32>, %v: tensor<4xf32>, %s: tensor<6xf32>, %m: tensor<2x4x1xf32>) -> tensor<2x4x6xf32> {
  %b = dnn.batch_norm ins(%x, %v, %v, %v, %v : tensor<2x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
                      outs(%x : tensor<2x4x6xf32>) dims [n, c, 0] epsilon 1.0e-05
  %i = dnn.instance_norm ins(%b, %v, %v : tensor<2x4x6xf32>, tensor<4xf32>, tensor<4xf32>)
                         outs(%x : tensor<2x4x6xf32>) dims [n, c, 0] epsilon 1.0e-05
  %r = dnn.lrn ins(%i : tensor<2x4x6xf32>) outs(%x : tensor<2x4x6xf32>)
               dims [n, c, 0] size 5 alpha 1.0e-04 beta 7.5e-01 bias 1.0
  %l:3 = dnn.layer_norm ins(%r, %s, %s : tensor<2x4x6xf32>, tensor<6xf32>, tensor<6xf32>)
                        outs(%x, %m, %m : tensor<2x4x6xf32>, tensor<2x4x1xf32>, tensor<2x4x1xf32>)
                        dimension 2 epsilon 1.0e-05 -> tensor<2x4x6xf32>, tensor<2x4x1xf32>, tensor<2x4x1xf32>
  return %l#0 : tensor<2x4x6xf32>
}

// CHECK-LABEL: func.func @resize
// CHECK: dnn.resize {{.*}} nearest asymmetric floor scales [1.000000e+00, 2.000000e+00]
// CHECK: dnn.resize {{.*}} linear tf_crop_and_resize round_prefer_floor scales
// CHECK-SAME: roi [0.000000e+00, 0.000000e+00, 1.000000e+00, 5.000000e-01] extrapolation -1.000000e+00
func.func @resize(%x: tensor<8x16xf32>, %e: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %y = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>)
                  nearest asymmetric floor scales [1.0, 2.0]
  %z = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>)
                  linear tf_crop_and_resize round_prefer_floor scales [1.0, 2.0]
                  roi [0.0, 0.0, 1.0, 0.5] extrapolation -1.0
  return %y, %z : tensor<8x32xf32>, tensor<8x32xf32>
}

// CHECK-LABEL: func.func @unit
// CHECK: dnn.unit "relu_1" plan <pieces = [#dnn.piece<count = 2, batch = 64, family = "cpu.generic", parameters = {step = "a"},
// CHECK-SAME: inputs = [#dnn.dims<[n, c = 20, 0, 8c]>], results = [unit]>
func.func @unit(%x: tensor<4x20xf32>, %e: tensor<4x20xf32>) -> tensor<4x20xf32> {
  %y = dnn.unit "relu_1" plan <pieces = [#dnn.piece<count = 2, batch = 64, family = "cpu.generic", parameters = {step = "a"},
           time = 10, workspace = 20, worker = 30, error = 40, origin = "modelled">],
           inputs = [#dnn.dims<[n, c = 20, 0, 8c]>], results = [unit]>
       ins(%x : tensor<4x20xf32>) outs(%e : tensor<4x20xf32>) {
  ^bb0(%a: tensor<4x20xf32>, %b: tensor<4x20xf32>):
    dnn.yield %a : tensor<4x20xf32>
  } -> tensor<4x20xf32>
  return %y : tensor<4x20xf32>
}

// CHECK-LABEL: dnn.kernel @copy family "cpu.generic" parameters {a = 1 : i64} num_outputs 1 worker_bytes 64
// CHECK-SAME: in_place [0] : (tensor<8xf32>, tensor<8xf32>) -> ()
dnn.kernel @copy family "cpu.generic" parameters {a = 1 : i64} num_outputs 1 worker_bytes 64 in_place [0]
    : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// CHECK-LABEL: func.func @dispatch
// CHECK: dnn.dispatch "copy_1" @copy ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) -> tensor<8xf32>
func.func @dispatch(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %y = dnn.dispatch "copy_1" @copy ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: dnn.program @main target <kind = "cpu", arch = "znver3"
// CHECK-SAME: arena 4096 live 64 worker 64
// CHECK: %[[T:.*]] = dnn.launch "copy_1" @copy grid [4, 1, 1] block [1, 1, 1] args [#dnn.buffer<input, 0, 0, 32>, #dnn.buffer<arena, 0, 64, 32>, 7]
// CHECK: dnn.launch "copy_2" @copy grid [4, 1, 1] block [1, 1, 1] shared 128 args [] queue 1 after(%[[T]])
dnn.program @main target <kind = "cpu", arch = "znver3", features = "+avx2", cores = 2, vector_bits = 256,
    gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
    arena 4096 live 64 worker 64
    inputs [{name = "x", shape = array<i64: 8>, type = "float"}] outputs [{name = "y", shape = array<i64: 8>, type = "float"}] {
  %0 = dnn.launch "copy_1" @copy grid [4, 1, 1] block [1, 1, 1]
       args [#dnn.buffer<input, 0, 0, 32>, #dnn.buffer<arena, 0, 64, 32>, 7]
  %1 = dnn.launch "copy_2" @copy grid [4, 1, 1] block [1, 1, 1] shared 128 args [] queue 1 after(%0)
}

// CHECK-LABEL: dnn.code @cpu target <kind = "cpu"
// CHECK-SAME: format "elf" kernels [@copy] data dense<[127, 69]> : tensor<2xi8>
dnn.code @cpu target <kind = "cpu", arch = "znver3", features = "", cores = 2, vector_bits = 256,
    gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 2000>
    format "elf" kernels [@copy] data dense<[127, 69]> : tensor<2xi8>

// The windows of a pooling have to start in the padded input only, as in a tile at its end.
// CHECK-LABEL: func.func @cut_off
// CHECK: dnn.max_pool
func.func @cut_off(%x: tensor<1x4x1x8xf32>, %e: tensor<1x4x1x3xf32>) -> tensor<1x4x1x3xf32> {
  %y = dnn.max_pool ins(%x : tensor<1x4x1x8xf32>) outs(%e : tensor<1x4x1x3xf32>)
      dims [n, c, 0, 1] window [3, 3] strides [3, 3] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x4x1x3xf32>
  return %y : tensor<1x4x1x3xf32>
}
