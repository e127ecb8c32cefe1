// What the generic family generates for its main kinds of units.
// RUN: udnn-opt %s --dnn-build-kernels --split-input-file | FileCheck %s

// An element-wise unit: each task takes its tile of the result, by one loop over contiguous memory.
// CHECK-LABEL: func.func @relu
// CHECK-SAME: (%[[X:.+]]: memref<64x4096xf32>, %[[Y:.+]]: memref<64x4096xf32> {llvm.noalias}, %[[TASK:.+]]: index)
// CHECK-SAME: dnn.vectorize_loops
// CHECK-NOT: alloc
// CHECK-DAG: memref.subview %[[X]]
// CHECK-DAG: memref.subview %[[Y]]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK: arith.maximumf
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>} {
dnn.kernel @relu family "cpu.generic" parameters {tasks = 16 : i64, tiles = array<i64: 4, 0>} num_outputs 1
    : (memref<64x4096xf32>, memref<64x4096xf32>) -> () {
^bb0(%x: tensor<64x4096xf32>, %y: tensor<64x4096xf32>):
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x4096xf32>) outs(%y : tensor<64x4096xf32>) {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<64x4096xf32>
  dnn.yield %0 : tensor<64x4096xf32>
}
}

// -----

// Where the result may take the input's bytes, a switch tells the two cases apart.
// CHECK-LABEL: func.func private @neg_apart
// CHECK-SAME: llvm.noalias
// CHECK-LABEL: func.func private @neg_shared
// CHECK: linalg.generic {{.*}} ins(%[[Y:.+]] : memref<8xf32>) outs(%[[Y]] : memref<8xf32>)
// CHECK-LABEL: func.func @neg(
// CHECK: scf.if
// CHECK: call @neg_shared
// CHECK: call @neg_apart
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>} {
dnn.kernel @neg family "cpu.generic" parameters {tasks = 1 : i64, tiles = array<i64>} num_outputs 1
    in_place [0] : (memref<8xf32>, memref<8xf32>) -> () {
^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>):
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  dnn.yield %0 : tensor<8xf32>
}
}

// -----

// Sums may be reordered; a row's temporaries are on the stack.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: memref.alloc(
// CHECK: memref.alloca
// CHECK: arith.addf {{.*}} fastmath<reassoc,contract>
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 262144, launch_ns = 3000>} {
dnn.kernel @softmax family "cpu.generic" parameters {tasks = 8 : i64, tiles = array<i64: 8, 0>} num_outputs 1
    : (memref<64x100xf32>, memref<64x100xf32>) -> () {
^bb0(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>):
  %0 = dnn.softmax ins(%x : tensor<64x100xf32>) outs(%y : tensor<64x100xf32>) dimension 1
  dnn.yield %0 : tensor<64x100xf32>
}
}
