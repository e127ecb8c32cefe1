// Planning writes the family, its parameters and the layouts on every unit, and nothing else.
// RUN: udnn-opt %s --dnn-plan --dnn-verify-planned | FileCheck %s
// RUN: udnn-opt %s --dnn-plan -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: udnn-opt %s --dnn-plan="families=cpu.generic" | FileCheck %s --check-prefix=GENERIC
// RUN: udnn-opt %s --dnn-plan="force-family=conv1=cpu.generic" | FileCheck %s --check-prefix=FORCED
// RUN: udnn-opt %s --dnn-plan="workspace-limit=0" | FileCheck %s --check-prefix=LIMIT

// A dense 3x3 convolution is blocked; the element-wise unit behind it runs either side of the one transform.
// CHECK: dnn.unit "conv1" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.{{direct_conv|winograd}}"
// CHECK-SAME: results = [#dnn.dims<[n, c, 0, 1, 8c]>]
// CHECK: dnn.unit "abs1" plan {{.*}}family = "cpu.generic"

// REMARK: remark: [Passed] dnn-plan | Category:dnn.plan:choice | family=cpu.{{direct_conv|winograd}}, predicted_ns={{[0-9]+}}, unit=conv1
// REMARK: remark: [Passed] dnn-plan | Category:dnn.plan:choice | family=cpu.generic, predicted_ns={{[0-9]+}}, unit=abs1

// GENERIC: "conv1" plan {{.*}}family = "cpu.generic"
// FORCED: "conv1" plan {{.*}}family = "cpu.generic"

// No workspace at all leaves the direct convolution.
// LIMIT: "conv1" plan {{.*}}family = "cpu.direct_conv"

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32> {
  %w1 = arith.constant dense<0.5> : tensor<64x64x3x3xf32>
  %e = tensor.empty() : tensor<1x64x56x56xf32>
  %y = dnn.unit "conv1" ins(%x, %w1 : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) outs(%e : tensor<1x64x56x56xf32>) {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x3x3xf32>, %c: tensor<1x64x56x56xf32>):
    %0 = dnn.conv ins(%a [n, c, 0, 1], %b [k, c, 0, 1] : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>)
                  outs(%c [n, c, 0, 1] : tensor<1x64x56x56xf32>)
                  strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 accumulator f32
    dnn.yield %0 : tensor<1x64x56x56xf32>
  } -> tensor<1x64x56x56xf32>
  %z = dnn.unit "abs1" ins(%y : tensor<1x64x56x56xf32>) outs(%e : tensor<1x64x56x56xf32>) {
  ^bb0(%a: tensor<1x64x56x56xf32>, %c: tensor<1x64x56x56xf32>):
    %0 = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%a : tensor<1x64x56x56xf32>) outs(%c : tensor<1x64x56x56xf32>) {
    ^bb0(%p: f32, %q: f32):
      %1 = math.absf %p : f32
      linalg.yield %1 : f32
    } -> tensor<1x64x56x56xf32>
    dnn.yield %0 : tensor<1x64x56x56xf32>
  } -> tensor<1x64x56x56xf32>
  return %z : tensor<1x64x56x56xf32>
}
}
