// The generic families tell how much memory their temporaries take, so that the limit holds for them
// too.
//
// RUN: udnn-opt %s --dnn-plan | FileCheck %s
// RUN: not udnn-opt %s --dnn-plan="workspace-limit=128" 2>&1 | FileCheck %s --check-prefix=LIMIT

module attributes {dnn.device = #dnn.device<kind = "cuda", arch = "sm_80", features = "", cores = 108, vector_bits = 128, gflops_f32 = 19500, gflops_f16 = 312000, gbytes_per_s = 1600, l2_bytes = 41943040, launch_ns = 3000>} {
  // A maximum and a sum for each of two blocks.
  // CHECK: dnn.unit "softmax" plan <pieces = [#dnn.piece<{{.*}}"cuda.generic"{{.*}}workspace = {{[1-9][0-9]*}}
  // LIMIT: no kernel family can run 'softmax' on the target 'cuda'
  // LIMIT-SAME: needs a workspace of {{.*}}, over the limit of 128 B
  func.func @main(%x: tensor<2x100000xf32>) -> tensor<2x100000xf32> {
    %e = tensor.empty() : tensor<2x100000xf32>
    %y = dnn.unit "softmax" ins(%x : tensor<2x100000xf32>) outs(%e : tensor<2x100000xf32>) {
    ^bb0(%a: tensor<2x100000xf32>, %b: tensor<2x100000xf32>):
      %0 = dnn.softmax ins(%a : tensor<2x100000xf32>) outs(%b : tensor<2x100000xf32>) dimension 1
      dnn.yield %0 : tensor<2x100000xf32>
    } -> tensor<2x100000xf32>
    return %y : tensor<2x100000xf32>
  }
}
