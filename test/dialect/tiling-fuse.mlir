// Primitives are fused into tiles of their users by upstream's tile-and-fuse.
// RUN: udnn-opt %s --transform-interpreter --canonicalize --split-input-file --mlir-print-local-scope | FileCheck %s

// Two padded convolutions and the element-wise operation before them are fused into tiles of the last one: the tile of
// the first convolution is larger by a row where the second one's window reaches over.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.+]]: tensor<1x2x8x8xf32>
// CHECK-NOT: dnn.conv
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[XT:.+]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [1, 2, 6, 8]
// CHECK: %[[NEG:.+]] = linalg.negf ins(%[[XT]] :
// CHECK: %[[Y:.+]] = dnn.conv ins(%[[NEG]] {{.*}} outs({{.*}} : tensor<1x4x5x8xf32>) strides [1, 1] pads [1, 1, 0, 1]
// CHECK: dnn.conv ins(%[[Y]] {{.*}} outs({{.*}} : tensor<1x4x4x8xf32>) strides [1, 1] pads [1, 1, 0, 1]
// CHECK: else
// CHECK: tensor.extract_slice %[[X]][0, 0, 2, 0] [1, 2, 6, 8]
// CHECK: dnn.conv {{.*}} outs({{.*}} : tensor<1x4x5x8xf32>) strides [1, 1] pads [0, 1, 1, 1]
// CHECK: dnn.conv {{.*}} outs({{.*}} : tensor<1x4x4x8xf32>) strides [1, 1] pads [0, 1, 1, 1]
// CHECK-NOT: dnn.conv
// CHECK: return
func.func @chain(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3x3xf32>, %v: tensor<4x4x3x3xf32>, %e: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %negated = linalg.negf ins(%x : tensor<1x2x8x8xf32>) outs(%x : tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %y = dnn.conv ins(%negated [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x4x8x8xf32>)
    strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
  %z = dnn.conv ins(%y [n, c, 0, 1], %v [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x4x8x8xf32>)
    strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32 {last}
  return %z : tensor<1x4x8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} attributes {last} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.fuse %op tile_sizes [0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A matrix product is fused into tiles of the element-wise operation after it, cut off at the end like those.
// CHECK-LABEL: func.func @product(
// CHECK-NOT: dnn.matmul
// CHECK: scf.for %[[M:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: %[[TILE:.+]] = scf.if %{{.*}} -> (tensor<?x4xf32>)
// CHECK: dnn.matmul {{.*}} outs(%{{.*}} : tensor<3x4xf32>)
// CHECK: else
// CHECK: dnn.matmul {{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK: linalg.exp ins(%[[TILE]] : tensor<?x4xf32>)
func.func @product(%a: tensor<8x5xf32>, %b: tensor<5x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = dnn.matmul ins(%a, %b : tensor<8x5xf32>, tensor<5x4xf32>) outs(%e : tensor<8x4xf32>) accumulator f32
  %z = linalg.exp ins(%y : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.fuse %op tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A softmax is fused where its dimension stays whole, and stays where it is where it does not.
// CHECK-LABEL: func.func @softmax(
// CHECK: scf.for
// CHECK: dnn.softmax {{.*}} dimension 1
// CHECK: linalg.exp
// CHECK-LABEL: func.func @softmax_across(
// CHECK: dnn.softmax {{.*}} dimension 0
// CHECK: scf.for
// CHECK-NOT: dnn.softmax
func.func @softmax(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = dnn.softmax ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) dimension 1
  %z = linalg.exp ins(%y : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
func.func @softmax_across(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = dnn.softmax ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) dimension 0
  %z = linalg.exp ins(%y : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.fuse %op tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
