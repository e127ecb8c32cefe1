// What the generic family of CUDA generates: threads or blocks as tasks, scratch memory, barriers.
// RUN: udnn-opt %s --dnn-build-kernels --split-input-file | FileCheck %s

// An element per thread: the task is the thread's number among all of the launch, and threads behind
// the last element do nothing. The kernel knows its block size.
// CHECK-LABEL: gpu.func @relu
// CHECK-SAME: (%[[X:.+]]: memref<30x50xf32>, %[[Y:.+]]: memref<30x50xf32>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG: %[[BLOCK:.+]] = gpu.block_id x
// CHECK-DAG: %[[THREADS:.+]] = arith.constant 256 : index
// CHECK: %[[FIRST:.+]] = arith.muli %[[BLOCK]], %[[THREADS]]
// CHECK: %[[THREAD:.+]] = gpu.thread_id x
// CHECK: %[[TASK:.+]] = arith.addi %[[FIRST]], %[[THREAD]]
// CHECK: %[[END:.+]] = arith.constant 1500 : index
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[TASK]], %[[END]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: affine.delinearize_index %[[TASK]] into (30, 50)
// CHECK: arith.maximumf
// CHECK: memref.store
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
module attributes {dnn.device = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108,
    vector_bits = 128, gflops_f32 = 19500, gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>} {
dnn.kernel @relu family "cuda.generic" parameters {map = "thread", tasks = 1500 : i64, tiles = array<i64: 1, 1>} num_outputs 1
    : (memref<30x50xf32>, memref<30x50xf32>) -> () {
^bb0(%x: tensor<30x50xf32>, %y: tensor<30x50xf32>):
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<30x50xf32>) outs(%y : tensor<30x50xf32>) {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<30x50xf32>
  dnn.yield %0 : tensor<30x50xf32>
}
}

// -----

// A sum per thread: the reduction is a loop of that thread, and what it keeps is private.
// CHECK-LABEL: gpu.func @row_sums
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: scf.for
// CHECK: arith.addf
// CHECK-NOT: memref.alloc()
// CHECK: gpu.return
module attributes {dnn.device = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108,
    vector_bits = 128, gflops_f32 = 19500, gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>} {
dnn.kernel @row_sums family "cuda.generic" parameters {map = "thread", tasks = 30 : i64, tiles = array<i64: 1, 0>} num_outputs 1
    : (memref<30x50xf32>, memref<30xf32>) -> () {
^bb0(%x: tensor<30x50xf32>, %y: tensor<30xf32>):
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%y : tensor<30xf32>) -> tensor<30xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<30x50xf32>) outs(%init : tensor<30xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<30xf32>
  dnn.yield %0 : tensor<30xf32>
}
}

// -----

// A row per block: two temporaries of one number lie in the block's 128 bytes of the scratch memory,
// the last argument. Threads take every 256th element and wait for each other after each operation.
// CHECK-LABEL: gpu.func @softmax
// CHECK-SAME: memref<64x1000xf32>, %{{.+}}: memref<64x1000xf32>, %[[SCRATCH:.+]]: memref<8192xi8>) kernel
// CHECK-DAG: %[[THREAD:.+]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.+]] = gpu.block_id x
// CHECK-DAG: %[[BYTES:.+]] = arith.constant 128 : index
// CHECK: %[[START:.+]] = arith.muli %[[BLOCK]], %[[BYTES]]
// CHECK-COUNT-2: memref.view %[[SCRATCH]]
// CHECK: scf.for %{{.+}} = %[[THREAD]] to %{{.+}} step
// CHECK: gpu.barrier
// CHECK: arith.maximumf
// CHECK: gpu.barrier
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK: gpu.barrier
// CHECK-NOT: memref.alloc
// CHECK: gpu.return
module attributes {dnn.device = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108,
    vector_bits = 128, gflops_f32 = 19500, gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>} {
dnn.kernel @softmax family "cuda.generic" parameters {map = "block", tasks = 64 : i64, tiles = array<i64: 1, 0>} num_outputs 1
    worker_bytes 8192 : (memref<64x1000xf32>, memref<64x1000xf32>) -> () {
^bb0(%x: tensor<64x1000xf32>, %y: tensor<64x1000xf32>):
  %0 = dnn.softmax ins(%x : tensor<64x1000xf32>) outs(%y : tensor<64x1000xf32>) dimension 1
  dnn.yield %0 : tensor<64x1000xf32>
}
}

// -----

// A window per thread; positions in the padding count as the smallest number.
// CHECK-LABEL: gpu.func @pool
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFF800000 : f32
// CHECK-COUNT-3: arith.andi
// CHECK: %[[READ:.+]] = memref.load %{{.+}} : memref<1x3x15x15xf32>
// CHECK: %[[VALUE:.+]] = arith.select %{{.+}}, %[[READ]], %[[LOWEST]]
// CHECK: arith.maximumf %{{.+}}, %[[VALUE]]
// CHECK: gpu.return
module attributes {dnn.device = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108,
    vector_bits = 128, gflops_f32 = 19500, gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>} {
dnn.kernel @pool family "cuda.generic" parameters {map = "thread", tasks = 192 : i64, tiles = array<i64: 1, 1, 1, 1, 0, 0>} num_outputs 1
    : (memref<1x3x15x15xf32>, memref<1x3x8x8xf32>) -> () {
^bb0(%x: tensor<1x3x15x15xf32>, %y: tensor<1x3x8x8xf32>):
  %0 = dnn.max_pool ins(%x : tensor<1x3x15x15xf32>) outs(%y : tensor<1x3x8x8xf32>) dims [n, c, 0, 1] window [3, 3]
      strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] -> tensor<1x3x8x8xf32>
  dnn.yield %0 : tensor<1x3x8x8xf32>
}
}

// -----

// Kernels with an empty tensor get a pointer that nobody follows.
// CHECK-LABEL: gpu.func @empty
// CHECK-SAME: (%{{.+}}: memref<1xf32>, %{{.+}}: memref<1xf32>) kernel
module attributes {dnn.device = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108,
    vector_bits = 128, gflops_f32 = 19500, gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>} {
dnn.kernel @empty family "cuda.generic" parameters {map = "block", tasks = 1 : i64, tiles = array<i64>} num_outputs 1
    : (memref<0x4xf32>, memref<0x4xf32>) -> () {
^bb0(%x: tensor<0x4xf32>, %y: tensor<0x4xf32>):
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<0x4xf32>) outs(%y : tensor<0x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<0x4xf32>
  dnn.yield %0 : tensor<0x4xf32>
}
}
