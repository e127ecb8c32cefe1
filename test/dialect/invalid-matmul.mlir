// Every check of the verifiers of matrix products rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

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
