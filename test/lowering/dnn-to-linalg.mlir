// What the lowering of primitives looks like; test/lowering/numeric.py checks what it computes.
// RUN: udnn-opt %s --convert-dnn-to-linalg --split-input-file | FileCheck %s

// Without padding, a convolution reads by indexing maps and writes into its init.
// CHECK: #[[X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6)>
// CHECK-LABEL: func @conv
// CHECK-SAME: %[[INPUT:.+]]: tensor<1x4x9x8xf32>, %[[FILTER:.+]]: tensor<6x4x3x3xf32>, %[[INIT:.+]]: tensor
// CHECK: %[[FILL:.+]] = linalg.fill ins(%{{.*}} : f32) outs(%[[INIT]]
// CHECK: linalg.generic {indexing_maps = [#[[X]],
// CHECK-SAME: ins(%[[INPUT]], %[[FILTER]] : {{.*}}) outs(%[[FILL]]
// CHECK-NOT: tensor.extract
// CHECK-NOT: dnn.
func.func @conv(%x: tensor<1x4x9x8xf32>, %w: tensor<6x4x3x3xf32>, %e: tensor<1x6x4x6xf32>) -> tensor<1x6x4x6xf32> {
  %r = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x9x8xf32>, tensor<6x4x3x3xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x6x4x6xf32>)
    strides [2, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %r : tensor<1x6x4x6xf32>
}

// -----

// Accumulation starts from the init.
// CHECK-LABEL: func @accumulate
// CHECK-SAME: %[[INIT:[a-z0-9]+]]: tensor<8x2xf32>)
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}} outs(%[[INIT]]
func.func @accumulate(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>, %e: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %y = dnn.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) outs(%e : tensor<8x2xf32>)
    accumulator f32 accumulate
  return %y : tensor<8x2xf32>
}

// -----

// Sums are kept in the accumulator's type; the epilogue is the last operation and writes the init.
// CHECK-LABEL: func @epilogue
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<2xf16>, %[[INIT:[a-z0-9]+]]: tensor<8x2xf16>)
// CHECK: %[[SUMS:.+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xf32>)
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %[[BIAS]] : {{.*}}) outs(%[[INIT]] : tensor<8x2xf16>)
// CHECK: arith.truncf
// CHECK: linalg.yield %{{.*}} : f16
func.func @epilogue(%a: tensor<8x4xf16>, %b: tensor<4x2xf16>, %c: tensor<2xf16>, %e: tensor<8x2xf16>) -> tensor<8x2xf16> {
  %y = dnn.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x2xf16>) outs(%e : tensor<8x2xf16>) accumulator f32
    epilogue(%c : tensor<2xf16> by affine_map<(m, n) -> (n)>) {
  ^bb0(%acc: f32, %bias: f16):
    %0 = arith.extf %bias : f16 to f32
    %1 = arith.addf %acc, %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    dnn.yield %2 : f16
  }
  return %y : tensor<8x2xf16>
}

// -----

// Padding is tested in the body: the element is read at a clamped position.
// CHECK-LABEL: func @padding
// CHECK-SAME: %[[INPUT:.+]]: tensor<1x2x4x4xf32>,
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.generic
// CHECK: %[[ELEMENT:.+]] = tensor.extract %[[INPUT]]
// CHECK: %[[VALUE:.+]] = arith.select %{{.*}}, %[[ELEMENT]], %[[LOWEST]] : f32
// CHECK: arith.maximumf %{{.*}}, %[[VALUE]]
func.func @padding(%x: tensor<1x2x4x4xf32>, %e: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %y = dnn.max_pool ins(%x : tensor<1x2x4x4xf32>) outs(%e : tensor<1x2x4x4xf32>) dims [n, c, 0, 1] window [3, 3]
    strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// -----

// A blocked input is read at channel / 8 and channel % 8 for the 20 logical channels only.
// CHECK-LABEL: func @blocked
// CHECK: arith.divui
// CHECK: arith.remui
// CHECK: tensor.extract %{{.*}} : tensor<1x3x2x2x8xf32>
func.func @blocked(%x: tensor<1x3x2x2x8xf32>, %w: tensor<16x20x1x1xf32>, %e: tensor<1x2x2x2x8xf32>) -> tensor<1x2x2x2x8xf32> {
  %r = dnn.conv ins(%x [n, c = 20, 0, 1, 8c], %w [k, c, 0, 1] : tensor<1x3x2x2x8xf32>, tensor<16x20x1x1xf32>)
    outs(%e [n, c, 0, 1, 8c] : tensor<1x2x2x2x8xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %r : tensor<1x2x2x2x8xf32>
}

// -----

// Softmax reads its input three times and keeps no full-size temporary.
// CHECK-LABEL: func @softmax
// CHECK-SAME: %[[INPUT:.+]]: tensor<8x100xf32>, %[[INIT:.+]]: tensor<8x100xf32>)
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[INPUT]] : {{.*}}) outs(%{{.*}} : tensor<8xf32>)
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[INPUT]], %[[MAX]] : {{.*}}) outs(%{{.*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[INPUT]], %[[MAX]], %[[SUM]] : {{.*}}) outs(%[[INIT]]
func.func @softmax(%x: tensor<8x100xf32>, %e: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %y = dnn.softmax ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) dimension 1
  return %y : tensor<8x100xf32>
}

// -----

// Nearest neighbours that a division finds need no floating point.
// CHECK-LABEL: func @upsample
// CHECK-NOT: f64
// CHECK-COUNT-2: arith.divui
// CHECK: tensor.extract
func.func @upsample(%x: tensor<1x8x16x16xf32>, %e: tensor<1x8x32x32xf32>) -> tensor<1x8x32x32xf32> {
  %y = dnn.resize ins(%x : tensor<1x8x16x16xf32>) outs(%e : tensor<1x8x32x32xf32>)
    nearest asymmetric floor scales [1.0, 1.0, 2.0, 2.0]
  return %y : tensor<1x8x32x32xf32>
}

// -----

// Between the two types of 16 bits there is no conversion but through f32.
// CHECK-LABEL: func @halves
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to bf16
func.func @halves(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>, %e: tensor<2x4xbf16>) -> tensor<2x4xbf16> {
  %y = dnn.matmul ins(%a, %b : tensor<2x3xf16>, tensor<3x4xf16>) outs(%e : tensor<2x4xbf16>) accumulator bf16
  return %y : tensor<2x4xbf16>
}
