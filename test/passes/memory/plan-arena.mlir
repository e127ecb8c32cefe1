// RUN: udnn-opt %s --dnn-plan-arena --split-input-file | FileCheck %s

// Buffers that live at different times share bytes: %a and %c do, %b does not.
// CHECK-LABEL: func.func @main
// CHECK-SAME: dnn.arena = 512 : i64, dnn.live = 512 : i64
// CHECK: memref.alloc() {dnn.offset = [[A:.*]] : i64} : memref<64xf32>
// CHECK: memref.alloc() {dnn.offset = [[B:.*]] : i64} : memref<64xf32>
// CHECK-NOT: dnn.offset = [[B]] :
// CHECK: memref.alloc() {dnn.offset = [[A]] : i64} : memref<64xf32>
func.func @main(%x: memref<64xf32>, %y: memref<64xf32> {dnn.output}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  dnn.dispatch "a" @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  dnn.dispatch "b" @k ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  dnn.dispatch "c" @k ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  dnn.dispatch "d" @k ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<64xf32>, memref<64xf32>) -> () {
^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
  dnn.yield %a : tensor<64xf32>
}

// -----

// In place: the result takes the bytes of an input that dies; not when it is read later (%b).
// CHECK-LABEL: func.func @main
// CHECK-SAME: dnn.arena = 512 : i64, dnn.live = 512 : i64
// CHECK: memref.alloc() {dnn.offset = [[A:.*]] : i64} : memref<64xf32>
// CHECK: memref.alloc() {dnn.offset = [[A]] : i64} : memref<64xf32>
// CHECK: memref.alloc() {dnn.offset = {{.*}} : i64} : memref<64xf32>
func.func @main(%x: memref<64xf32>, %y: memref<64xf32> {dnn.output}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  dnn.dispatch "a" @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  dnn.dispatch "b" @k ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  dnn.dispatch "c" @k ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  dnn.dispatch "d" @k2 ins(%c, %b : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 in_place [0] : (memref<64xf32>, memref<64xf32>) -> () {
^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
  dnn.yield %a : tensor<64xf32>
}
dnn.kernel @k2 family "cpu.generic" parameters {} num_outputs 1 : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> () {
^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>):
  dnn.yield %a : tensor<64xf32>
}

// -----

// Not in place when another operand of the launch lies in the same bytes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: dnn.arena = 512 : i64, dnn.live = 512 : i64
func.func @main(%x: memref<64xf32>, %y: memref<64xf32> {dnn.output}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  dnn.dispatch "a" @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  dnn.dispatch "b" @k2 ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  dnn.dispatch "c" @k ins(%b : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
dnn.kernel @k family "cpu.generic" parameters {} num_outputs 1 : (memref<64xf32>, memref<64xf32>) -> () {
^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
  dnn.yield %a : tensor<64xf32>
}
dnn.kernel @k2 family "cpu.generic" parameters {} num_outputs 1 in_place [0] : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> () {
^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>):
  dnn.yield %a : tensor<64xf32>
}
