//===- Memory.td - from dispatches to launches -----------------*- tablegen -*-===//
//
// The passes of the memory stage, in the order in which they run.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_MEMORY
#define UDNN_PASSES_MEMORY

include "mlir/Pass/PassBase.td"

def WriteToOutputsPass : Pass<"dnn-write-to-outputs", "::mlir::func::FuncOp"> {
  let summary = "Turn the results of the entry into buffers that it writes";
  let description = [{
    Every result becomes a memref argument marked `dnn.output`, into which the
    value is materialized before the return. Reshapes before the return move to
    the argument, so that the kernel in front of them can write in place. Every
    use of `tensor.empty` gets its own, so that each can be replaced.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {dnn.name = "y"}) {
      %e = tensor.empty() : tensor<4xf32>
      %y = dnn.dispatch "relu" @k0 ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>, %y: memref<4xf32> {dnn.name = "y", dnn.output}) {
      %e = tensor.empty() : tensor<4xf32>
      %0 = dnn.dispatch "relu" @k0 ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      bufferization.materialize_in_destination %0 in restrict writable %y
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OrderSlicesPass : Pass<"dnn-order-slices", "::mlir::func::FuncOp"> {
  let summary = "Insert slices as soon as they are computed";
  let description = [{
    A chain of disjoint `tensor.insert_slice` (a concatenation) is put in the
    order in which its parts are computed, each directly after its part. Then
    every part's destination is there before the part is computed, and its
    kernel can write into the slice. Parts
    that must be copied (inputs, constants, views, parts of two concatenations)
    stay at the end.

    ```mlir
    %a = dnn.dispatch ...           %0 = tensor.empty
    %b = dnn.dispatch ...           %a = dnn.dispatch ...
    %0 = tensor.empty          ->   %1 = tensor.insert_slice %a into %0
    %1 = insert_slice %a into %0    %b = dnn.dispatch ...
    %2 = insert_slice %b into %1    %2 = tensor.insert_slice %b into %1
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def WriteInPlacePass : Pass<"dnn-write-in-place", "::mlir::func::FuncOp"> {
  let summary = "Let kernels write straight into outputs and slices";
  let description = [{
    An empty tensor that a kernel fills, and whose contents would then be copied
    into an output or a slice, is replaced by the output or the slice. Nested
    concatenations are replaced from the outermost to the innermost. The parts of
    a concatenation of more than 32 go through views of one buffer, which
    One-Shot Bufferize need not compare with one another.

    ```mlir
    %e = tensor.empty() : tensor<2x4xf32>
    %a = dnn.dispatch "a" @k ins(...) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = tensor.insert_slice %a into %0[0, 4] [2, 4] [1, 1] : ...
    // becomes
    %s = tensor.extract_slice %0[0, 4] [2, 4] [1, 1] : ...
    %a = dnn.dispatch "a" @k ins(...) outs(%s : tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = tensor.insert_slice %a into %0[0, 4] [2, 4] [1, 1] : ...
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def BufferizePass : Pass<"dnn-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turn the entry's tensors into buffers";
  let description = [{
    Runs One-Shot Bufferize on the entry, with contiguous arguments. The bodies
    of kernels stay on tensors: they describe problems and are not run.

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %y = dnn.dispatch "relu" @k0 ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %y = memref.alloc() : memref<4xf32>
    dnn.dispatch "relu" @k0 ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LowerCopiesPass : Pass<"dnn-lower-copies", "::mlir::ModuleOp"> {
  let summary = "Turn copies that bufferization left into dispatches of copy kernels";
  let description = [{
    Every `memref.copy` between different bytes becomes a dispatch of a kernel
    of the device's generic family whose body is `linalg.copy`. Copies of a
    buffer onto itself disappear.

    ```mlir
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    // becomes
    dnn.dispatch "copy" @copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SpecializeKernelsPass : Pass<"dnn-specialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Give kernels the memref types of their dispatches";
  let description = [{
    Kernels take the types that their dispatches pass: static strides, and
    offset 0, because offsets go into the pointers. Dispatches with different
    types get a clone of the kernel each, equal kernels become one, and kernels
    without dispatches are removed.

    ```mlir
    dnn.kernel @k0 ... : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    dnn.dispatch "relu" @k0 ins(%x : memref<2x4xf32>) outs(%s : memref<2x4xf32, strided<[8, 1], offset: 4>>)
    // becomes
    dnn.kernel @k0 ... : (memref<2x4xf32>, memref<2x4xf32, strided<[8, 1]>>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanArenaPass : Pass<"dnn-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Give every buffer its offset in one arena";
  let description = [{
    Buffers (`memref.alloc`) that live at different times may share bytes; the
    result of a kernel that can work in place takes the bytes of an input that
    dies there. Writes `dnn.offset` on every allocation, and `dnn.arena` and
    `dnn.live` (the largest set of bytes live at one time) on the function.
  }];
}

def LowerToLaunchesPass : Pass<"dnn-lower-to-launches", "::mlir::ModuleOp"> {
  let summary = "Turn the dispatches into a program of launches";
  let description = [{
    Replaces `@main` by a `dnn.program` of `dnn.launch`es on ranges of bytes:
    offsets of allocations are those of `dnn-plan-arena`, view offsets are added
    to them. A launch waits for the earlier launches that touch the same bytes
    where one of the two writes (transitively reduced). Grids are asked from the
    kernel families.
  }];
}

def VerifyLaunchesPass : Pass<"dnn-verify-launches", "::mlir::ModuleOp"> {
  let summary = "Check the contract after the memory stage: programs of launches";
  let description = [{
    Checks that the module holds only programs, kernels on memrefs, constants
    and code, that every launch's arguments fit its kernel and lie inside their
    space, that inputs and constants are never written, and that launches wait
    only for earlier ones of their program.
  }];
}

#endif // UDNN_PASSES_MEMORY
