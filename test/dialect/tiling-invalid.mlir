// Tiles that the primitive cannot be computed on are refused with an error.
// RUN: not udnn-opt %s --transform-interpreter --split-input-file 2>&1 | FileCheck %s

// CHECK: 'dnn.matmul' op cannot be tiled along loop 2: a summed dimension needs 'accumulate'
func.func @sum(%a: tensor<8x16xf32>, %b: tensor<16x2xf32>, %e: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %y = dnn.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x2xf32>) outs(%e : tensor<8x2xf32>) accumulator f32
  return %y : tensor<8x2xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.softmax' op cannot be tiled along loop 1: a normalized dimension stays whole
func.func @softmax(%x: tensor<8x100xf32>, %e: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %y = dnn.softmax ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) dimension 1
  return %y : tensor<8x100xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 10] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv' op cannot be tiled along loop 1: expects parts of one group of 4 channels or whole groups, got tiles of 3
func.func @part_of_groups(%x: tensor<1x6x4x4xf32>, %w: tensor<12x2x1x1xf32>, %e: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x6x4x4xf32>, tensor<12x2x1x1xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x12x4x4xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 3 accumulator f32
  return %y : tensor<1x12x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv' op cannot be tiled along loop 4: expects tiles of one group, got 3 groups
func.func @sum_of_groups(%x: tensor<1x6x4x4xf32>, %w: tensor<12x2x1x1xf32>, %e: tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x6x4x4xf32>, tensor<12x2x1x1xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x12x4x4xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 3 accumulator f32 accumulate
  return %y : tensor<1x12x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv' op cannot be tiled along loop 4: a block of channels stays whole
func.func @block(%x: tensor<1x2x4x4x8xf32>, %w: tensor<8x16x1x1xf32>, %e: tensor<1x1x4x4x8xf32>) -> tensor<1x1x4x4x8xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1, 8c], %w [k, c, 0, 1] : tensor<1x2x4x4x8xf32>, tensor<8x16x1x1xf32>)
    outs(%e [n, c, 0, 1, 8c] : tensor<1x1x4x4x8xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %y : tensor<1x1x4x4x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv' op cannot be tiled along loop 1: the last block of channels is partly filled
func.func @partly_filled(%x: tensor<1x1x4x4x8xf32>, %w: tensor<12x8x1x1xf32>, %e: tensor<1x2x4x4x8xf32>) -> tensor<1x2x4x4x8xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1, 8c], %w [k, c, 0, 1] : tensor<1x1x4x4x8xf32>, tensor<12x8x1x1xf32>)
    outs(%e [n, c = 12, 0, 1, 8c] : tensor<1x2x4x4x8xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %y : tensor<1x2x4x4x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv' op cannot be tiled along loop 1: an operand is not read at a linear position of it
func.func @other_block(%x: tensor<1x8x4x4xf32>, %w: tensor<2x8x1x1x4xf32>, %e: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1, 4k] : tensor<1x8x4x4xf32>, tensor<2x8x1x1x4xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x8x4x4xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %y : tensor<1x8x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv' op cannot be tiled along loop 1: blocked channels of a grouped convolution stay whole
func.func @blocked_groups(%x: tensor<1x2x4x4x4xf32>, %w: tensor<8x4x1x1xf32>, %e: tensor<1x2x4x4x4xf32>) -> tensor<1x2x4x4x4xf32> {
  %y = dnn.conv ins(%x [n, c, 0, 1, 4c], %w [k, c, 0, 1] : tensor<1x2x4x4x4xf32>, tensor<8x4x1x1xf32>)
    outs(%e [n, c, 0, 1, 4c] : tensor<1x2x4x4x4xf32>)
    strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 2 accumulator f32
  return %y : tensor<1x2x4x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv_transpose' op cannot be tiled along loop 2: the spatial dimensions of a transposed convolution stay whole
func.func @transposed(%x: tensor<1x8x4x4xf32>, %w: tensor<8x4x2x2xf32>, %e: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %y = dnn.conv_transpose ins(%x [n, c, 0, 1], %w [c, k, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x4x2x2xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x4x8x8xf32>)
    strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %y : tensor<1x4x8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv_transpose"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.conv_transpose' op cannot be tiled along loop 1: channels of a grouped transposed convolution stay whole
func.func @transposed_groups(%x: tensor<1x8x4x4xf32>, %w: tensor<8x4x2x2xf32>, %e: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %y = dnn.conv_transpose ins(%x [n, c, 0, 1], %w [c, k, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x4x2x2xf32>)
    outs(%e [n, c, 0, 1] : tensor<1x8x8x8xf32>)
    strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] groups 2 accumulator f32
  return %y : tensor<1x8x8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.conv_transpose"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.max_pool' op cannot be tiled along loop 4: a pooling window stays whole
func.func @window(%x: tensor<1x2x4x4xf32>, %e: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %y = dnn.max_pool ins(%x : tensor<1x2x4x4xf32>) outs(%e : tensor<1x2x2x2xf32>) dims [n, c, 0, 1] window [2, 2]
    strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.max_pool"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.avg_pool' op cannot be tiled along loop 2: too many tiles read padding that does not count
func.func @far_padding(%x: tensor<1x2x16xf32>, %e: tensor<1x2x26xf32>) -> tensor<1x2x26xf32> {
  %y = dnn.avg_pool ins(%x : tensor<1x2x16xf32>) outs(%e : tensor<1x2x26xf32>) dims [n, c, 0] window [11]
    strides [1] pads [10, 10] dilations [1]
  return %y : tensor<1x2x26xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.avg_pool"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.max_pool' op cannot be tiled along loop 0: indices count the elements of the whole input
func.func @indices(%x: tensor<2x2x4xf32>, %e: tensor<2x2x2xf32>, %i: tensor<2x2x2xi64>) -> tensor<2x2x2xi64> {
  %y, %j = dnn.max_pool ins(%x : tensor<2x2x4xf32>) outs(%e, %i : tensor<2x2x2xf32>, tensor<2x2x2xi64>) dims [n, c, 0]
    window [2] strides [2] pads [0, 0] dilations [1] -> tensor<2x2x2xf32>, tensor<2x2x2xi64>
  return %j : tensor<2x2x2xi64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.max_pool"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.resize' op cannot be tiled along loop 2: a resampled dimension stays whole
func.func @resample(%x: tensor<1x2x4xf32>, %e: tensor<1x2x8xf32>) -> tensor<1x2x8xf32> {
  %y = dnn.resize ins(%x : tensor<1x2x4xf32>) outs(%e : tensor<1x2x8xf32>) nearest asymmetric floor scales [1.0, 1.0, 2.0]
  return %y : tensor<1x2x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.resize"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.log_softmax' op cannot be tiled along loop 0: expects tiles of a constant size, of which only the last may be smaller
func.func @dynamic(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>, %size: index) -> tensor<8x4xf32> {
  %n = arith.addi %size, %size : index
  %y = dnn.log_softmax ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) dimension 1
  return %y : tensor<8x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.log_softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %n = transform.structured.match ops{["arith.addi"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [%n] : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.softmax' op expects static shapes without empty dimensions to be tiled
func.func @dynamic_shape(%x: tensor<?x4xf32>, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = dnn.softmax ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) dimension 1
  return %y : tensor<?x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK: 'dnn.softmax' op expects static shapes without empty dimensions to be tiled
func.func @empty(%x: tensor<0x4xf32>, %e: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %y = dnn.softmax ins(%x : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) dimension 1
  return %y : tensor<0x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["dnn.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
