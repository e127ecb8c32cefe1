// RUN: %python %S/Inputs/write_long_chain.py 40 | udnn-opt --pass-pipeline='builtin.module(func.func(dnn-order-slices,dnn-write-in-place))' | FileCheck %s
// RUN: %python %S/Inputs/write_long_chain.py 32 | udnn-opt --pass-pipeline='builtin.module(func.func(dnn-order-slices,dnn-write-in-place))' | FileCheck %s --check-prefix=SHORT
// RUN: %python %S/Inputs/write_long_chain.py 300 | udnn-opt --pass-pipeline='builtin.module(func.func(dnn-order-slices,dnn-write-in-place),dnn-bufferize)' | FileCheck %s --check-prefix=BUFFERS

// Bufferization compares all reads with all writes of a tensor, so that the parts of a long
// concatenation are written through slices of one buffer. Who reads the first part alone while the
// others are written reads that slice.
// CHECK-LABEL: func.func @main
// CHECK: %[[ALL:.*]] = memref.alloc() : memref<40x4xf32>
// CHECK: %[[S0:.*]] = memref.subview %[[ALL]][0, 0] [1, 4] [1, 1]
// CHECK: %[[T0:.*]] = bufferization.to_tensor %[[S0]] restrict writable
// CHECK-NOT: insert_slice
// CHECK: %[[A:.*]] = dnn.dispatch "part" @k ins(%{{.*}}) outs(%[[T0]]
// CHECK: bufferization.materialize_in_destination %[[A]] in writable %[[S0]]
// CHECK: %[[FIRST:.*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK: dnn.dispatch "part" @k ins(%[[FIRST]]
// CHECK-NOT: insert_slice
// CHECK: %[[WHOLE:.*]] = bufferization.to_tensor %[[ALL]] restrict :
// CHECK: return %[[WHOLE]]

// Short ones stay tensors.
// SHORT-NOT: memref
// SHORT-COUNT-32: tensor.insert_slice

// All 300 are computed in place: nothing is copied.
// BUFFERS: memref.alloc() : memref<300x4xf32>
// BUFFERS-NOT: memref.alloc
// BUFFERS-NOT: memref.copy %{{.*}} : memref<1x4xf32> to
