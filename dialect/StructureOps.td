//===- StructureOps.td - units and terminators -----------------*- tablegen -*-===//
//
// What is planned as one.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_STRUCTURE_OPS
#define UDNN_DNN_STRUCTURE_OPS

include "DnnAttributes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dnn_UnitOp : Dnn_Op<"unit", [Pure, IsolatedFromAbove, DestinationStyleOpInterface,
                                 AttrSizedOperandSegments, SingleBlock]> {
  let summary = "operations that are planned and run as one";
  let description = [{
    Groups a primitive, or a chain of `linalg` operations, that one kernel
    family runs as a whole. The region's arguments are the inputs, then the
    inits; it yields one tensor per init. `name` is the name of the ONNX node
    (made unique) that the unit comes from, by which users refer to it. `plan`
    is the decision of the planner; before planning it is absent.

    Example:

    ```mlir
    %y = dnn.unit "relu_1" ins(%x : tensor<1x64x56x56xf32>) outs(%e : tensor<1x64x56x56xf32>) {
    ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<1x64x56x56xf32>):
      %0 = linalg.generic ... ins(%a : tensor<1x64x56x56xf32>) outs(%b : tensor<1x64x56x56xf32>) {...}
      dnn.yield %0 : tensor<1x64x56x56xf32>
    } -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs, Variadic<AnyRankedTensor>:$inits,
                   OptionalAttr<Dnn_PlanAttr>:$plan);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`plan` $plan^)? (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $inits `:` type($inits) `)`
    attr-dict-with-keyword $body `->` type($results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    /// The values yielded by the body, one per result.
    ::mlir::ValueRange getYielded() { return getBody().front().getTerminator()->getOperands(); }
    /// The primitive in the body when there is exactly one, else null.
    ::mlir::Operation *getPrimitive();
  }];
}

def Dnn_YieldOp : Dnn_Op<"yield", [Pure, Terminator]> {
  let summary = "ends an epilogue, a unit or a kernel";
  let description = [{
    Yields the element that an epilogue stores, or the tensors that a unit or a
    kernel computes.

    Example:

    ```mlir
    dnn.yield %0 : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // UDNN_DNN_STRUCTURE_OPS
