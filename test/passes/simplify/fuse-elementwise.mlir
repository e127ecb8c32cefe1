// RUN: udnn-opt %s --split-input-file --dnn-fuse-elementwise | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// Named operations become general and the chain becomes one; the value read twice is read once.
// CHECK-LABEL: func @swish
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
