// RUN: udnn-opt %s --dnn-specialize-kernels | FileCheck %s

// Two dispatches with different strides get a kernel each, offsets are gone, strides of unit
// dimensions do not matter, and an unused kernel is removed.
// CHECK-LABEL: func.func @main
// CHECK: dnn.dispatch "a" @[[K0:[a-z0-9_]+]] ins
// CHECK: dnn.dispatch "b" @[[K1:[a-z0-9_]+]] ins
// CHECK: dnn.dispatch "c" @[[K0]] ins
// CHECK-NOT: @unused
// CHECK: dnn.kernel @[[K0]] {{.*}} : (memref<1x4xf32>, memref<1x4xf32>) -> ()
// CHECK: dnn.kernel @[[K1]] {{.*}} : (memref<1x4xf32>, memref<1x4xf32, strided<[8, 2]>>) -> ()
// CHECK-NOT: @unused
func.func @main(%x: memref<1x4xf32>, %y: memref<1x4xf32, strided<[8, 1], offset: 4>>,
                %z: memref<1x4xf32, strided<[8, 2], offset: 4>>) {
  dnn.dispatch "a" @k ins(%x : memref<1x4xf32>) outs(%x : memref<1x4xf32>)
  dnn.dispatch "b" @k ins(%x : memref<1x4xf32>) outs(%z : memref<1x4xf32, strided<[8, 2], offset: 4>>)
  dnn.dispatch "c" @k ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32, strided<[8, 1], offset: 4>>)
  return
}
dnn.kernel @unused family "cpu.generic" parameters {} num_outputs 1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> () {
^bb0(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>):
  dnn.yield %a : tensor<1x4xf32>
}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> () {
^bb0(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>):
  dnn.yield %a : tensor<1x4xf32>
}
