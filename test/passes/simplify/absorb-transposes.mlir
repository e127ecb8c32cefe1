// RUN: udnn-opt %s --split-input-file --dnn-absorb-transposes --canonicalize --mlir-print-local-scope | FileCheck %s
// RUN: udnn-opt %s --split-input-file --dnn-absorb-transposes=absorb-dims=false --canonicalize --mlir-print-local-scope | FileCheck %s --check-prefix=CANCEL
// RUN: udnn-opt %s --split-input-file --dnn-absorb-transposes -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>

// Through an element-wise operation to the inverse: both are gone, the slope is read by the last
// dimension.
// CHECK-LABEL: func @cancel
// REMARK: remark: [Passed] dnn-absorb-transposes | Category:dnn.simplify:cancel | Remark="cancelled with its inverse"
// CHECK-NOT: linalg.transpose
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-SAME: ins(%arg0, %arg1
// CHECK-NOT: linalg.transpose
// CHECK: return %[[R]]
func.func @cancel(%x: tensor<1x4x6x8xf32>, %slope: tensor<8xf32>) -> tensor<1x4x6x8xf32> {
  %e = tensor.empty() : tensor<1x8x4x6xf32>
  %t = linalg.transpose ins(%x : tensor<1x4x6x8xf32>) outs(%e : tensor<1x8x4x6xf32>) permutation = [0, 3, 1, 2]
  %0 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t, %slope : tensor<1x8x4x6xf32>, tensor<8xf32>) outs(%e : tensor<1x8x4x6xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %m = arith.mulf %in, %s : f32
    linalg.yield %m : f32
  } -> tensor<1x8x4x6xf32>
  %e2 = tensor.empty() : tensor<1x4x6x8xf32>
  %u = linalg.transpose ins(%0 : tensor<1x8x4x6xf32>) outs(%e2 : tensor<1x4x6x8xf32>) permutation = [0, 2, 3, 1]
  return %u : tensor<1x4x6x8xf32>
}

// -----

// Input and result of a convolution, with the map of its residual.
// CHECK-LABEL: func @conv
// REMARK: remark: [Passed] dnn-absorb-transposes | Category:dnn.simplify:absorb | Remark="absorbed in the result of dnn.conv"
// REMARK: remark: [Passed] dnn-absorb-transposes | Category:dnn.simplify:absorb | Remark="absorbed in the input of dnn.conv"
// CHECK-NOT: linalg.transpose
// CHECK: dnn.conv ins(%arg0 [n, 0, 1, c], %arg1 [k, c, 0, 1]
// CHECK-SAME: outs(%{{.*}} [n, 0, 1, c] : tensor<1x4x6x2xf32>)
// CHECK-SAME: epilogue(%arg2 : tensor<1x2x4x6xf32> by affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>)
// CANCEL-LABEL: func @conv
// CANCEL: linalg.transpose
// CANCEL: dnn.conv ins(%{{.*}} [n, c, 0, 1],
// CANCEL: linalg.transpose
func.func @conv(%x: tensor<1x4x6x3xf32>, %w: tensor<2x3x1x1xf32>, %r: tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> {
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %t = linalg.transpose ins(%x : tensor<1x4x6x3xf32>) outs(%e : tensor<1x3x4x6xf32>) permutation = [0, 3, 1, 2]
  %e1 = tensor.empty() : tensor<1x2x4x6xf32>
  %0 = dnn.conv ins(%t [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x3x4x6xf32>, tensor<2x3x1x1xf32>)
                outs(%e1 [n, c, 0, 1] : tensor<1x2x4x6xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
                epilogue(%r : tensor<1x2x4x6xf32> by affine_map<(n, c, h, w) -> (n, c, h, w)>) {
  ^bb0(%acc: f32, %v: f32):
    %s = arith.addf %acc, %v : f32
    dnn.yield %s : f32
  }
  %e2 = tensor.empty() : tensor<1x4x6x2xf32>
  %u = linalg.transpose ins(%0 : tensor<1x2x4x6xf32>) outs(%e2 : tensor<1x4x6x2xf32>) permutation = [0, 2, 3, 1]
  return %u : tensor<1x4x6x2xf32>
}

// -----

// Pooling works on channels last.
// CHECK-LABEL: func @pool
// REMARK: remark: [Passed] dnn-absorb-transposes | Category:dnn.simplify:cancel | Remark="cancelled with its inverse"
// CHECK-NOT: linalg.transpose
// CHECK: dnn.max_pool ins(%arg0 {{.*}} dims [n, 0, 1, c]
// CHECK-NOT: linalg.transpose
func.func @pool(%x: tensor<1x4x6x8xf32>) -> tensor<1x2x3x8xf32> {
  %e = tensor.empty() : tensor<1x8x4x6xf32>
  %t = linalg.transpose ins(%x : tensor<1x4x6x8xf32>) outs(%e : tensor<1x8x4x6xf32>) permutation = [0, 3, 1, 2]
  %e1 = tensor.empty() : tensor<1x8x2x3xf32>
  %0 = dnn.max_pool ins(%t : tensor<1x8x4x6xf32>) outs(%e1 : tensor<1x8x2x3xf32>) dims [n, c, 0, 1]
       window [2, 2] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x8x2x3xf32>
  %e2 = tensor.empty() : tensor<1x2x3x8xf32>
  %u = linalg.transpose ins(%0 : tensor<1x8x2x3xf32>) outs(%e2 : tensor<1x2x3x8xf32>) permutation = [0, 2, 3, 1]
  return %u : tensor<1x2x3x8xf32>
}

// -----

// A transposed matrix is read as it is; softmax follows its dimension.
// CANCEL-LABEL: func @matmul
// REMARK: remark: [Passed] dnn-absorb-transposes | Category:dnn.simplify:absorb | Remark="absorbed in the operands of dnn.matmul"
// CANCEL-NOT: linalg.transpose
// CANCEL: %[[S:.*]] = dnn.softmax ins(%arg1 {{.*}} dimension 0
// CANCEL: dnn.matmul ins(%arg0, %[[S]] : tensor<4x8xf32>, tensor<2x8xf32>) {{.*}} transpose_rhs
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<2x8xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<8x2xf32>
  %t = linalg.transpose ins(%b : tensor<2x8xf32>) outs(%e : tensor<8x2xf32>) permutation = [1, 0]
  %s = dnn.softmax ins(%t : tensor<8x2xf32>) outs(%e : tensor<8x2xf32>) dimension 1
  %e1 = tensor.empty() : tensor<4x2xf32>
  %0 = dnn.matmul ins(%a, %s : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e1 : tensor<4x2xf32>) accumulator f32
  return %0 : tensor<4x2xf32>
}

// -----

// Only dimensions of size 1 move: a view.
// CANCEL-LABEL: func @view
// REMARK: remark: [Passed] dnn-absorb-transposes | Category:dnn.simplify:cancel | Remark="became a view"
// CANCEL-NOT: linalg.transpose
// CANCEL: tensor.expand_shape
func.func @view(%x: tensor<2x8x1x1xf32>) -> tensor<2x1x1x8xf32> {
  %e = tensor.empty() : tensor<2x1x1x8xf32>
  %t = linalg.transpose ins(%x : tensor<2x8x1x1xf32>) outs(%e : tensor<2x1x1x8xf32>) permutation = [0, 2, 3, 1]
  return %t : tensor<2x1x1x8xf32>
}
