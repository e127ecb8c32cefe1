// An operation that adds to its init is not computed inside of a reader, which may be broadcasting: it
// would add once per element of the reader.
//
// RUN: udnn-opt %s --dnn-fuse-elementwise | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK-NOT: arith.addf
func.func @main(%x: tensor<1xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1xf32>) outs(%init : tensor<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<1xf32>
  %f = tensor.empty() : tensor<2x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<1xf32>) outs(%f : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
