// A tile of a primitive is the same primitive on slices of its operands.
// RUN: udnn-opt %s --transform-interpreter --canonicalize --split-input-file --mlir-print-local-scope | FileCheck %s

// Tiles of the batch and of the output channels; the epilogue's operand is sliced along its map.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:.+]]: tensor<4x3x8x8xf32>, %[[W:.+]]: tensor<6x3x3x3xf32>, %[[B:.+]]: tensor<6xf32>
// CHECK: scf.for %[[N:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: scf.for %[[K:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: %[[XT:.+]] = tensor.extract_slice %[[X]][%[[N]], 0, 0, 0] [2, 3, 8, 8] [1, 1, 1, 1]
// CHECK: %[[WT:.+]] = tensor.extract_slice %[[W]][%[[K]], 0, 0, 0] [3, 3, 3, 3] [1, 1, 1, 1]
// CHECK: %[[BT:.+]] = tensor.extract_slice %[[B]][%[[K]]] [3] [1]
// CHECK: dnn.conv ins(%[[XT]] [n, c, 0, 1], %[[WT]] [k, c, 0, 1]
// CHECK-SAME: tensor<2x3x8x8xf32>) strides [1, 1] pads [1, 1, 1, 1]
// CHECK-SAME: epilogue(%[[BT]] : tensor<3xf32>
func.func @conv(%x: tensor<4x3x8x8xf32>, %w: tensor<6x3x3x3xf32>, %b: tensor<6xf32>, %e: tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<4x3x8x8xf32>, tensor<6x3x3x3xf32>)
    outs(%e [n, c, 0, 1] : tensor<4x6x8x8xf32>)
    strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
    epilogue(%b : tensor<6xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32, %bias: f32):
    %0 = arith.addf %acc, %bias : f32
    dnn.yield %0 : f32
  }
  return %y : tensor<4x6x8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [2, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Without padding, tiles of a spatial dimension overlap in the input: 2 rows of stride 2 and a window of 2 rows that
// are 3 apart read 2 + 3 + 1 rows.
// CHECK-LABEL: func.func @halo(
// CHECK: scf.for %[[H:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: %[[START:.+]] = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%[[H]]]
// CHECK: tensor.extract_slice %{{.*}}[0, 0, %[[START]], 0] [1, 3, 6, 9] [1, 1, 1, 1]
// CHECK: dnn.conv ins({{.*}}tensor<1x3x6x9xf32>{{.*}} strides [2, 1] pads [0, 0, 0, 0] dilations [3, 1]
func.func @halo(%x: tensor<1x3x10x9xf32>, %w: tensor<6x3x2x3xf32>, %e: tensor<1x6x4x7xf32>) -> tensor<1x6x4x7xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x3x10x9xf32>, tensor<6x3x2x3xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x6x4x7xf32>)
    strides [2, 1] pads [0, 0, 0, 0] dilations [3, 1] groups 1 accumulator f32
  return %y : tensor<1x6x4x7xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Padding stays with the tiles at the border; the tiles between them have none.
// CHECK-LABEL: func.func @border(
// CHECK-SAME: %[[X:.+]]: tensor<1x2x16x8xf32>, %[[W:.+]]: tensor<4x2x3x3xf32>
// CHECK: scf.for %[[H:.+]] = %[[C0:.+]] to %{{.*}} step %{{.*}}
// CHECK: %[[ET:.+]] = tensor.extract_slice %{{.*}}[0, 0, %[[H]], 0] [1, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[ISFIRST:.+]] = arith.cmpi eq, %[[H]], %[[C0]]
// CHECK: scf.if %[[ISFIRST]]
// CHECK: tensor.extract_slice %[[X]][0, 0, 0, 0] [1, 2, 5, 8]
// CHECK: dnn.conv {{.*}} outs(%[[ET]] {{.*}} pads [1, 1, 0, 1]
// CHECK: %[[ISLAST:.+]] = arith.cmpi eq, %[[H]], %c12
// CHECK: scf.if %[[ISLAST]]
// CHECK: tensor.extract_slice %[[X]][0, 0, 11, 0] [1, 2, 5, 8]
// CHECK: dnn.conv {{.*}} outs(%[[ET]] {{.*}} pads [0, 1, 1, 1]
// CHECK: %[[START:.+]] = affine.apply affine_map<()[s0] -> (s0 - 1)>()[%[[H]]]
// CHECK: tensor.extract_slice %[[X]][0, 0, %[[START]], 0] [1, 2, 6, 8]
// CHECK: dnn.conv {{.*}} outs(%[[ET]] {{.*}} pads [0, 1, 0, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, %[[H]], 0] [1, 4, 4, 8] [1, 1, 1, 1]
func.func @border(%x: tensor<1x2x16x8xf32>, %w: tensor<4x2x3x3xf32>, %e: tensor<1x4x16x8xf32>) -> tensor<1x4x16x8xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x2x16x8xf32>, tensor<4x2x3x3xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x4x16x8xf32>)
    strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
  return %y : tensor<1x4x16x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Where several tiles at a border read padding, zeros stand for it.
// CHECK-LABEL: func.func @deep_padding(
// CHECK-NOT: scf.if
// CHECK: scf.for %[[P:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK-DAG: %[[LOW:.+]] = affine.max affine_map<()[s0] -> (-s0 + 3, 0)>()[%[[P]]]
// CHECK-DAG: %[[START:.+]] = affine.max affine_map<()[s0] -> (0, s0 - 3)>()[%[[P]]]
// CHECK-DAG: %[[HIGH:.+]] = affine.max affine_map<()[s0] -> (0, s0 - 7)>()[%[[P]]]
// CHECK: %[[SIZE:.+]] = affine.apply affine_map<()[s0, s1] -> (-s0 - s1 + 4)>()[%[[LOW]], %[[HIGH]]]
// CHECK: %[[XT:.+]] = tensor.extract_slice %{{.*}}[0, 0, %[[START]]] [1, 2, %[[SIZE]]] [1, 1, 1]
// CHECK: %[[PADDED:.+]] = tensor.pad %[[XT]] low[0, 0, %[[LOW]]] high[0, 0, %[[HIGH]]]
// CHECK: tensor.yield %{{.*}} : f32
// CHECK: tensor<1x2x?xf32> to tensor<1x2x4xf32>
// CHECK: dnn.conv ins(%[[PADDED]] [n, c, 0], {{.*}} pads [0, 0]
func.func @deep_padding(%x: tensor<1x2x8xf32>, %w: tensor<4x2x4xf32>, %e: tensor<1x4x11xf32>) -> tensor<1x4x11xf32> {
  %y = dnn.conv ins(%x [n, c, 0], %w [k, c, 0] : tensor<1x2x8xf32>, tensor<4x2x4xf32>)
    outs(%e [n, c, 0] : tensor<1x4x11xf32>) strides [1] pads [3, 3] dilations [1] groups 1 accumulator f32
  return %y : tensor<1x4x11xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The last tile may be smaller: it is an operation of its own, so that types stay static.
// CHECK-LABEL: func.func @remainder(
// CHECK-SAME: %[[A:.+]]: tensor<8x5xf32>
// CHECK: scf.for %[[M:.+]] = %{{.*}} to %{{.*}} step %[[C3:.+]] iter_args
// CHECK: %[[SIZE:.+]] = affine.min affine_map<(d0) -> (-d0 + 8, 3)>(%[[M]])
// CHECK: %[[ISFULL:.+]] = arith.cmpi eq, %[[SIZE]], %[[C3]]
// CHECK: %[[TILE:.+]] = scf.if %[[ISFULL]] -> (tensor<?x4xf32>)
// CHECK: tensor.extract_slice %[[A]][%[[M]], 0] [3, 5] [1, 1]
// CHECK: dnn.matmul {{.*}} outs(%{{.*}} : tensor<3x4xf32>)
// CHECK: tensor.cast %{{.*}} : tensor<3x4xf32> to tensor<?x4xf32>
// CHECK: tensor.extract_slice %[[A]][6, 0] [2, 5] [1, 1]
// CHECK: dnn.matmul {{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK: tensor.cast %{{.*}} : tensor<2x4xf32> to tensor<?x4xf32>
// CHECK: tensor.insert_slice %[[TILE]] into %{{.*}}[%[[M]], 0] [%[[SIZE]], 4] [1, 1]
func.func @remainder(%a: tensor<8x5xf32>, %b: tensor<5x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = dnn.matmul ins(%a, %b : tensor<8x5xf32>, tensor<5x4xf32>) outs(%e : tensor<8x4xf32>) accumulator f32
  return %y : tensor<8x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile of whole groups has as many groups, and their channels of the input.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[X:.+]]: tensor<1x8x4x4xf32>, %[[W:.+]]: tensor<12x2x1x1xf32>
// CHECK: scf.for %[[K:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: %[[C:.+]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 3) * 2)>()[%[[K]]]
// CHECK: tensor.extract_slice %[[X]][0, %[[C]], 0, 0] [1, 4, 4, 4] [1, 1, 1, 1]
// CHECK: tensor.extract_slice %[[W]][%[[K]], 0, 0, 0] [6, 2, 1, 1] [1, 1, 1, 1]
// CHECK: dnn.conv {{.*}} groups 2 accumulator
func.func @groups(%x: tensor<1x8x4x4xf32>, %w: tensor<12x2x1x1xf32>, %e: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x8x4x4xf32>, tensor<12x2x1x1xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x12x4x4xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 4 accumulator f32
  return %y : tensor<1x12x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 6] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile inside of a group reads the input channels of this group and has no groups; here it is tiled along them, too.
// CHECK-LABEL: func.func @in_group(
// CHECK-SAME: %[[X:.+]]: tensor<1x8x4x4xf32>, %[[W:.+]]: tensor<8x4x1x1xf32>
// CHECK: scf.for %[[K:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: scf.for %[[CG:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: %[[C:.+]] = affine.apply affine_map<()[s0, s1] -> (s1 + (s0 floordiv 4) * 4)>()[%[[K]], %[[CG]]]
// CHECK: tensor.extract_slice %[[X]][0, %[[C]], 0, 0] [1, 2, 4, 4] [1, 1, 1, 1]
// CHECK: tensor.extract_slice %[[W]][%[[K]], %[[CG]], 0, 0] [2, 2, 1, 1] [1, 1, 1, 1]
// CHECK: dnn.conv {{.*}} groups 1 accumulator f32 accumulate
func.func @in_group(%x: tensor<1x8x4x4xf32>, %w: tensor<8x4x1x1xf32>, %e: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x4x1x1xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x8x4x4xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 2 accumulator f32 accumulate
  return %y : tensor<1x8x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [0, 2, 0, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A summed dimension is tiled where the sum goes on from the init.
// CHECK-LABEL: func.func @accumulate(
// CHECK: scf.for %[[K:.+]] = %{{.*}} iter_args(%[[ACC:.+]] = %{{.*}})
// CHECK-DAG: %[[A:.+]] = tensor.extract_slice %{{.*}}[0, 0, %[[K]]] [2, 8, 4] [1, 1, 1]
// CHECK-DAG: %[[B:.+]] = tensor.extract_slice %{{.*}}[0, %[[K]]] [2, 4] [1, 1]
// CHECK: dnn.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ACC]] : {{.*}}) transpose_rhs accumulator f32 accumulate
func.func @accumulate(%a: tensor<2x8x16xf32>, %b: tensor<2x16xf32>, %e: tensor<2x8x2xf32>) -> tensor<2x8x2xf32> {
  %y = dnn.matmul ins(%a, %b : tensor<2x8x16xf32>, tensor<2x16xf32>) outs(%e : tensor<2x8x2xf32>)
    transpose_rhs accumulator f32 accumulate
  return %y : tensor<2x8x2xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The outer dimension of blocked channels is tiled; the epilogue's operand is read at 8 * outer + inner.
// CHECK-LABEL: func.func @blocked(
// CHECK: scf.for %[[K:.+]] = %{{.*}} to %{{.*}} step %{{.*}}
// CHECK: tensor.extract_slice %{{.*}}[%[[K]], 0, 0, 0, 0, 0] [2, 1, 1, 1, 8, 8] [1, 1, 1, 1, 1, 1]
// CHECK: %[[FIRST:.+]] = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%[[K]]]
// CHECK: tensor.extract_slice %{{.*}}[%[[FIRST]]] [16] [1]
// CHECK: dnn.conv {{.*}} outs(%{{.*}} [n, c, 0, 1, 8c] : tensor<1x2x4x4x8xf32>)
func.func @blocked(%x: tensor<1x1x4x4x8xf32>, %w: tensor<4x1x1x1x8x8xf32>, %b: tensor<32xf32>, %e: tensor<1x4x4x4x8xf32>) -> tensor<1x4x4x4x8xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1, 8c], %w [k, c, 0, 1, 8c, 8k] : tensor<1x1x4x4x8xf32>, tensor<4x1x1x1x8x8xf32>)
    outs(%e [n, c, 0, 1, 8c] : tensor<1x4x4x4x8xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
    epilogue(%b : tensor<32xf32> by affine_map<(n, c, h, w, i) -> (c * 8 + i)>) {
  ^bb0(%acc: f32, %bias: f32):
    %0 = arith.addf %acc, %bias : f32
    dnn.yield %0 : f32
  }
  return %y : tensor<1x4x4x4x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// An average that counts no padding keeps it at the border, also where ceil mode reads past the end.
// CHECK-LABEL: func.func @average(
// CHECK-SAME: %[[X:.+]]: tensor<1x6x8x4xf32>
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[X]][0, 0, 0, 0] [1, 4, 8, 4]
// CHECK: dnn.avg_pool {{.*}} pads [1, 0, 0, 0]
// CHECK: tensor.extract_slice %[[X]][0, 3, 0, 0] [1, 3, 8, 4]
// CHECK: dnn.avg_pool {{.*}} pads [0, 0, 1, 0]
func.func @average(%x: tensor<1x6x8x4xf32>, %e: tensor<1x4x8x4xf32>) -> tensor<1x4x8x4xf32> {
  %y = dnn.avg_pool ins(%x : tensor<1x6x8x4xf32>) outs(%e : tensor<1x4x8x4xf32>) dims [n, 0, 1, c] window [3, 1]
    strides [2, 1] pads [1, 0, 1, 0] dilations [1, 1]
  return %y : tensor<1x4x8x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.avg_pool"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Independent dimensions of a softmax are tiled in parallel.
// CHECK-LABEL: func.func @softmax(
// CHECK: scf.forall (%[[IT:.+]], %[[JT:.+]]) in (2, 2)
// CHECK-DAG: %[[I:.+]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[IT]])
// CHECK-DAG: %[[J:.+]] = affine.apply affine_map<(d0) -> (d0 * 3)>(%[[JT]])
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], 0, %[[J]]] [4, 100, 3] [1, 1, 1]
// CHECK: dnn.softmax ins({{.*}} : tensor<4x100x3xf32>) {{.*}} dimension 1
// CHECK: tensor.parallel_insert_slice
func.func @softmax(%x: tensor<8x100x6xf32>, %e: tensor<8x100x6xf32>) -> tensor<8x100x6xf32> {
  %y = dnn.softmax ins(%x : tensor<8x100x6xf32>) outs(%e : tensor<8x100x6xf32>) dimension 1
  return %y : tensor<8x100x6xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_forall %op tile_sizes [4, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Statistics have one element per normalized dimension; scale and bias are read whole.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[X:.+]]: tensor<8x16xf32>, %[[S:.+]]: tensor<16xf32>
// CHECK: scf.for %[[I:.+]] = %{{.*}} iter_args(%[[Y:.+]] = %{{.*}}, %[[M:.+]] = %{{.*}}, %[[D:.+]] = %{{.*}})
// CHECK: %[[XT:.+]] = tensor.extract_slice %[[X]][%[[I]], 0] [2, 16] [1, 1]
// CHECK: dnn.layer_norm ins(%[[XT]], %[[S]] : {{.*}} -> tensor<2x16xf32>, tensor<2x1xf32>, tensor<2x1xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[M]][%[[I]], 0] [2, 1] [1, 1]
func.func @layer_norm(%x: tensor<8x16xf32>, %s: tensor<16xf32>, %e: tensor<8x16xf32>, %m: tensor<8x1xf32>, %d: tensor<8x1xf32>)
    -> (tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x1xf32>) {
  %y:3 = dnn.layer_norm ins(%x, %s : tensor<8x16xf32>, tensor<16xf32>)
    outs(%e, %m, %d : tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x1xf32>) dimension 1 epsilon 1.0e-05
    -> tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x1xf32>
  return %y#0, %y#1, %y#2 : tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x1xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.layer_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Peeled loops have one operation each: nothing is left of the cases.
// CHECK-LABEL: func.func @peeled(
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c2
// CHECK: dnn.matmul {{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK: }
// CHECK-NOT: scf
// CHECK: dnn.matmul {{.*}} outs(%{{.*}} : tensor<1x4xf32>)
// CHECK: return
func.func @peeled(%a: tensor<7x5xf32>, %b: tensor<5x4xf32>, %e: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %y = dnn.matmul ins(%a, %b : tensor<7x5xf32>, tensor<5x4xf32>) outs(%e : tensor<7x4xf32>) accumulator f32
  return %y : tensor<7x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.op<"scf.for">)
    %main, %rest = transform.loop.peel %l : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
