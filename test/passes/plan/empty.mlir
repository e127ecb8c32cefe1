// Only the generic family is asked about units that read or write a tensor without elements: the
// others divide sizes by each other.
//
// RUN: udnn-opt %s --dnn-plan | FileCheck %s
// RUN: not udnn-opt %s --dnn-plan="force-family=conv=cpu.winograd" 2>&1 | FileCheck %s --check-prefix=FORCED

// FORCED: no kernel family can run 'conv' on the target 'cpu' (cpu.winograd: does not run operations on tensors without elements)

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
  // No images: the result has no elements.
  // CHECK: dnn.unit "conv" plan <pieces = [#dnn.piece<{{.*}}family = "cpu.generic"
  // CHECK-NOT: 8c
  func.func @conv(%x: tensor<0x16x20x20xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<0x16x20x20xf32> {
    %e = tensor.empty() : tensor<0x16x20x20xf32>
    %y = dnn.unit "conv" ins(%x, %w : tensor<0x16x20x20xf32>, tensor<16x16x3x3xf32>) outs(%e : tensor<0x16x20x20xf32>) {
    ^bb0(%a: tensor<0x16x20x20xf32>, %b: tensor<16x16x3x3xf32>, %c: tensor<0x16x20x20xf32>):
      %0 = dnn.conv ins(%a [n, c, 0, 1], %b [k, c, 0, 1] : tensor<0x16x20x20xf32>, tensor<16x16x3x3xf32>)
                    outs(%c [n, c, 0, 1] : tensor<0x16x20x20xf32>)
                    strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
      dnn.yield %0 : tensor<0x16x20x20xf32>
    } -> tensor<0x16x20x20xf32>
    return %y : tensor<0x16x20x20xf32>
  }

  // Nothing to sum up: the result has elements, all zero.
  // CHECK: dnn.unit "matmul" plan <pieces = [#dnn.piece<{{.*}}family = "cpu.generic"
  func.func @matmul(%x: tensor<64x0xf32>, %w: tensor<0x64xf32>) -> tensor<64x64xf32> {
    %e = tensor.empty() : tensor<64x64xf32>
    %y = dnn.unit "matmul" ins(%x, %w : tensor<64x0xf32>, tensor<0x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%a: tensor<64x0xf32>, %b: tensor<0x64xf32>, %c: tensor<64x64xf32>):
      %0 = dnn.matmul ins(%a, %b : tensor<64x0xf32>, tensor<0x64xf32>) outs(%c : tensor<64x64xf32>) accumulator f32
      dnn.yield %0 : tensor<64x64xf32>
    } -> tensor<64x64xf32>
    return %y : tensor<64x64xf32>
  }
}
