// Products in tiles: what the family of implicit matrix products moves, multiplies and stores.
// RUN: udnn-opt %s --dnn-build-kernels --split-input-file | FileCheck %s

// A convolution on FMA: tiles of a and b in shared memory, the elements of the next step in registers
// between two barriers, 2 x 2 sums per thread, and a check of every element before it is stored.
// CHECK-LABEL: gpu.func @conv
// CHECK-SAME: (%[[X:[^:]+]]: memref<2x3x11x11xf32>, %[[W:[^:]+]]: memref<20x3x3x3xf32>, %{{.+}}: memref<2x20x6x6xf32>)
// CHECK-SAME: workgroup(%[[A:[^ ]+]] : memref<16x32xf32, #gpu.address_space<workgroup>>, %[[B:[^ ]+]] : memref<16x32xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG: %[[WIDTH:.+]] = arith.constant 11 : index
// CHECK-DAG: %[[INPUT:.+]] = memref.reinterpret_cast %[[X]] {{.*}} to memref<726xf32>
// CHECK-DAG: %[[FILTER:.+]] = memref.reinterpret_cast %[[W]] {{.*}} to memref<540xf32>
// CHECK: scf.for
// CHECK-COUNT-2: memref.store %{{.+}}, %[[A]][
// CHECK-COUNT-2: memref.store %{{.+}}, %[[B]][
// CHECK: gpu.barrier
// CHECK: memref.load %[[FILTER]]
// Positions in the padding and behind the last k are zero; the first element is read in their place.
// CHECK: arith.cmpi ult, %{{.+}}, %[[WIDTH]] : index
// CHECK: %[[INSIDE_Y:.+]] = arith.andi
// CHECK: %[[INSIDE_X:.+]] = arith.cmpi ult, %{{.+}}, %[[WIDTH]] : index
// CHECK: %[[INSIDE:.+]] = arith.andi %[[INSIDE_Y]], %[[INSIDE_X]]
// CHECK: %[[AT:.+]] = arith.select %[[INSIDE]]
// CHECK: %[[READ:.+]] = memref.load %[[INPUT]][%[[AT]]]
// CHECK: arith.select %[[INSIDE]], %[[READ]]
// CHECK-COUNT-64: math.fma {{.*}} : f32
// CHECK-NOT: math.fma
// CHECK: gpu.barrier
// CHECK: scf.yield
// CHECK-COUNT-4: scf.if
// CHECK-NOT: scf.if
// CHECK: gpu.return
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @conv family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<2x3x11x11xf32>, memref<20x3x3x3xf32>, memref<2x20x6x6xf32>) -> () {
^bb0(%x: tensor<2x3x11x11xf32>, %w: tensor<20x3x3x3xf32>, %y: tensor<2x20x6x6xf32>):
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<2x3x11x11xf32>, tensor<20x3x3x3xf32>)
      outs(%y [n, c, 0, 1] : tensor<2x20x6x6xf32>) strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
  dnn.yield %0 : tensor<2x20x6x6xf32>
}
}

// -----

// Without padding no window leaves the image, so that only the ends of m, n and k are checked: the
// height is not even known, the width only as the stride of rows.
// CHECK-LABEL: gpu.func @no_padding
// CHECK-NOT: arith.constant 19 : index
// CHECK: %[[WIDTH:.+]] = arith.constant 23 : index
// CHECK-NOT: arith.constant 19 : index
// CHECK-NOT: arith.cmpi ult, %{{.+}}, %[[WIDTH]]
// CHECK: gpu.return
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @no_padding family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<1x4x19x23xf32>, memref<8x4x3x3xf32>, memref<1x8x17x21xf32>) -> () {
^bb0(%x: tensor<1x4x19x23xf32>, %w: tensor<8x4x3x3xf32>, %y: tensor<1x8x17x21xf32>):
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x4x19x23xf32>, tensor<8x4x3x3xf32>)
      outs(%y [n, c, 0, 1] : tensor<1x8x17x21xf32>) strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  dnn.yield %0 : tensor<1x8x17x21xf32>
}
}

// -----

// Groups are the batch: the third number of the block, times the 10 filters of a group and times the
// 6 channels of a group (of 25 pixels each).
// CHECK-LABEL: gpu.func @groups
// CHECK-DAG: %[[FILTERS:.+]] = arith.constant 10 : index
// CHECK-DAG: %[[CHANNELS:.+]] = arith.constant 150 : index
// CHECK-DAG: %[[GROUP:.+]] = gpu.block_id z
// CHECK-DAG: arith.muli %[[GROUP]], %[[FILTERS]]
// CHECK-DAG: arith.muli %[[GROUP]], %[[CHANNELS]]
// All of k is one step, so that there is no loop.
// CHECK-NOT: scf.for
// CHECK: gpu.return
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @groups family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<1x18x5x5xf32>, memref<30x6x1x1xf32>, memref<1x30x5x5xf32>) -> () {
^bb0(%x: tensor<1x18x5x5xf32>, %w: tensor<30x6x1x1xf32>, %y: tensor<1x30x5x5xf32>):
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x18x5x5xf32>, tensor<30x6x1x1xf32>)
      outs(%y [n, c, 0, 1] : tensor<1x30x5x5xf32>) strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 3 accumulator f32
  dnn.yield %0 : tensor<1x30x5x5xf32>
}
}

// -----

// The epilogue comes before the only store: bias by the filter, residual by the element, ReLU.
// CHECK-LABEL: gpu.func @epilogue
// CHECK-SAME: %[[BIAS:[^:]+]]: memref<40xf32>, %[[RESIDUAL:[^:]+]]: memref<1x40x9x9xf32>, %[[Y:[^:]+]]: memref<1x40x9x9xf32>)
// CHECK-DAG: %[[BIAS1:.+]] = memref.reinterpret_cast %[[BIAS]]
// CHECK-DAG: %[[RESIDUAL1:.+]] = memref.reinterpret_cast %[[RESIDUAL]]
// CHECK-DAG: %[[Y1:.+]] = memref.reinterpret_cast %[[Y]]
// CHECK: %[[SUMS:.+]]:{{[0-9]+}} = scf.for
// CHECK: scf.if
// CHECK: %[[B:.+]] = memref.load %[[BIAS1]]
// CHECK: %[[R:.+]] = memref.load %[[RESIDUAL1]][%[[AT:.+]]]
// CHECK: %[[ZERO:.+]] = arith.constant 0.0
// CHECK: %[[S1:.+]] = arith.addf %[[SUMS]]#0, %[[B]]
// CHECK: %[[S2:.+]] = arith.addf %[[S1]], %[[R]]
// CHECK: %[[S3:.+]] = arith.maximumf %[[S2]], %[[ZERO]]
// CHECK: memref.store %[[S3]], %[[Y1]]
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @epilogue family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 64, 64, 16>} num_outputs 1
    : (memref<1x24x9x9xf32>, memref<40x24x1x1xf32>, memref<40xf32>, memref<1x40x9x9xf32>, memref<1x40x9x9xf32>) -> () {
^bb0(%x: tensor<1x24x9x9xf32>, %w: tensor<40x24x1x1xf32>, %b: tensor<40xf32>, %r: tensor<1x40x9x9xf32>, %y: tensor<1x40x9x9xf32>):
  %zero = arith.constant 0.0 : f32
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x24x9x9xf32>, tensor<40x24x1x1xf32>)
      outs(%y [n, c, 0, 1] : tensor<1x40x9x9xf32>) strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
      epilogue(%b : tensor<40xf32> by affine_map<(n, k, i, j) -> (k)>,
               %r : tensor<1x40x9x9xf32> by affine_map<(n, k, i, j) -> (n, k, i, j)>) {
  ^bb0(%sum: f32, %bias: f32, %other: f32):
    %1 = arith.addf %sum, %bias : f32
    %2 = arith.addf %1, %other : f32
    %3 = arith.maximumf %2, %zero : f32
    dnn.yield %3 : f32
  }
  dnn.yield %0 : tensor<1x40x9x9xf32>
}
}

// -----

// float16 on the tensor cores: 64 x 64 elements are 4 warps, each of 2 x 4 instructions per 16 of k.
// Rows of a tile are apart by 8 elements. Sums are f32 until the epilogue rounds them.
// CHECK-LABEL: gpu.func @half
// CHECK-SAME: workgroup(%{{.+}} : memref<64x40xf16, #gpu.address_space<workgroup>>, %{{.+}} : memref<64x40xf16, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: scf.for {{.*}}vector<2x2xf32>
// CHECK: gpu.barrier
// CHECK-COUNT-16: nvgpu.mma.sync{{.*}}mmaShape = [16, 8, 16]{{.*}} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-NOT: nvgpu.mma.sync
// CHECK: gpu.barrier
// CHECK: scf.yield
// CHECK: vector.extract %{{.+}}[0, 0] : f32 from vector<2x2xf32>
// CHECK: scf.if
// CHECK: %[[BIAS:.+]] = memref.load %{{.+}} : memref<70xf16>
// CHECK: %[[SUM:.+]] = arith.truncf %{{.+}} : f32 to f16
// CHECK: %[[RESULT:.+]] = arith.addf %[[SUM]], %[[BIAS]] : f16
// CHECK: memref.store %[[RESULT]]
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @half family "cuda.implicit_gemm" parameters {math = "mma", tile = array<i64: 64, 64, 32>} num_outputs 1
    : (memref<1x16x9x9xf16>, memref<70x16x3x3xf16>, memref<70xf16>, memref<1x70x7x7xf16>) -> () {
^bb0(%x: tensor<1x16x9x9xf16>, %w: tensor<70x16x3x3xf16>, %b: tensor<70xf16>, %y: tensor<1x70x7x7xf16>):
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x16x9x9xf16>, tensor<70x16x3x3xf16>)
      outs(%y [n, c, 0, 1] : tensor<1x70x7x7xf16>) strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
      epilogue(%b : tensor<70xf16> by affine_map<(n, k, i, j) -> (k)>) {
  ^bb0(%sum: f32, %bias: f16):
    %1 = arith.truncf %sum : f32 to f16
    %2 = arith.addf %1, %bias : f16
    dnn.yield %2 : f16
  }
  dnn.yield %0 : tensor<1x70x7x7xf16>
}
}

// -----

// bfloat16 goes to the tensor cores as well; without an epilogue sums are rounded to the result's type.
// CHECK-LABEL: gpu.func @brain
// CHECK: nvgpu.mma.sync{{.*}} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK: arith.truncf %{{.+}} : f32 to bf16
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @brain family "cuda.implicit_gemm" parameters {math = "mma", tile = array<i64: 32, 32, 32>} num_outputs 1
    : (memref<20x64xbf16>, memref<64x24xbf16>, memref<20x24xbf16>) -> () {
^bb0(%a: tensor<20x64xbf16>, %b: tensor<64x24xbf16>, %y: tensor<20x24xbf16>):
  %0 = dnn.matmul ins(%a, %b : tensor<20x64xbf16>, tensor<64x24xbf16>) outs(%y : tensor<20x24xbf16>) accumulator f32
  dnn.yield %0 : tensor<20x24xbf16>
}
}

// -----

// Both operands transposed, by their strides: rows of a (of 33 elements) run along k, neighbours of b
// (of 50) too. No other memory than that of the operands and the tiles is needed.
// CHECK-LABEL: gpu.func @transposed
// CHECK-SAME: (%[[L:[^:]+]]: memref<50x33xf32>, %[[R:[^:]+]]: memref<21x50xf32>, %{{.+}}: memref<33x21xf32>)
// CHECK-DAG: %[[ROW:.+]] = arith.constant 33 : index
// CHECK-DAG: %[[COLUMN:.+]] = arith.constant 50 : index
// CHECK-DAG: %[[LEFT:.+]] = memref.reinterpret_cast %[[L]]
// CHECK-DAG: %[[RIGHT:.+]] = memref.reinterpret_cast %[[R]]
// CHECK: arith.muli %{{.+}}, %[[COLUMN]]
// CHECK: arith.muli %{{.+}}, %[[ROW]]
// CHECK: memref.load %[[LEFT]]
// CHECK: memref.load %[[RIGHT]]
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: gpu.return
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @transposed family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<50x33xf32>, memref<21x50xf32>, memref<33x21xf32>) -> () {
^bb0(%a: tensor<50x33xf32>, %b: tensor<21x50xf32>, %y: tensor<33x21xf32>):
  %0 = dnn.matmul ins(%a, %b : tensor<50x33xf32>, tensor<21x50xf32>) outs(%y : tensor<33x21xf32>)
      transpose_lhs transpose_rhs accumulator f32
  dnn.yield %0 : tensor<33x21xf32>
}
}

// -----

// Matrices of a batch are the third number of the block; one right side for all makes one product of
// all rows.
// CHECK-LABEL: gpu.func @batch
// CHECK: gpu.block_id z
// CHECK-LABEL: gpu.func @flat
// CHECK-NOT: gpu.block_id z
// CHECK: gpu.return
#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>
module attributes {dnn.device = #cuda} {
dnn.kernel @batch family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<3x10x16xf64>, memref<3x16x12xf64>, memref<3x10x12xf64>) -> () {
^bb0(%a: tensor<3x10x16xf64>, %b: tensor<3x16x12xf64>, %y: tensor<3x10x12xf64>):
  %0 = dnn.matmul ins(%a, %b : tensor<3x10x16xf64>, tensor<3x16x12xf64>) outs(%y : tensor<3x10x12xf64>) accumulator f64
  dnn.yield %0 : tensor<3x10x12xf64>
}
dnn.kernel @flat family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<3x10x16xf32>, memref<16x12xf32>, memref<3x10x12xf32>) -> () {
^bb0(%a: tensor<3x10x16xf32>, %b: tensor<16x12xf32>, %y: tensor<3x10x12xf32>):
  %0 = dnn.matmul ins(%a, %b : tensor<3x10x16xf32>, tensor<16x12xf32>) outs(%y : tensor<3x10x12xf32>) accumulator f32
  dnn.yield %0 : tensor<3x10x12xf32>
}
}
