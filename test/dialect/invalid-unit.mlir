// Every check of the verifiers of units and plans rejects what it is there to reject.
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// A plan of nothing.
// expected-error @+1 {{expects at least one piece}}
func.func private @f() attributes {p = #dnn.plan<pieces = [], inputs = [], results = []>}

// -----

// A piece of another kind.
// expected-error @+1 {{expects pieces to be #dnn.piece attributes}}
func.func private @f() attributes {p = #dnn.plan<pieces = [1], inputs = [], results = []>}

// -----

// A layout of another kind.
#piece = #dnn.piece<count = 1, batch = 0, family = "f", parameters = {}, time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">
// expected-error @+1 {{expects layouts to be #dnn.dims or unit attributes}}
func.func private @f() attributes {p = #dnn.plan<pieces = [#piece], inputs = [3], results = []>}

// -----

// A unit that lacks an argument.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects the region's arguments to have the types of the inputs and inits}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    dnn.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// A unit with another result.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects results of the inits' types}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    dnn.yield %a : tensor<4xf32>
  } -> tensor<5xf32>
  return
}

// -----

// A unit that yields nothing.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects the region to yield the result types}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    dnn.yield 
  } -> tensor<4xf32>
  return
}

// -----

// A plan for another unit.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects a plan with 1 input and 1 result layouts, got 0 and 1}}
  %0 = dnn.unit "u" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "f", parameters = {}, time = 0, workspace = 0, worker = 0, error = 0, origin = "modelled">], inputs = [], results = [unit]> ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    dnn.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// A unit that ends in something else.
func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expects a region that ends in 'dnn.yield'}}
  %0 = dnn.unit "u" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    ub.unreachable
  } -> tensor<4xf32>
  return
}
