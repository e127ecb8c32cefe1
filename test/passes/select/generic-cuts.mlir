// A generic family cuts a unit as its plan says, which was found when the unit was planned.
// RUN: udnn-opt %s --dnn-select | FileCheck %s
// RUN: sed 's/tasks = 2 /tasks = 0 /' %s | not udnn-opt --dnn-select 2>&1 | FileCheck %s --check-prefix=NO-TASKS
// RUN: sed 's/tasks = 2 /tasks = 3 /' %s | udnn-opt --dnn-select --dnn-memory-pipeline --dnn-build-kernels | FileCheck %s --check-prefix=MORE-TASKS
// RUN: sed 's/parameters = {[^}]*}/parameters = {}/' %s | udnn-opt --dnn-select | FileCheck %s --check-prefix=NOT-CUT

// CHECK: dnn.kernel @generic_0 family "cpu.generic" parameters {tasks = 2 : i64, tiles = array<i64: 2, 0>} num_outputs 1
// CHECK-SAME: worker_bytes 64

// NO-TASKS: family 'cpu.generic' cannot run unit 'sums' with the parameters {scratch = 64 : i64, tasks = 0 : i64

// The tiles are not as many as the tasks: the first task does it all.
// MORE-TASKS: func.func @generic_0
// MORE-TASKS: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0
// MORE-TASKS: scf.if %[[FIRST]] {

// A plan without a cut, such as one of a unit whose layout changes, is cut now.
// NOT-CUT: dnn.kernel @generic_0 family "cpu.generic" parameters {tasks = {{[0-9]+}} : i64, tiles =

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = dnn.unit "sums" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.generic",
        parameters = {scratch = 64 : i64, tasks = 2 : i64, tiles = array<i64: 2, 0>}, time = 1, workspace = 0, worker = 64, error = 300, origin = "modelled">],
      inputs = [unit], results = [unit]> ins(%x : tensor<4x8xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %1 = arith.addf %p, %q : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    dnn.yield %0 : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
}
