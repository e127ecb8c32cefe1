// PTX of one kernel of each kind. sm_80 gets PTX on every machine: no assembler is looked for.
// RUN: udnn-opt %s --dnn-codegen | %python %S/Inputs/print_code.py > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=NONE
// RUN: udnn-opt %s --dnn-codegen --mlir-elide-resource-strings-if-larger=16 | FileCheck %s --check-prefix=CODE

// CODE: dnn.code @code_cuda target {{.*}}arch = "sm_80"{{.*}} format "ptx" kernels [@relu, @softmax, @conv, @half]

// The lowest version that has the architecture, which the largest number of drivers takes.
// CHECK: .version 7.0
// CHECK: .target sm_80
// CHECK: .address_size 64

// Nothing is called (exp is a polynomial), nothing is declared outside, no thread keeps anything in
// memory of its own.
// NONE-NOT: call
// NONE-NOT: .extern
// NONE-NOT: .local

// One 64-bit parameter for each argument, and the size of its blocks.
// CHECK-LABEL: .visible .entry relu(
// CHECK-COUNT-2: .param .u64
// CHECK-NOT: .param
// CHECK: .maxntid 256, 1, 1
// CHECK: max{{.*}}.f32
// CHECK: st.global{{.*}}.{{b|f}}32

// The scratch memory is the last parameter.
// CHECK-LABEL: .visible .entry softmax(
// CHECK-COUNT-3: .param .u64
// CHECK-NOT: .param
// CHECK: .maxntid 256, 1, 1
// CHECK-COUNT-5: bar.sync
// CHECK-NOT: bar.sync
// CHECK: ret;

// Tiles in shared memory, elements of memory read with 32-bit indices.
// CHECK-LABEL: .visible .entry conv(
// CHECK: .maxntid 256, 1, 1
// CHECK: ld.global{{.*}}.{{b|f}}32
// CHECK: st.shared{{.*}}.{{b|f}}32
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK: fma.rn.f32
// CHECK: ret;

// CHECK-LABEL: .visible .entry half(
// CHECK: .maxntid 128, 1, 1
// CHECK: bar.sync
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: cvt.rn.f16.f32
// CHECK: st.global{{.*}}.{{b|u}}16
// CHECK: ret;

#cuda = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500,
  gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>

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

dnn.kernel @softmax family "cuda.generic" parameters {map = "block", tasks = 64 : i64, tiles = array<i64: 1, 0>} num_outputs 1
    worker_bytes 8192 : (memref<64x1000xf32>, memref<64x1000xf32>) -> () {
^bb0(%x: tensor<64x1000xf32>, %y: tensor<64x1000xf32>):
  %0 = dnn.softmax ins(%x : tensor<64x1000xf32>) outs(%y : tensor<64x1000xf32>) dimension 1
  dnn.yield %0 : tensor<64x1000xf32>
}

dnn.kernel @conv family "cuda.implicit_gemm" parameters {math = "fma", tile = array<i64: 32, 32, 16>} num_outputs 1
    : (memref<2x3x11x11xf32>, memref<20x3x3x3xf32>, memref<20xf32>, memref<2x20x6x6xf32>) -> () {
^bb0(%x: tensor<2x3x11x11xf32>, %w: tensor<20x3x3x3xf32>, %b: tensor<20xf32>, %y: tensor<2x20x6x6xf32>):
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<2x3x11x11xf32>, tensor<20x3x3x3xf32>)
      outs(%y [n, c, 0, 1] : tensor<2x20x6x6xf32>) strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
      epilogue(%b : tensor<20xf32> by affine_map<(n, k, i, j) -> (k)>) {
  ^bb0(%sum: f32, %bias: f32):
    %1 = arith.addf %sum, %bias : f32
    dnn.yield %1 : f32
  }
  dnn.yield %0 : tensor<2x20x6x6xf32>
}

dnn.kernel @half family "cuda.implicit_gemm" parameters {math = "mma", tile = array<i64: 64, 64, 32>} num_outputs 1
    : (memref<50x64xf16>, memref<70x64xf16>, memref<70xf16>, memref<50x70xf16>) -> () {
^bb0(%a: tensor<50x64xf16>, %b: tensor<70x64xf16>, %c: tensor<70xf16>, %y: tensor<50x70xf16>):
  %0 = dnn.matmul ins(%a, %b : tensor<50x64xf16>, tensor<70x64xf16>) outs(%y : tensor<50x70xf16>) transpose_rhs accumulator f32
      epilogue(%c : tensor<70xf16> by affine_map<(i, j) -> (j)>) {
  ^bb0(%sum: f32, %bias: f16):
    %1 = arith.truncf %sum : f32 to f16
    %2 = arith.addf %1, %bias : f16
    dnn.yield %2 : f16
  }
  dnn.yield %0 : tensor<50x70xf16>
}

dnn.program @main target #cuda arena 30000 live 30000 worker 8192 inputs [] outputs [] {
  %0 = dnn.launch "relu_1" @relu grid [6, 1, 1] block [256, 1, 1]
      args [#dnn.buffer<arena, 0, 0, 6000>, #dnn.buffer<arena, 0, 6016, 6000>]
  %1 = dnn.launch "softmax_1" @softmax grid [64, 1, 1] block [256, 1, 1]
      args [#dnn.buffer<arena, 0, 0, 256000>, #dnn.buffer<arena, 0, 256000, 256000>, #dnn.buffer<worker, 0, 0, 8192>] after(%0)
  %2 = dnn.launch "conv_1" @conv grid [3, 1, 1] block [256, 1, 1]
      args [#dnn.buffer<arena, 0, 0, 2904>, #dnn.buffer<arena, 0, 2944, 2160>, #dnn.buffer<arena, 0, 5120, 80>,
            #dnn.buffer<arena, 0, 5248, 5760>] after(%1)
  %3 = dnn.launch "matmul_1" @half grid [2, 1, 1] block [128, 1, 1]
      args [#dnn.buffer<arena, 0, 0, 6400>, #dnn.buffer<arena, 0, 6400, 8960>, #dnn.buffer<arena, 0, 15360, 140>,
            #dnn.buffer<arena, 0, 15552, 7000>] after(%2)
}
