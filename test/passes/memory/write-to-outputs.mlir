// RUN: udnn-opt %s --pass-pipeline='builtin.module(func.func(dnn-write-to-outputs))' --split-input-file | FileCheck %s

// A result becomes an argument that keeps name and type; inputs are read only.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {bufferization.writable = false, dnn.name = "x"},
// CHECK-SAME: %[[Y:.*]]: memref<4xf32> {dnn.name = "y", dnn.output}) {
// CHECK: %[[R:.*]] = dnn.dispatch
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[Y]]
// CHECK: return
func.func @main(%x: tensor<4xf32> {dnn.name = "x"}) -> (tensor<4xf32> {dnn.name = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  %y = dnn.dispatch "relu" @k ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (tensor<4xf32>, tensor<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}

// -----

// A reshape in front of the return moves to the buffer.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<2x2xf32>
// CHECK: %[[V:.*]] = memref.collapse_shape %[[Y]] {{\[}}[0, 1]] : memref<2x2xf32> into memref<4xf32>
// CHECK: %[[R:.*]] = dnn.dispatch
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[V]]
func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = dnn.dispatch "relu" @k ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = tensor.expand_shape %y [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %z : tensor<2x2xf32>
}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (tensor<4xf32>, tensor<4xf32>) -> () {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  dnn.yield %a : tensor<4xf32>
}
