// What planning refuses, with what would help.
// RUN: not udnn-opt %s --dnn-plan="families=cpu.fast" 2>&1 | FileCheck %s --check-prefix=FAMILY
// RUN: not udnn-opt %s --dnn-plan="force-family=nobody=cpu.generic" 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not udnn-opt %s --dnn-plan="force-family=relu1" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not udnn-opt %s --dnn-plan="force-family=relu1=cpu.direct_conv" 2>&1 | FileCheck %s --check-prefix=CANNOT
// RUN: not udnn-opt %s --dnn-plan="workspace-limit=1cup" 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not udnn-opt %s --dnn-plan="max-rel-error=-1" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: sed 's/^module attributes {/&dnn.limits = #dnn.limits<error = 0, families = ["cpu.slow"]>, /' %s | not udnn-opt --dnn-plan="keep-layouts" 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: not udnn-opt %s --dnn-verify-planned 2>&1 | FileCheck %s --check-prefix=PLANLESS

// FAMILY: no kernel family is named 'cpu.fast'; there are {{.*}}cpu.generic
// NODE: no unit is named 'nobody', which a family is forced on
// FORM: expects NODE=FAMILY to force a family, got 'relu1'
// CANNOT: no kernel family can run 'relu1' on the target 'cpu' (cpu.direct_conv:
// SIZE: expects a size such as 64MiB as workspace limit, got '1cup'
// ERROR: expects a relative error of at least 0, got -1
// KEPT: no kernel family is named 'cpu.slow'; there are {{.*}}cpu.generic
// PLANLESS: expects a plan after the plan stage

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = dnn.unit "relu1" ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) {
    ^bb0(%p: f32, %q: f32):
      %zero = arith.constant 0.0 : f32
      %1 = arith.maximumf %p, %zero : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    dnn.yield %0 : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
}
