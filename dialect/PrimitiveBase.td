//===- PrimitiveBase.td - base class of the primitives ---------*- tablegen -*-===//
//
// What primitives share: pure, destination style, batch, dimension numbers, epilogues.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_PRIMITIVE_BASE
#define UDNN_DNN_PRIMITIVE_BASE

include "DnnAttributes.td"
include "DnnInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// A primitive on ranked tensors in destination style. `inits` are the last operands.
class Dnn_Primitive<string mnemonic, list<Trait> traits = []>
    : Dnn_Op<mnemonic, !listconcat(traits, [
        Pure, DestinationStyleOpInterface, DeclareOpInterfaceMethods<Dnn_BatchOpInterface>])> {
  let hasVerifier = 1;
}

// A primitive with one init and one result of the same type.
class Dnn_SingleResultPrimitive<string mnemonic, list<Trait> traits = []>
    : Dnn_Primitive<mnemonic, !listconcat(traits, [AllTypesMatch<["init", "result"]>])> {
  let results = (outs AnyRankedTensor:$result);
  code singleResultDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
  let extraClassDeclaration = singleResultDeclaration;
}

// A primitive with an accumulator and an epilogue region.
class Dnn_EpiloguePrimitive<string mnemonic, list<Trait> traits = []>
    : Dnn_SingleResultPrimitive<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<Dnn_EpilogueOpInterface>])> {
  let regions = (region AnyRegion:$epilogue);
}

#endif // UDNN_DNN_PRIMITIVE_BASE
