// RUN: udnn-opt %s --split-input-file --dnn-fold-pad | FileCheck %s
// RUN: udnn-opt %s --split-input-file --dnn-fold-pad -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// Zeros around the image become pads of the convolution.
// CHECK-LABEL: func @conv
// REMARK: remark: [Passed] dnn-fold-pad | Category:dnn.simplify:fold | Remark="padding folded into dnn.conv"
// CHECK-NOT: tensor.pad
// CHECK: dnn.conv ins(%arg0 {{.*}} pads [1, 2, 1, 0]
func.func @conv(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x1x4x4xf32> to tensor<1x1x6x5xf32>
  %e = tensor.empty() : tensor<1x1x4x4xf32>
  %0 = dnn.conv ins(%p [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x1x6x5xf32>, tensor<1x1x3x3xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x1x4x4xf32>)
                strides [1, 1] pads [0, 1, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %0 : tensor<1x1x4x4xf32>
}

// -----

// Padded channels are no pads: the padding becomes an operation of its own.
// CHECK-LABEL: func @channels
// REMARK: remark: [Passed] dnn-fold-pad | Category:dnn.simplify:lower | Remark="padding is an operation of its own"
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0
// CHECK: arith.select
// CHECK: dnn.conv
func.func @channels(%x: tensor<1x1x4x4xf32>, %w: tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x1x4x4xf32> to tensor<1x2x4x4xf32>
  %e = tensor.empty() : tensor<1x1x4x4xf32>
  %0 = dnn.conv ins(%p [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x1x4x4xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return %0 : tensor<1x1x4x4xf32>
}

// -----

// Zeros never fold into a maximum, minus infinity does.
// CHECK-LABEL: func @max_pool
// REMARK: remark: [Passed] dnn-fold-pad | Category:dnn.simplify:fold | Remark="padding folded into dnn.max_pool"
// REMARK: remark: [Passed] dnn-fold-pad | Category:dnn.simplify:lower | Remark="padding is an operation of its own"
// CHECK: %[[P:.*]] = linalg.generic
// CHECK: dnn.max_pool ins(%[[P]] {{.*}} pads [0, 0, 0, 0]
// CHECK: dnn.max_pool ins(%arg0 {{.*}} pads [1, 1, 1, 1]
func.func @max_pool(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %i = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x1x4x4xf32> to tensor<1x1x6x6xf32>
  %q = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %i : f32
  } : tensor<1x1x4x4xf32> to tensor<1x1x6x6xf32>
  %e = tensor.empty() : tensor<1x1x4x4xf32>
  %0 = dnn.max_pool ins(%p : tensor<1x1x6x6xf32>) outs(%e : tensor<1x1x4x4xf32>) dims [n, c, 0, 1]
       window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x1x4x4xf32>
  %1 = dnn.max_pool ins(%q : tensor<1x1x6x6xf32>) outs(%e : tensor<1x1x4x4xf32>) dims [n, c, 0, 1]
       window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x1x4x4xf32>
  return %0, %1 : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}

// -----

// An average without own padding sees the zeros as input: it counts padding from now on. One that
// has padding which does not count cannot tell the two kinds apart.
// CHECK-LABEL: func @avg_pool
// REMARK: remark: [Passed] dnn-fold-pad | Category:dnn.simplify:fold | Remark="padding folded into dnn.avg_pool"
// REMARK: remark: [Passed] dnn-fold-pad | Category:dnn.simplify:lower | Remark="padding is an operation of its own"
// CHECK: dnn.avg_pool ins(%arg0 {{.*}} pads [1, 1, 1, 1] dilations [1, 1] count_include_pad
// CHECK: dnn.avg_pool ins(%{{[0-9]+}} {{.*}} pads [1, 1, 0, 0] dilations [1, 1]
func.func @avg_pool(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x1x4x4xf32> to tensor<1x1x6x6xf32>
  %e = tensor.empty() : tensor<1x1x4x4xf32>
  %0 = dnn.avg_pool ins(%p : tensor<1x1x6x6xf32>) outs(%e : tensor<1x1x4x4xf32>) dims [n, c, 0, 1]
       window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
  %1 = dnn.avg_pool ins(%p : tensor<1x1x6x6xf32>) outs(%e : tensor<1x1x4x4xf32>) dims [n, c, 0, 1]
       window [4, 4] strides [1, 1] pads [1, 1, 0, 0] dilations [1, 1]
  return %0, %1 : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}

// -----

// Around nothing there is only the padding.
// CHECK-LABEL: func @pad_nothing
// REMARK: remark: [Passed] dnn-fold-pad | Category:dnn.simplify:lower | Remark="padding is an operation of its own"
// CHECK: linalg.generic
// CHECK: %[[V:.*]] = arith.constant 2.0
// CHECK-NEXT: linalg.yield %[[V]]
func.func @pad_nothing(%x: tensor<4x0xf32>) -> tensor<4x3xf32> {
  %z = arith.constant 2.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%a: index, %b: index):
    tensor.yield %z : f32
  } : tensor<4x0xf32> to tensor<4x3xf32>
  return %p : tensor<4x3xf32>
}
