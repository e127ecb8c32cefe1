// RUN: udnn-opt %s --split-input-file --dnn-fold-constants | FileCheck %s
// RUN: udnn-opt %s --split-input-file --dnn-fold-constants=limit-bytes=16 | FileCheck %s --check-prefix=LIMIT
// RUN: udnn-opt %s --split-input-file --dnn-fold-constants -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// Only the value that something else reads becomes a constant.
// CHECK-LABEL: func @border
// REMARK: remark: [Passed] dnn-fold-constants | Category:dnn.simplify:fold | Remark="linalg.transpose computed at compile time"
// CHECK-DAG: %[[C:.*]] = arith.constant dense<{{\[}}[3.000000e+00, 5.000000e+00], [4.000000e+00, 6.000000e+00]]> : tensor<2x2xf32>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.add ins(%arg0, %[[C]]
func.func @border(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<2.0> : tensor<2x2xf32>
  %0 = arith.addf %a, %b : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %t = linalg.transpose ins(%0 : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) permutation = [1, 0]
  %1 = linalg.add ins(%arg0, %t : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// -----

// A tensor above the limit stays a computation; one below it folds.
// LIMIT-LABEL: func @limit
// REMARK: remark: [Passed] dnn-fold-constants | Category:dnn.simplify:fold | Remark="linalg.fill computed at compile time"
// REMARK: remark: [Passed] dnn-fold-constants | Category:dnn.simplify:fold | Remark="linalg.fill computed at compile time"
// LIMIT: linalg.fill
// LIMIT-NOT: linalg.fill
// CHECK-LABEL: func @limit
// CHECK: arith.constant dense<1.000000e+00> : tensor<64xf32>
// CHECK-NOT: linalg.fill
func.func @limit() -> (tensor<64xf32>, tensor<4xf32>) {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%c : f32) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<64xf32>, tensor<4xf32>
}

// -----

// What reads an argument stays.
// CHECK-LABEL: func @variable
// CHECK: arith.addf %arg0
func.func @variable(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = arith.addf %arg0, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Packing of a filter folds: 3 output channels in blocks of 2, the last lane padded with zero.
// CHECK-LABEL: func @pack
// REMARK: remark: [Passed] dnn-fold-constants | Category:dnn.simplify:fold | Remark="linalg.pack computed at compile time"
// CHECK: arith.constant dense<{{\[}}[1, 2], [3, 0]]> : tensor<2x2xi32>
// CHECK-NOT: linalg.pack
func.func @pack() -> tensor<2x2xi32> {
  %w = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x2xi32>
  %p = linalg.pack %w padding_value(%z : i32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xi32> -> tensor<2x2xi32>
  return %p : tensor<2x2xi32>
}
