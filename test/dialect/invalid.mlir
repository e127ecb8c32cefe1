// Every check of the verifiers rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// A gap in the spatial dimensions.
// expected-error @+1 {{expects spatial dimensions to be numbered from 0 without gaps, got 2}}
func.func private @f() attributes {d = #dnn.dims<[n, c, 0, 2]>}

// -----

// A dimension named twice.
// expected-error @+1 {{expects every dimension once}}
func.func private @f() attributes {d = #dnn.dims<[n, c, c, 0]>}

// -----

// A block without its outer dimension.
// expected-error @+1 {{expects a block together with its outer dimension}}
func.func private @f() attributes {d = #dnn.dims<[n, 0, 8c]>}

// -----

// A logical size on a dimension that is not blocked.
// expected-error @+1 {{expects a logical size on a blocked dimension only}}
func.func private @f() attributes {d = #dnn.dims<[n, c = 20, 0]>}

// -----

// A word that names no dimension.
// expected-error @+1 {{expects 'n', 'c', 'k' or a number}}
func.func private @f() attributes {d = #dnn.dims<[n, channel, 0]>}

// -----

// A plan of nothing.
// expected-error @+1 {{expects at least one piece}}
func.func private @f() attributes {p = #dnn.plan<pieces = [], inputs = [], results = []>}

// -----

// A piece of another kind.
// expected-error @+1 {{expects pieces to be #dnn.piece attributes}}
func.func private @f() attributes {p = #dnn.plan<pieces = [1], inputs = [], results = []>}

// -----

// A layout of another kind.
#piece = #dnn.piece<count = 1, batch = 0, family = "f", parameters = {}, time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">
// expected-error @+1 {{expects layouts to be #dnn.dims or unit attributes}}
func.func private @f() attributes {p = #dnn.plan<pieces = [#piece], inputs = [3], results = []>}

// -----

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

// A window that starts behind the padded input.
func.func @f(%x: tensor<1x4x8x8xf32>, %e: tensor<1x4x4x6xf32>) {
  // expected-error @+1 {{expects spatial dimension 1 of the result to have at most 4 elements, got 6}}
  %0 = dnn.avg_pool ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x4x6xf32>)
      dims [n, c, 0, 1] window [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1]
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

// -----

// A vector.
func.func @f(%a: tensor<4xf32>, %b: tensor<4x5xf32>, %e: tensor<2x3x5xf32>) {
  // expected-error @+1 {{expects operands of rank 2 or more, got 1, 2 and 3}}
  %0 = dnn.matmul ins(%a, %b : tensor<4xf32>, tensor<4x5xf32>) outs(%e : tensor<2x3x5xf32>) accumulator f32
  return
}

// -----

// Another batch.
func.func @f(%a: tensor<7x3x4xf32>, %b: tensor<4x5xf32>, %e: tensor<2x3x5xf32>) {
  // expected-error @+1 {{expects 'lhs' to have the result's batch dimensions or rank 2, got}}
  %0 = dnn.matmul ins(%a, %b : tensor<7x3x4xf32>, tensor<4x5xf32>) outs(%e : tensor<2x3x5xf32>) accumulator f32
  return
}

// -----

// Matrices that do not fit.
func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>, %e: tensor<2x3x5xf32>) {
  // expected-error @+1 {{expects the summed dimension 4 of 'lhs' to equal that of 'rhs', got 5}}
  %0 = dnn.matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<4x5xf32>) outs(%e : tensor<2x3x5xf32>) transpose_rhs accumulator f32
  return
}

// -----

// A result that does not fit.
func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>, %e: tensor<2x5x3xf32>) {
  // expected-error @+1 {{expects a result of 3 x 5, got 5 x 3}}
  %0 = dnn.matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<4x5xf32>) outs(%e : tensor<2x5x3xf32>) accumulator f32
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

// -----

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

// -----

// A result of another type.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf16>) {
  // expected-error @+1 {{expects input and result of one rank and element type}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf16>) nearest asymmetric floor scales [1.0, 2.0]
  return
}

// -----

// A scale too few.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf32>) {
  // expected-error @+1 {{expects 2 scales, got 1}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>) nearest asymmetric floor scales [1.0]
  return
}

// -----

// A scale of zero.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf32>) {
  // expected-error @+1 {{expects positive scales, got}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>) nearest asymmetric floor scales [1.0, 0.0]
  return
}

// -----

// A crop without its region.
func.func @f(%x: tensor<8x16xf32>, %e: tensor<8x32xf32>) {
  // expected-error @+1 {{expects 4 roi values for 'tf_crop_and_resize'}}
  %0 = dnn.resize ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x32xf32>) linear tf_crop_and_resize floor scales [1.0, 2.0]
  return
}

// -----

// A unit that lacks an argument.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects the region's arguments to have the types of the inputs and inits}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    dnn.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// A unit with another result.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects results of the inits' types}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    dnn.yield %a : tensor<4xf32>
  } -> tensor<5xf32>
  return
}

// -----

// A unit that yields nothing.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects the region to yield the result types}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    dnn.yield 
  } -> tensor<4xf32>
  return
}

// -----

// A plan for another unit.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects a plan with 1 input and 1 result layouts, got 0 and 1}}
  %0 = dnn.unit "u" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "f", parameters = {}, time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [], results = [unit]> ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    dnn.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// A unit that ends in something else.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects a region that ends in 'dnn.yield'}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    ub.unreachable
  } -> tensor<4xf32>
  return
}

// -----

// A kernel that returns.
// expected-error @+1 {{expects a function type without results}}
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>) -> tensor<8xf32> {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// A kernel that writes nothing.
// expected-error @+1 {{expects 1 to 2 outputs, got 0}}
dnn.kernel @k family "f" parameters {} num_outputs 0 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// An entry of 'in_place' too many.
// expected-error @+1 {{expects one 'in_place' entry per output, got 2}}
dnn.kernel @k family "f" parameters {} num_outputs 1 in_place [0, -1] : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// An output in the place of no input.
// expected-error @+1 {{expects 'in_place' to name an input or be -1, got 1}}
dnn.kernel @k family "f" parameters {} num_outputs 1 in_place [1] : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}

// -----

// A kernel that is not there.
func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{expects 'k' to name a 'dnn.kernel'}}
  %0 = dnn.dispatch "d" @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// An operand too few.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{expects 2 operands for kernel 'k', got 1}}
  %0 = dnn.dispatch "d" @k outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// An output too many.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{expects 1 inits for kernel 'k', got 2}}
  %0:2 = dnn.dispatch "d" @k outs(%x, %e : tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// A grid of one number.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
#cpu = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  // expected-error @+1 {{expects grid and block of 3 dimensions}}
  %0 = dnn.launch "l" @k grid [1] block [1, 1, 1] args []
}

// -----

// An argument of another kind.
dnn.kernel @k family "f" parameters {} num_outputs 1 : (tensor<8xf32>, tensor<8xf32>) -> () {
^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
  dnn.yield %a : tensor<8xf32>
}
#cpu = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  // expected-error @+1 {{expects arguments to be #dnn.buffer or integers, got}}
  %0 = dnn.launch "l" @k grid [1, 1, 1] block [1, 1, 1] args ["x"]
}

// -----

// A launch of no kernel.
#cpu = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>
dnn.program @main target #cpu arena 0 live 0 worker 0 inputs [] outputs [] {
  // expected-error @+1 {{expects 'k' to name a 'dnn.kernel'}}
  %0 = dnn.launch "l" @k grid [1, 1, 1] block [1, 1, 1] args []
}
