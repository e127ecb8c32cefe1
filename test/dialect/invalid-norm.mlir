// Every check of the verifiers of softmax and normalizations rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// Softmax along a dimension that is not there.
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expects a dimension from 0 to 1, got 2}}
  %0 = dnn.softmax ins(%x : tensor<2x3xf32>) outs(%x : tensor<2x3xf32>) dimension 2
  return
}

// -----

// Softmax into another shape.
func.func @f(%x: tensor<2x3xf32>, %e: tensor<3x2xf32>) {
  // expected-error @+1 {{expects a result of the input's type}}
  %0 = dnn.log_softmax ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) dimension 1
  return
}

// -----

// Vectors with more elements than there are channels.
func.func @f(%x: tensor<2x4x6xf32>, %v: tensor<4xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expects vectors of 4 channels, got 'tensor<8xf32>'}}
  %0 = dnn.batch_norm ins(%x, %v, %v, %w, %v : tensor<2x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4xf32>)
                      outs(%x : tensor<2x4x6xf32>) dims [n, c, 0] epsilon 1.0e-5
  return
}

// -----

// A scale of another size.
func.func @f(%x: tensor<2x4x6xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{expects vectors of 4 channels, got}}
  %0 = dnn.instance_norm ins(%x, %v, %v : tensor<2x4x6xf32>, tensor<3xf32>, tensor<3xf32>)
      outs(%x : tensor<2x4x6xf32>) dims [n, c, 0] epsilon 1.0e-05
  return
}

// -----

// Normalization over no channel.
func.func @f(%x: tensor<2x4x6xf32>) {
  // expected-error @+1 {{expects a positive size, got 0}}
  %0 = dnn.lrn ins(%x : tensor<2x4x6xf32>) outs(%x : tensor<2x4x6xf32>)
      dims [n, c, 0] size 0 alpha 1.0e-04 beta 7.5e-01 bias 1.0
  return
}

// -----

// Normalization from a dimension that is not there.
func.func @f(%x: tensor<2x4x6xf32>, %s: tensor<6xf32>, %m: tensor<2x4x1xf32>) {
  // expected-error @+1 {{expects a dimension from 0 to 2, got 3}}
  %0 = dnn.layer_norm ins(%x, %s : tensor<2x4x6xf32>, tensor<6xf32>) outs(%x : tensor<2x4x6xf32>)
      dimension 3 epsilon 1.0e-05 -> tensor<2x4x6xf32>
  return
}

// -----

// A scale of a dimension that is not normalized.
func.func @f(%x: tensor<64x64xf32>, %s: tensor<64x1xf32>) {
  // expected-error @+1 {{expects scale and bias to broadcast to the dimensions from 1 on of 'tensor<64x64xf32>', got 'tensor<64x1xf32>'}}
  %0 = dnn.layer_norm ins(%x, %s : tensor<64x64xf32>, tensor<64x1xf32>) outs(%x : tensor<64x64xf32>)
      dimension 1 epsilon 1.0e-05 -> tensor<64x64xf32>
  return
}

// -----

// A scale of more dimensions than the input.
func.func @f(%x: tensor<64x64xf32>, %s: tensor<1x1x64xf32>) {
  // expected-error @+1 {{expects scale and bias to broadcast to the dimensions from 1 on of 'tensor<64x64xf32>', got 'tensor<1x1x64xf32>'}}
  %0 = dnn.layer_norm ins(%x, %s : tensor<64x64xf32>, tensor<1x1x64xf32>) outs(%x : tensor<64x64xf32>)
      dimension 1 epsilon 1.0e-05 -> tensor<64x64xf32>
  return
}

// -----

// A bias of another size.
func.func @f(%x: tensor<2x4x6xf32>, %s: tensor<6xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expects scale and bias to broadcast to the dimensions from 1 on of 'tensor<2x4x6xf32>', got 'tensor<4xf32>'}}
  %0 = dnn.layer_norm ins(%x, %s, %b : tensor<2x4x6xf32>, tensor<6xf32>, tensor<4xf32>) outs(%x : tensor<2x4x6xf32>)
      dimension 1 epsilon 1.0e-05 -> tensor<2x4x6xf32>
  return
}

// -----

// Memory for one statistic only.
func.func @f(%x: tensor<2x4x6xf32>, %s: tensor<6xf32>, %m: tensor<2x4x1xf32>) {
  // expected-error @+1 {{expects 1 or 3 inits, got 2}}
  %0:2 = dnn.layer_norm ins(%x, %s : tensor<2x4x6xf32>, tensor<6xf32>) outs(%x, %m : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      dimension 2 epsilon 1.0e-05 -> tensor<2x4x6xf32>, tensor<2x4x1xf32>
  return
}

// -----

// Results of other types than their memory.
func.func @f(%x: tensor<2x4x6xf32>, %s: tensor<6xf32>, %m: tensor<2x4x1xf32>) {
  // expected-error @+1 {{expects results of the inits' types}}
  %0 = dnn.layer_norm ins(%x, %s : tensor<2x4x6xf32>, tensor<6xf32>) outs(%x : tensor<2x4x6xf32>)
      dimension 2 epsilon 1.0e-05 -> tensor<2x4x1xf32>
  return
}

// -----

// Statistics of another shape.
func.func @f(%x: tensor<2x4x6xf32>, %s: tensor<6xf32>, %m: tensor<2x4x1xf32>) {
  // expected-error @+1 {{expects statistics with size 1 from dimension 2 on, got}}
  %0:3 = dnn.layer_norm ins(%x, %s : tensor<2x4x6xf32>, tensor<6xf32>) outs(%x, %x, %m : tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      dimension 2 epsilon 1.0e-05 -> tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x1xf32>
  return
}
