// Transforms that selection placed become units, which are planned in their own layouts and selected.
// RUN: udnn-opt %s --dnn-wrap-transforms | FileCheck %s
// RUN: udnn-opt %s --dnn-wrap-transforms --dnn-plan="keep-layouts" --dnn-select | FileCheck %s --check-prefix=SELECT
// RUN: udnn-opt %s --dnn-wrap-transforms --dnn-plan="keep-layouts families=cpu.direct_conv" \
// RUN:   | FileCheck %s --check-prefix=FAMILIES

// The first unit's result is what the second one reads.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.+]] = dnn.unit "pack" ins(%arg0 : tensor<1x16x6x6xf32>) outs(%{{.+}} : tensor<1x2x6x6x8xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<1x16x6x6xf32>, %[[E:.+]]: tensor<1x2x6x6x8xf32>):
// CHECK-NEXT: %[[R:.+]] = linalg.pack %[[A]] inner_dims_pos = [1] inner_tiles = [8] into %[[E]]
// CHECK-NEXT: dnn.yield %[[R]]
// CHECK: dnn.unit "unpack" ins(%[[P]] : tensor<1x2x6x6x8xf32>)

// A pad writes into a new tensor, and the scalar that it captures is copied into the unit.
// CHECK: %[[N:.+]] = tensor.empty() : tensor<8xf32>
// CHECK: dnn.unit "pad" ins(%arg1 : tensor<5xf32>) outs(%[[N]] : tensor<8xf32>)
// CHECK: arith.constant 0.000000e+00 : f32
// CHECK: tensor.pad

// SELECT: %[[P:.+]] = dnn.dispatch "pack" @transform_0 {{.*}}ins(%arg0 :
// SELECT: dnn.dispatch "unpack" @transform_1 {{.*}}ins(%[[P]] :
// SELECT: dnn.dispatch "pad" @generic_0 {{.*}}ins(%arg1 :

// Families that run no transform leave them to the generic one.
// FAMILIES: dnn.unit "pack" plan {{.*}}family = "cpu.generic"

module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "haswell", features = "", cores = 2,
    vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30, l2_bytes = 524288, launch_ns = 3000>} {
func.func @main(%x: tensor<1x16x6x6xf32>, %b: tensor<5xf32>) -> (tensor<1x16x6x6xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x2x6x6x8xf32>
  %p = linalg.pack %x inner_dims_pos = [1] inner_tiles = [8] into %e0 : tensor<1x16x6x6xf32> -> tensor<1x2x6x6x8xf32>
  %e1 = tensor.empty() : tensor<1x16x6x6xf32>
  %u = linalg.unpack %p inner_dims_pos = [1] inner_tiles = [8] into %e1 : tensor<1x2x6x6x8xf32> -> tensor<1x16x6x6xf32>
  %w = tensor.pad %b low[0] high[3] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<5xf32> to tensor<8xf32>
  return %u, %w : tensor<1x16x6x6xf32>, tensor<8xf32>
}
}
