// What has no meaning as linalg operations is named; nothing is left behind silently.
// RUN: udnn-opt %s -split-input-file -convert-dnn-to-linalg -verify-diagnostics

func.func @f(%x: tensor<1x4x8x8xi32>, %e: tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32> {
  // expected-error @+1 {{'dnn.avg_pool' op is not supported as linalg operations for 'tensor<1x4x8x8xi32>' 'tensor<1x4x6x6xi32>'}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4x8x8xi32>) outs(%e : tensor<1x4x6x6xi32>)
      dims [n, c, 0, 1] window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
  return %0 : tensor<1x4x6x6xi32>
}

// -----

func.func @f(%x: tensor<8x100xi32>, %e: tensor<8x100xi32>) -> tensor<8x100xi32> {
  // expected-error @+1 {{'dnn.softmax' op is not supported as linalg operations for 'tensor<8x100xi32>' 'tensor<8x100xi32>'}}
  %0 = dnn.softmax ins(%x : tensor<8x100xi32>) outs(%e : tensor<8x100xi32>) dimension 1
  return %0 : tensor<8x100xi32>
}
