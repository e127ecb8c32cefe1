// Every check of the verifiers of convolutions rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// Dimension numbers of another rank.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects dimension numbers of rank 4 for 'input', got 3}}
  %0 = dnn.conv ins(%x [n, c, 0], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// A block of another size than its dimension.
func.func @f(%x: tensor<1x1x8x8x4xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects dimension 4 of 'input' to have its block's size 8, got 4}}
  %0 = dnn.conv ins(%x [n, c, 0, 1, 8c], %w [k, c, 0, 1] : tensor<1x1x8x8x4xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// Too few blocks for the channels.
func.func @f(%x: tensor<1x2x8x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects 3 blocks for the 20 channels of 'input', got 2}}
  %0 = dnn.conv ins(%x [n, c = 20, 0, 1, 8c], %w [k, c, 0, 1] : tensor<1x2x8x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// Strides of another count.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects 2 strides, 2 dilations and 4 pads, got 1, 2 and 4}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// A stride of zero.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects strides from 1 to 1073741824, got 0}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [0, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// A dilation of zero.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects dilations from 1 to 1073741824, got 0}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 0] groups 1 accumulator f32
  return
}

// -----

// No spatial dimension.
func.func @f(%x: tensor<1x4xf32>, %w: tensor<6x4xf32>, %b: tensor<6xf32>, %e: tensor<1x6xf32>) {
  // expected-error @+1 {{expects 1 to 3 spatial dimensions, got 0}}
  %0 = dnn.conv ins(%x [n, c], %w [k, c] : tensor<1x4xf32>, tensor<6x4xf32>) outs(%e [n, c] : tensor<1x6xf32>)
      strides [] pads [] dilations [] groups 1 accumulator f32
  return
}

// -----

// A filter of other spatial rank.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects the input's 2 spatial dimensions in filter and result, got 1 and 2}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0] : tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// A filter without output channels.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects the filter's dimensions to name 'k' and 'c'}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [n, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// No group.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects a positive number of groups, got 0}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 0 accumulator f32
  return
}

// -----

// Another batch.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<2x6x6x6xf32>) {
  // expected-error @+1 {{expects the batch 1 of 'input' in the result, got 2}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<2x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// Other channels of the filter.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x5x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects the channel count 4 of 'input' to equal that of 'filter', got 5 in 1 groups}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x5x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// Other channels of the result.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x7x6x6xf32>) {
  // expected-error @+1 {{expects the result's channel count 7 to equal that of 'filter', got 6 in 1 groups}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x7x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// Groups that do not divide the channels.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<5x2x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x5x6x6xf32>) {
  // expected-error @+1 {{expects channels that divide by the groups, got 4 and 5 for 2 groups}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x5x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 2 accumulator f32
  return
}

// -----

// A result that is too large.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x7xf32>) {
  // expected-error @+1 {{expects spatial dimension 1 of the result to have at most 6 elements, got 7}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x7xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// A window larger than the padded input: the stride must not round the difference to nothing.
func.func @f(%x: tensor<1x4x2x2xf32>, %w: tensor<6x4x3x3xf32>, %e: tensor<1x6x1x1xf32>) {
  // expected-error @+1 {{expects a window of at most 2 elements, the padded size of spatial dimension 0, got 3}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x2x2xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x1x1xf32>)
      strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// Padding is never negative.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %e: tensor<1x6x5x5xf32>) {
  // expected-error @+1 {{expects pads from 0 to 1073741824, got -1}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x5x5xf32>)
      strides [1, 1] pads [-1, -1, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// A transposed convolution checks channels too.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<5x6x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x10x10xf32>) {
  // expected-error @+1 {{expects the channel count 4 of 'input' to equal that of 'filter', got 5 in 1 groups}}
  %0 = dnn.conv_transpose ins(%x [n, c, 0, 1], %w [c, k, 0, 1] : tensor<1x4x8x8xf32>, tensor<5x6x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x10x10xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  return
}

// -----

// An epilogue that lacks an argument.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects an epilogue with 2 arguments, got 1}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32 
      epilogue(%b : tensor<6xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32):
    %1 = arith.constant 0.0 : f32
    dnn.yield %1 : f32
  }
  return
}

// -----

// An epilogue on another accumulator.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects the epilogue's first argument to have the accumulator's type 'f64', got 'f32'}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f64 
      epilogue(%b : tensor<6xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32, %b0: f32):
    %1 = arith.constant 0.0 : f32
    dnn.yield %1 : f32
  }
  return
}

// -----

// An epilogue's argument of another type.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects the epilogue's argument 1 to have type 'f32', got 'f16'}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32 
      epilogue(%b : tensor<6xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32, %b0: f16):
    %1 = arith.constant 0.0 : f32
    dnn.yield %1 : f32
  }
  return
}

// -----

// A map of another rank.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects the map of extra operand 0 to go from 4 to 1 dimensions}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32 
      epilogue(%b : tensor<6xf32> by affine_map<(n, c, h) -> (c)>) {
  ^bb0(%acc: f32, %b0: f32):
    %1 = arith.constant 0.0 : f32
    dnn.yield %1 : f32
  }
  return
}

// -----

// An epilogue that yields another type.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects the epilogue to yield 'f32', got 'f16'}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32 
      epilogue(%b : tensor<6xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32, %b0: f32):
    %1 = arith.constant 0.0 : f16
    dnn.yield %1 : f16
  }
  return
}

// -----

// An epilogue on a sum that goes on.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{expects no epilogue together with 'accumulate'}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf32>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32 accumulate
      epilogue(%b : tensor<6xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32, %b0: f32):
    %1 = arith.constant 0.0 : f32
    dnn.yield %1 : f32
  }
  return
}

// -----

// Accumulation in another type.
func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %e: tensor<1x6x6x6xf16>) {
  // expected-error @+1 {{expects an init of the accumulator's type 'f32' with 'accumulate', got 'f16'}}
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%e [n, c, 0, 1] : tensor<1x6x6x6xf16>)
      strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32 accumulate
  return
}

// -----

// A tile that no algorithm has.
func.func @f(%w: tensor<6x4x3x3xf32>, %e: tensor<36x6x4xf32>) {
  // expected-error @+1 {{expects tile 4, got 3}}
  %0 = dnn.winograd_filter ins(%w [k, c, 0, 1] : tensor<6x4x3x3xf32>) outs(%e : tensor<36x6x4xf32>) tile 3
  return
}

// -----

// A filter that is no filter.
func.func @f(%w: tensor<6x4x3x3xf32>, %e: tensor<36x6x4xf32>) {
  // expected-error @+1 {{expects the filter's dimensions to be 'k', 'c', '0' and '1' in some order}}
  %0 = dnn.winograd_filter ins(%w [n, c, 0, 1] : tensor<6x4x3x3xf32>) outs(%e : tensor<36x6x4xf32>) tile 4
  return
}

// -----

// A result of another type.
func.func @f(%w: tensor<6x4x3x3xf32>, %e: tensor<36x6x4xf16>) {
  // expected-error @+1 {{expects a filter and a result of one floating point type, got 'f32' and 'f16'}}
  %0 = dnn.winograd_filter ins(%w [k, c, 0, 1] : tensor<6x4x3x3xf32>) outs(%e : tensor<36x6x4xf16>) tile 4
  return
}

// -----

// A filter of 5 x 5.
func.func @f(%w: tensor<6x4x5x5xf32>, %e: tensor<36x6x4xf32>) {
  // expected-error @+1 {{expects a 3x3 filter, got 5x5}}
  %0 = dnn.winograd_filter ins(%w [k, c, 0, 1] : tensor<6x4x5x5xf32>) outs(%e : tensor<36x6x4xf32>) tile 4
  return
}

// -----

// A result of another shape.
func.func @f(%w: tensor<6x4x3x3xf32>, %e: tensor<36x4x6xf32>) {
  // expected-error @+1 {{expects a result of shape 36x6x4}}
  %0 = dnn.winograd_filter ins(%w [k, c, 0, 1] : tensor<6x4x3x3xf32>) outs(%e : tensor<36x4x6xf32>) tile 4
  return
}
