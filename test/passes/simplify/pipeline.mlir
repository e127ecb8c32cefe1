// RUN: udnn-opt %s --dnn-simplify-pipeline | FileCheck %s

// Batch norm, residual and activation of a block end up in one unit named after the convolution;
// what runs before a concatenation's reader is one element-wise unit.
// CHECK-LABEL: func @block
// CHECK-DAG: arith.constant dense<3.000000e+00> : tensor<2x2x1x1xf32>
// CHECK: dnn.unit "conv"
// CHECK: dnn.conv
// CHECK-SAME: epilogue
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: dnn.yield
// CHECK: dnn.yield
// CHECK: %[[C:.*]] = tensor.concat
// CHECK: dnn.unit "relu2" ins(%[[C]],
// CHECK-NOT: dnn.unit
// CHECK: return
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @block(%x: tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<1.0> : tensor<2x2x1x1xf32>
  %scale = arith.constant dense<3.0> : tensor<2xf32>
  %bias = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %none = arith.constant dense<0.0> : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %scale4 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x2x4x4xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32 loc("conv")
  %1 = dnn.batch_norm ins(%0, %scale, %bias, %none, %one : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
                      outs(%e : tensor<1x2x4x4xf32>) dims [n, c, 0, 1] epsilon 0.0 loc("bn")
  %2 = linalg.add ins(%1, %x : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) outs(%e : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2 : tensor<1x2x4x4xf32>) outs(%e : tensor<1x2x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<1x2x4x4xf32> loc("relu")
  %4 = tensor.concat dim(1) %3, %x : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
  %e4 = tensor.empty() : tensor<1x4x4x4xf32>
  %5 = dnn.batch_norm ins(%4, %scale4, %scale4, %scale4, %scale4 : tensor<1x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
                      outs(%e4 : tensor<1x4x4x4xf32>) dims [n, c, 0, 1] epsilon 0.0 loc("bn2")
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%5 : tensor<1x4x4x4xf32>) outs(%e4 : tensor<1x4x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x4xf32> loc("relu2")
  return %6 : tensor<1x4x4x4xf32>
}
