// RUN: udnn-opt %s --split-input-file --dnn-fuse-epilogue --canonicalize --mlir-print-local-scope | FileCheck %s
// RUN: udnn-opt %s --split-input-file --dnn-fuse-epilogue -o /dev/null --remark-format=emitRemark --remarks-filter='dnn.*' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#bias = affine_map<(n, c, h, w) -> (c, 0, 0)>

// Bias, activation before the residual, residual, then a clip: all in one epilogue. The bias loses
// its unit dimensions.
// CHECK-LABEL: func @chain
// REMARK: remark: [Passed] dnn-fuse-epilogue | Category:dnn.simplify:fuse | Remark="fused into the epilogue of dnn.conv"
// REMARK: remark: [Passed] dnn-fuse-epilogue | Category:dnn.simplify:fuse | Remark="fused into the epilogue of dnn.conv"
// REMARK: remark: [Passed] dnn-fuse-epilogue | Category:dnn.simplify:fuse | Remark="fused into the epilogue of dnn.conv"
// REMARK: remark: [Passed] dnn-fuse-epilogue | Category:dnn.simplify:fuse | Remark="fused into the epilogue of dnn.conv"
// CHECK: %[[B:.*]] = tensor.collapse_shape %arg2 {{\[}}[0, 1, 2]] : tensor<8x1x1xf32> into tensor<8xf32>
// CHECK: %[[Y:.*]] = dnn.conv ins(%arg0
// CHECK-SAME: epilogue(%[[B]] : tensor<8xf32> by affine_map<(d0, d1, d2, d3) -> (d1)>,
// CHECK-SAME: %arg3 : tensor<1x8x4x4xf32> by affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>)
// CHECK: ^bb0(%[[ACC:.*]]: f32, %[[BIAS:.*]]: f32, %[[RES:.*]]: f32):
// CHECK: %[[S:.*]] = arith.addf %[[ACC]], %[[BIAS]]
// CHECK: %[[R:.*]] = arith.maximumf %[[S]]
// CHECK: %[[T:.*]] = arith.addf %[[RES]], %[[R]]
// CHECK: %[[M:.*]] = arith.minimumf %[[T]]
// CHECK: dnn.yield %[[M]]
// CHECK: return %[[Y]]
func.func @chain(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>, %b: tensor<8x1x1xf32>,
                 %r: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %0 = dnn.conv ins(%x [n, c, 0, 1], %w [k, c, 0, 1] : tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>)
                outs(%e [n, c, 0, 1] : tensor<1x8x4x4xf32>)
                strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 accumulator f32
  %1 = linalg.generic {indexing_maps = [#id, #bias, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %b : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<1x8x4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<1x8x4x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %2 : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<1x8x4x4xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%3 : tensor<1x8x4x4xf32>) outs(%e : tensor<1x8x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.minimumf %in, %six : f32
    linalg.yield %s : f32
  } -> tensor<1x8x4x4xf32>
  return %4 : tensor<1x8x4x4xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// A product that is also returned stays what it was.
// CHECK-LABEL: func @other_reader
// CHECK: %[[M:.*]] = dnn.matmul
// CHECK-NOT: epilogue
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[M]]
// CHECK: return %[[M]], %[[R]]
func.func @other_reader(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = dnn.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) accumulator f32
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// Both operands of the sum are products: the later one takes it, the earlier one runs before.
// CHECK-LABEL: func @two_producers
// REMARK: remark: [Passed] dnn-fuse-epilogue | Category:dnn.simplify:fuse | Remark="fused into the epilogue of dnn.matmul"
// CHECK: %[[A:.*]] = dnn.matmul ins(%arg0, %arg1
// CHECK-NOT: epilogue
// CHECK: %[[B:.*]] = dnn.matmul ins(%arg0, %arg2
// CHECK-SAME: epilogue(%[[A]] : tensor<4x2xf32>
// CHECK: return %[[B]]
func.func @two_producers(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = dnn.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) accumulator f32
  %1 = dnn.matmul ins(%a, %c : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) accumulator f32
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// f16 with an f32 accumulator: the stored value was rounded before the activation and still is.
// CHECK-LABEL: func @half
// REMARK: remark: [Passed] dnn-fuse-epilogue | Category:dnn.simplify:fuse | Remark="fused into the epilogue of dnn.matmul"
// CHECK: dnn.matmul
// CHECK: ^bb0(%[[ACC:.*]]: f32):
// CHECK: %[[T:.*]] = arith.truncf %[[ACC]] : f32 to f16
// CHECK: arith.mulf %[[T]], %[[T]] : f16
func.func @half(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>) -> tensor<4x2xf16> {
  %e = tensor.empty() : tensor<4x2xf16>
  %0 = dnn.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x2xf16>) outs(%e : tensor<4x2xf16>) accumulator f32
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x2xf16>) outs(%e : tensor<4x2xf16>) {
  ^bb0(%in: f16, %out: f16):
    %s = arith.mulf %in, %in : f16
    linalg.yield %s : f16
  } -> tensor<4x2xf16>
  return %1 : tensor<4x2xf16>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>

// A reader that transposes is no epilogue.
// CHECK-LABEL: func @transposing
// CHECK: dnn.matmul
// CHECK: linalg.generic
func.func @transposing(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = dnn.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) accumulator f32
  %1 = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.negf %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
