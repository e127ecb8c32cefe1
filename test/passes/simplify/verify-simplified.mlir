// RUN: udnn-opt %s --split-input-file --dnn-verify-simplified --verify-diagnostics

// An operation outside a unit.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects only units, constants, views and concatenations after simplification, got 'arith.negf'}}
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A tensor of unknown size.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expects static tensors after simplification, got 'tensor<?xf32>'}}
  return %x : tensor<?xf32>
}

// -----

// Two units of one name.
func.func @main(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dnn.unit "a" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%i: tensor<4xf32>, %o: tensor<4xf32>):
    dnn.yield %o : tensor<4xf32>
  } -> tensor<4xf32>
  // expected-error @below {{expects unique names of units, got 'a' twice}}
  %1 = dnn.unit "a" ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%i: tensor<4xf32>, %o: tensor<4xf32>):
    dnn.yield %o : tensor<4xf32>
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
