//===- DnnInterfaces.td - interfaces of dnn operations ---------*- tablegen -*-===//
//
// What passes ask a primitive without knowing which one it is.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_INTERFACES
#define UDNN_DNN_INTERFACES

include "mlir/IR/OpBase.td"

def Dnn_BatchOpInterface : OpInterface<"BatchOpInterface"> {
  let cppNamespace = "::udnn::dnn";
  let description = [{
    Says whether and how an operation can be run on parts of the batch: which
    dimension of each operand and result is the batch, and whether the results
    are summed over it or couple it.
  }];
  let methods = [
    InterfaceMethod<[{
        The batch dimension of an operand, or -1 when the operand has none
        (filter, bias) and is used whole by every micro-batch.
      }],
      "int64_t", "getOperandBatchDim", (ins "unsigned":$operand)>,
    InterfaceMethod<[{
        The batch dimension of a result, or -1 when the result is summed over
        the batch.
      }],
      "int64_t", "getResultBatchDim", (ins "unsigned":$result)>,
    InterfaceMethod<[{
        True when an image's result depends on the other images of the batch
        (training batch normalization), so that it must not be split.
      }],
      "bool", "couplesBatch", (ins), "", "return false;">
  ];
}

def Dnn_LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let cppNamespace = "::udnn::dnn";
  let description = [{
    An operation with dimension numbers, which can be changed together with the
    physical types of its operands. Operations that address dimensions by their
    positions do not have it.
  }];
  let methods = [
    InterfaceMethod<"The dimension numbers of an operand; null for one that has none.",
      "::udnn::dnn::DimsAttr", "getOperandDims", (ins "unsigned":$operand)>,
    InterfaceMethod<[{
        Sets the dimension numbers of an operand. The caller changes the type.
        For an init this is the layout of the tied result as well.
      }],
      "void", "setOperandDims", (ins "unsigned":$operand, "::udnn::dnn::DimsAttr":$dims)>
  ];
}

def Dnn_EpilogueOpInterface : OpInterface<"EpilogueOpInterface"> {
  let cppNamespace = "::udnn::dnn";
  let description = [{
    An operation that sums products in an accumulator and has an epilogue
    region: scalar `arith` and `math` on the accumulator and on one element of
    every extra operand. The region's arguments are the accumulator, then the
    extra operands' elements; it yields the element that is stored. An extra
    operand's affine map goes from the dimensions of the (physical) result to
    those of the operand. An empty region stores the accumulator, converted to
    the result's type.
  }];
  // The accessors of `Dnn_EpiloguePrimitive`'s arguments, under names of their own where an
  // operation's differ in type.
  let methods = [
    InterfaceMethod<"The type in which sums are kept.", "::mlir::Type", "getAccumulatorType", (ins),
      "", "return $_op.getAccumulator();">,
    InterfaceMethod<"True when the sums are added to the init.", "bool", "getAccumulate", (ins)>,
    InterfaceMethod<"The epilogue; empty when there is none.", "::mlir::Region &", "getEpilogueRegion", (ins),
      "", "return $_op.getEpilogue();">,
    InterfaceMethod<"The extra operands of the epilogue.", "::mlir::MutableOperandRange", "getExtrasOperandRange",
      (ins), "", "return $_op.getExtrasMutable();">,
    InterfaceMethod<"One affine map per extra operand.",
      "::llvm::SmallVector<::mlir::AffineMap>", "getExtraMapValues", (ins), "",
      "return ::llvm::to_vector($_op.getExtraMaps().template getAsValueRange<::mlir::AffineMapAttr>());">,
    InterfaceMethod<"Sets the affine maps, one per extra operand.",
      "void", "setExtraMapValues", (ins "::llvm::ArrayRef<::mlir::AffineMap>":$maps), "",
      "$_op.setExtraMapsAttr(::mlir::Builder($_op.getContext()).getAffineMapArrayAttr(maps));">,
    InterfaceMethod<"How many products all sums have together, those with padding included.",
      "int64_t", "getNumProducts", (ins)>
  ];
}

#endif // UDNN_DNN_INTERFACES
