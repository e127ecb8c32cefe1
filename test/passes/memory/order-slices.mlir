// RUN: udnn-opt %s --pass-pipeline='builtin.module(func.func(dnn-order-slices))' | FileCheck %s

// The part computed first is inserted first, each directly after its computation; what must be
// copied (the argument) comes last.
// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x12xf32>
// CHECK: %[[B:.*]] = dnn.dispatch "b"
// CHECK: %[[S0:.*]] = tensor.insert_slice %[[B]] into %[[E]][0, 4]
// CHECK: %[[A:.*]] = dnn.dispatch "a"
// CHECK: %[[S1:.*]] = tensor.insert_slice %[[A]] into %[[S0]][0, 0]
// CHECK: %[[S2:.*]] = tensor.insert_slice %{{.*}} into %[[S1]][0, 8]
// CHECK: return %[[S2]]
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x12xf32> {
  %e0 = tensor.empty() : tensor<2x4xf32>
  %b = dnn.dispatch "b" @k ins(%x : tensor<2x4xf32>) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %e1 = tensor.empty() : tensor<2x4xf32>
  %a = dnn.dispatch "a" @k ins(%b : tensor<2x4xf32>) outs(%e1 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %e = tensor.empty() : tensor<2x12xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x12xf32>
  %1 = tensor.insert_slice %x into %0[0, 8] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x12xf32>
  %2 = tensor.insert_slice %b into %1[0, 4] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x12xf32>
  return %2 : tensor<2x12xf32>
}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> () {
^bb0(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>):
  dnn.yield %a : tensor<2x4xf32>
}
