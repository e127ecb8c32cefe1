// RUN: udnn-opt %s --split-input-file --dnn-fold-batch-norm --mlir-print-local-scope | FileCheck %s
// RUN: udnn-opt %s --split-input-file --dnn-fold-batch-norm -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// scale / sqrt(variance) is 2 and 3, so the filter is scaled by channel; the shift becomes a bias.
// CHECK-LABEL: func @fold
// REMARK: remark: [Passed] dnn-fold-batch-norm | Category:dnn.simplify:fold | Remark="folded into the filter of dnn.conv"
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[}}{{\[}}{{\[}}[2.000000e+00]]], {{\[}}{{\[}}[6.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[-3.000000e+00, 3.100000e+01]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = dnn.conv ins(%arg0 [n, c, 0, 1], %[[W]] [k, c, 0, 1]
// CHECK-SAME: epilogue(%[[B]] : tensor<2xf32> by affine_map<(d0, d1, d2, d3) -> (d1)>)
// CHECK: ^bb0(%[[ACC:.*]]: f32, %[[E:.*]]: f32):
// CHECK: arith.addf %[[ACC]], %[[E]]
// CHECK: return %[[Y]]
func.func @fold(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = arith.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %scale = arith.constant dense<[2.0, 6.0]> : tensor<2xf32>
  %bias = arith.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %mean = arith.constant dense<[2.0, -9.0]> : tensor<2xf32>
  %var = arith.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x2x4x4xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  %1 = dnn.batch_norm ins(%0, %scale, %bias, %mean, %var : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
                      outs(%e : tensor<1x2x4x4xf32>) dims [n, c, 0, 1] epsilon 0.0
  return %1 : tensor<1x2x4x4xf32>
}

// -----

// A bias that is there already is scaled and shifted: (10 - 2) * 2 + 1.
// CHECK-LABEL: func @bias
// REMARK: remark: [Passed] dnn-fold-batch-norm | Category:dnn.simplify:fold | Remark="folded into the filter of dnn.conv"
// CHECK: arith.constant dense<1.700000e+01> : tensor<1xf32>
// CHECK: dnn.conv
// CHECK-NOT: dnn.batch_norm
func.func @bias(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = arith.constant dense<1.0> : tensor<1x1x1x1xf32>
  %b = arith.constant dense<10.0> : tensor<1xf32>
  %scale = arith.constant dense<2.0> : tensor<1xf32>
  %bias = arith.constant dense<1.0> : tensor<1xf32>
  %mean = arith.constant dense<2.0> : tensor<1xf32>
  %var = arith.constant dense<1.0> : tensor<1xf32>
  %e = tensor.empty() : tensor<1x1x4x4xf32>
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x1x4x4xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
                epilogue(%b : tensor<1xf32> by affine_map<(n, c, h, w) -> (c)>) {
  ^bb0(%acc: f32, %v: f32):
    %s = arith.addf %acc, %v : f32
    dnn.yield %s : f32
  }
  %1 = dnn.batch_norm ins(%0, %scale, %bias, %mean, %var : tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
                      outs(%e : tensor<1x1x4x4xf32>) dims [n, c, 0, 1] epsilon 0.0
  return %1 : tensor<1x1x4x4xf32>
}

// -----

// The convolution has another reader, which must see what the convolution gave: the normalization
// becomes element-wise.
// CHECK-LABEL: func @other_reader
// REMARK: remark: [Passed] dnn-fold-batch-norm | Category:dnn.simplify:lower | Remark="element-wise scale and shift"
// CHECK: %[[C:.*]] = dnn.conv
// CHECK-DAG: %[[A:.*]] = arith.constant dense<2.000000e+00> : tensor<1xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<-3.000000e+00> : tensor<1xf32>
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[C]], %[[A]], %[[B]]
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: return %[[C]], %[[N]]
func.func @other_reader(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) {
  %w = arith.constant dense<1.0> : tensor<1x1x1x1xf32>
  %scale = arith.constant dense<2.0> : tensor<1xf32>
  %bias = arith.constant dense<1.0> : tensor<1xf32>
  %mean = arith.constant dense<2.0> : tensor<1xf32>
  %var = arith.constant dense<1.0> : tensor<1xf32>
  %e = tensor.empty() : tensor<1x1x4x4xf32>
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x1x4x4xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  %1 = dnn.batch_norm ins(%0, %scale, %bias, %mean, %var : tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
                      outs(%e : tensor<1x1x4x4xf32>) dims [n, c, 0, 1] epsilon 0.0
  return %0, %1 : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}

// -----

// Parameters that are not constant are read where they are used.
// CHECK-LABEL: func @variable
// REMARK: remark: [Passed] dnn-fold-batch-norm | Category:dnn.simplify:lower | Remark="element-wise with variable statistics"
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %arg1, %arg1, %arg1
// CHECK: math.sqrt
func.func @variable(%x: tensor<1x2x4x4xf32>, %p: tensor<2xf32>) -> tensor<1x2x4x4xf32> {
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %1 = dnn.batch_norm ins(%x, %p, %p, %p, %p : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
                      outs(%e : tensor<1x2x4x4xf32>) dims [n, c, 0, 1] epsilon 1.0e-5
  return %1 : tensor<1x2x4x4xf32>
}

// -----

// In a transposed convolution with groups the output channel is k within the group of c.
// CHECK-LABEL: func @transposed
// REMARK: remark: [Passed] dnn-fold-batch-norm | Category:dnn.simplify:fold | Remark="folded into the filter of dnn.conv_transpose"
// CHECK-DAG: arith.constant dense<{{\[}}{{\[}}{{\[}}[2.000000e+00]]], {{\[}}{{\[}}[3.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK: dnn.conv_transpose
// CHECK-NOT: dnn.batch_norm
func.func @transposed(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x1x1x1xf32>
  %scale = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %0 = dnn.conv_transpose ins(%x [n, c, 0, 1], %w [c, k, 0, 1] : tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x2x4x4xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 2 accumulator f32
  %1 = dnn.batch_norm ins(%0, %scale, %zero, %zero, %one : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
                      outs(%e : tensor<1x2x4x4xf32>) dims [n, c, 0, 1] epsilon 0.0
  return %1 : tensor<1x2x4x4xf32>
}
