// RUN: udnn-opt %s --split-input-file --dnn-form-units --dnn-verify-simplified --mlir-print-local-scope | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// A reduction is filled inside; the scalar constants move in; names come from the nodes and are
// made unique.
// CHECK-LABEL: func @units
// CHECK-NEXT: %[[E0:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = dnn.unit "sum" ins(%arg0 : tensor<4x8xf32>) outs(%[[E0]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4x8xf32>, %[[I:.*]]: tensor<4xf32>):
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[F:.*]] = linalg.fill ins(%[[Z]] : f32) outs(%[[I]] : tensor<4xf32>)
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<4x8xf32>) outs(%[[F]] : tensor<4xf32>)
// CHECK: dnn.yield %[[G]]
// CHECK: dnn.unit "sum_1" ins(%[[R]] : tensor<4xf32>)
// CHECK: linalg.generic
// CHECK: arith.constant 2.000000e+00
func.func @units(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32> loc("sum")
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %two : f32
    linalg.yield %s : f32
  } -> tensor<4xf32> loc("sum")
  return %1 : tensor<4xf32>
}

// -----

// Constants, views and concatenations stay outside; the unit of an unnamed operation is named
// after it.
// CHECK-LABEL: func @outside
// CHECK: %[[W:.*]] = arith.constant dense<1.000000e+00> : tensor<8x2xf32>
// CHECK: %[[V:.*]] = tensor.collapse_shape %arg0
// CHECK: %[[U:.*]] = dnn.unit "matmul" ins(%[[V]], %[[W]]
// CHECK: %[[C:.*]] = tensor.concat dim(1) %[[U]], %[[U]]
// CHECK: return %[[C]]
func.func @outside(%x: tensor<4x8x1xf32>) -> tensor<4x4xf32> {
  %w = arith.constant dense<1.0> : tensor<8x2xf32>
  %v = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x8x1xf32> into tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = dnn.matmul ins(%v, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) accumulator f32
  %1 = tensor.concat dim(1) %0, %0 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// An operation that adds to its init reads it: the value is an input and copied into the init.
// CHECK-LABEL: func @accumulate
// CHECK: dnn.unit "matmul" ins(%arg0, %arg1, %arg2 :
// CHECK: ^bb0(%{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<8x2xf32>, %[[S:.*]]: tensor<4x2xf32>, %[[I:.*]]: tensor<4x2xf32>):
// CHECK: %[[C:.*]] = linalg.copy ins(%[[S]] : tensor<4x2xf32>) outs(%[[I]] : tensor<4x2xf32>)
// CHECK: dnn.matmul {{.*}} outs(%[[C]] : tensor<4x2xf32>) accumulator f32 accumulate
func.func @accumulate(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %s: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = dnn.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%s : tensor<4x2xf32>) accumulator f32 accumulate
  return %0 : tensor<4x2xf32>
}
