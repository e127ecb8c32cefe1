// RUN: udnn-opt %s --split-input-file --dnn-fuse-elementwise | FileCheck %s
// RUN: udnn-opt %s --split-input-file --dnn-fuse-elementwise -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

#id = affine_map<(i, j) -> (i, j)>

// Named operations become general and the chain becomes one; the value read twice is read once.
// CHECK-LABEL: func @swish
// REMARK: remark: [Passed] dnn-fuse-elementwise | Category:dnn.simplify:fuse | Remark="fused into its reader"
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<4x8xf32>)
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
func.func @swish(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    %p = math.exp %n : f32
    %s = arith.addf %p, %one : f32
    %d = arith.divf %one, %s : f32
    linalg.yield %d : f32
  } -> tensor<4x8xf32>
  %1 = linalg.mul ins(%x, %0 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>

// Computed for every row, read for every element: the exponential is not repeated.
// CHECK-LABEL: func @broadcast
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.mulf
func.func @broadcast(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> tensor<4x8xf32> {
  %e1 = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%v : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = math.exp %in : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %p = arith.mulf %in, %in2 : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A value with two readers is computed once.
// CHECK-LABEL: func @two_readers
// CHECK-COUNT-3: linalg.generic
func.func @two_readers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = math.exp %x : tensor<4xf32>
  %1 = arith.negf %0 : tensor<4xf32>
  %2 = math.absf %0 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(b, m, n) -> (b, m, n)>
#n = affine_map<(b, m, n) -> (n)>

// The bias of a product whose rows were split again is added before they are.
// CHECK-LABEL: func @reshape
// CHECK: %[[M:.*]] = dnn.matmul
// CHECK: %[[B:.*]] = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%[[M]], %arg2 : tensor<6x4xf32>, tensor<4xf32>)
// CHECK: tensor.expand_shape %[[B]]
func.func @reshape(%a: tensor<6x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %0 = dnn.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x4xf32>) outs(%e : tensor<6x4xf32>) accumulator f32
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %e3 = tensor.empty() : tensor<2x3x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1, %c : tensor<2x3x4xf32>, tensor<4xf32>) outs(%e3 : tensor<2x3x4xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
