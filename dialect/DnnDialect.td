//===- DnnDialect.td - the dnn dialect -------------------------*- tablegen -*-===//
//
// The dialect and the base class of its operations.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_DIALECT
#define UDNN_DNN_DIALECT

include "mlir/IR/OpBase.td"

def Dnn_Dialect : Dialect {
  let name = "dnn";
  let cppNamespace = "::udnn::dnn";
  let summary = "primitives of deep neural networks, their plans, kernels and launches";
  let description = [{
    The `dnn` dialect carries a network from the imported graph to the list of
    kernel launches. Three groups of operations belong to three levels:

    * *primitives* (`dnn.conv`, `dnn.max_pool`, `dnn.softmax`, ...): destination
      style operations on ranked tensors. An operation overwrites its init
      unless it carries `accumulate`;
    * *units* (`dnn.unit`): what is planned as one, with its `#dnn.plan`;
    * *kernels and launches* (`dnn.kernel`, `dnn.dispatch`, `dnn.program`,
      `dnn.launch`, `dnn.code`): what is compiled, and what is run in which
      order on which bytes.

    *Tiling.* Primitives of static shape implement `TilingInterface`, so that
    `transform.structured.tile_using_for`, `tile_using_forall` and `fuse` work
    on them. The loops are the physical dimensions of the first result, then
    what is summed or compared (channels and window, or the summed dimension of
    a product); every operation says below which of them can be tiled. The
    others are named all the same, and a tile that cuts one is refused with an
    error. A tile is the same primitive on slices of its operands; an extra
    operand of an epilogue is sliced along its map, and a summed loop is tiled
    only with `accumulate`, for else every tile would overwrite the sum. Tiles
    have one constant size, of which the last may be smaller. Where the
    operation depends on the tile's position (a smaller last tile, a window
    that reaches into the padding), the tile is an `scf.if` with one primitive
    per case: padding stays with the tiles at the border. When more than one
    tile per border of a convolution or a maximum reads padding, the slice is
    padded by `tensor.pad` instead.

    Everything that is no DNN primitive is `linalg`, `tensor`, `arith` and
    `math`. Integers are signless; an operation whose meaning depends on the
    sign says `unsigned` where it matters.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

class Dnn_Op<string mnemonic, list<Trait> traits = []> : Op<Dnn_Dialect, mnemonic, traits>;

#endif // UDNN_DNN_DIALECT
