// Every check of the verifiers of pooling rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// A window that starts behind the padded input.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x4x6xf32>) {
  // expected-error @+1 {{expects spatial dimension 1 of the result to have at most 4 elements, got 6}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x4x6xf32>)
      dims [n, c, 0, 1] window [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1]
  return
}

// -----

// A window of another rank.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{expects a window of 2 dimensions, got 1}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x6x6xf32>)
      dims [n, c, 0, 1] window [3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
  return
}

// -----

// A window of nothing.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{expects a window from 1 to 1073741824 elements in spatial dimension 1, got 0}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x6x6xf32>)
      dims [n, c, 0, 1] window [3, 0] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
  return
}

// -----

// Other channels.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x5x6x6xf32>) {
  // expected-error @+1 {{expects the channel count 4 of 'input' in the result, got 5}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x5x6x6xf32>)
      dims [n, c, 0, 1] window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
  return
}

// -----

// Another batch.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<2x4x6x6xf32>) {
  // expected-error @+1 {{expects the batch 1 of 'input' in the result, got 2}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<2x4x6x6xf32>)
      dims [n, c, 0, 1] window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
  return
}

// -----

// No spatial dimension to pool.
func.func @f(%x: tensor<1x4xf32>, %e: tensor<1x4xf32>) {
  // expected-error @+1 {{expects 1 to 3 spatial dimensions, got 0}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>)
      dims [n, c] window [] strides [] pads [] dilations []
  return
}

// -----

// A maximum of another type.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x6x6xf32>, %i: tensor<1x4x6x6xi64>, %j: tensor<1x4x6x6xi32>) {
  // expected-error @+1 {{expects init and result of one type}}
  %0 = dnn.max_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x6x6xf32>)
      dims [n, c, 0, 1] window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x4x6x6xf16>
  return
}

// -----

// Indices without memory.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x6x6xf32>, %i: tensor<1x4x6x6xi64>, %j: tensor<1x4x6x6xi32>) {
  // expected-error @+1 {{expects an init for the indices exactly when they are a result}}
  %0:2 = dnn.max_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x6x6xf32>)
      dims [n, c, 0, 1] window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x4x6x6xf32>, tensor<1x4x6x6xi64>
  return
}

// -----

// Indices that are too narrow.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x6x6xf32>, %i: tensor<1x4x6x6xi64>, %j: tensor<1x4x6x6xi32>) {
  // expected-error @+1 {{expects i64 indices of the result's shape}}
  %0:2 = dnn.max_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e, %j : tensor<1x4x6x6xf32>, tensor<1x4x6x6xi32>)
      dims [n, c, 0, 1] window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x4x6x6xf32>, tensor<1x4x6x6xi32>
  return
}

// -----

// Indices with memory of another type.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x6x6xf32>, %i: tensor<1x4x6x6xi64>, %j: tensor<1x4x6x6xi32>) {
  // expected-error @+1 {{expects the indices' init to have their type}}
  %0:2 = dnn.max_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e, %j : tensor<1x4x6x6xf32>, tensor<1x4x6x6xi32>)
      dims [n, c, 0, 1] window [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] -> tensor<1x4x6x6xf32>, tensor<1x4x6x6xi64>
  return
}
