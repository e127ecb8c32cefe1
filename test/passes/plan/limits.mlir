// The limits of a run are kept on the module, and what selection adds is planned within them.
// RUN: udnn-opt %s --dnn-plan | FileCheck %s --check-prefix=DEFAULT
// RUN: udnn-opt %s --dnn-plan="workspace-limit=64MiB max-rel-error=1e-3 families=cpu.generic,cpu.pool" | FileCheck %s --check-prefix=GIVEN
// RUN: udnn-opt %s --dnn-plan="max-rel-error=2" | FileCheck %s --check-prefix=ANY-ERROR
// RUN: udnn-opt %s --dnn-plan="families=cpu.generic" --dnn-plan="keep-layouts families=cpu.transform" | FileCheck %s --check-prefix=KEPT
// RUN: udnn-opt %s --dnn-plan="families=cpu.generic" --dnn-plan="families=cpu.transform" | FileCheck %s --check-prefix=AGAIN

// DEFAULT: dnn.limits = #dnn.limits<error = 10000>
// DEFAULT: dnn.unit "pack" plan {{.*}}family = "cpu.transform"
// GIVEN: dnn.limits = #dnn.limits<error = 1000000, workspace = 67108864, families = ["cpu.generic", "cpu.pool"]>
// ANY-ERROR: dnn.limits = #dnn.limits<error = 9223372036854775807>

// A run that keeps layouts keeps the limits, too.
// KEPT: dnn.limits = #dnn.limits<error = 10000, families = ["cpu.generic"]>
// KEPT: dnn.unit "pack" plan {{.*}}family = "cpu.generic"

// Another first run does not.
// AGAIN: dnn.limits = #dnn.limits<error = 10000, families = ["cpu.transform"]>
// AGAIN: dnn.unit "pack" plan {{.*}}family = "cpu.transform"

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x16x6x6xf32>) -> tensor<1x2x6x6x8xf32> {
  %e = tensor.empty() : tensor<1x2x6x6x8xf32>
  %p = dnn.unit "pack" ins(%x : tensor<1x16x6x6xf32>) outs(%e : tensor<1x2x6x6x8xf32>) {
  ^bb0(%a: tensor<1x16x6x6xf32>, %b: tensor<1x2x6x6x8xf32>):
    %0 = linalg.pack %a inner_dims_pos = [1] inner_tiles = [8] into %b : tensor<1x16x6x6xf32> -> tensor<1x2x6x6x8xf32>
    dnn.yield %0 : tensor<1x2x6x6x8xf32>
  } -> tensor<1x2x6x6x8xf32>
  return %p : tensor<1x2x6x6x8xf32>
}
}
