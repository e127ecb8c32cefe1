//===- LaunchOps.td - kernels, dispatches and launches ---------*- tablegen -*-===//
//
// What is compiled, and what is run in which order on which bytes.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_LAUNCH_OPS
#define UDNN_DNN_LAUNCH_OPS

include "DnnAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dnn_KernelOp : Dnn_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "a kernel to be generated";
  let description = [{
    A kernel by its family, the family's parameters, and the types of its
    arguments: inputs, then outputs, as the dispatches pass them (tensors, and
    memrefs after bufferization; the results of the function type stay empty).
    The region is the unit as planned, in physical layouts, whatever step of it
    the kernel computes: it is the problem's description and holds the
    epilogue. `num_outputs` of the arguments are written. `worker_bytes` of
    scratch memory are passed as a last argument `memref<..xi8>` when not zero.
    `in_place` names, for each output, the input that may share its bytes, or
    -1: the kernel reads an element of that input before it writes the output's
    element at the same place, and never after.

    Example:

    ```mlir
    dnn.kernel @k4 family "cpu.winograd" parameters {step = "gemm"} num_outputs 1
        : (tensor<36x8x64x16xf32>, tensor<36x4x64x16xf32>) -> () {
    ^bb0(%x: tensor<1x4x56x56x16xf32>, ...):
      ...
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, StrAttr:$family, DictionaryAttr:$parameters,
    Dnn_IntAttr:$num_outputs, DefaultValuedAttr<Dnn_IntAttr, "0">:$worker_bytes,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$in_place,
    TypeAttrOf<FunctionType>:$function_type
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `family` $family `parameters` $parameters `num_outputs` $num_outputs
    (`worker_bytes` $worker_bytes^)? (`in_place` $in_place^)? `:` $function_type
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    /// The primitive in the body when there is exactly one, else null.
    ::mlir::Operation *getPrimitive();
  }];
}

def Dnn_DispatchOp : Dnn_Op<"dispatch", [DestinationStyleOpInterface, AttrSizedOperandSegments,
                                         DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                         DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one run of a kernel";
  let description = [{
    Runs a kernel on tensors in destination style, or on memrefs after
    bufferization. Inits are overwritten and never read. `name` is the unit's.

    Example:

    ```mlir
    %v = dnn.dispatch "conv_1" @k3 ins(%x : tensor<1x4x56x56x16xf32>) outs(%e : tensor<36x4x196x16xf32>)
         -> tensor<36x4x196x16xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs, Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $name $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $inits `:` type($inits) `)`
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

def Dnn_ProgramOp : Dnn_Op<"program", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "the launches of one entry on one target";
  let description = [{
    Launches in order. `inputs` and `outputs` describe what the user binds: one
    dictionary each with `name`, `type` (the ONNX element type, such as
    "float"), `shape`, and for an input optionally `frozen` (the value that it
    must have). `arena` is the size in bytes of the memory that all launches
    share, `live` the largest set of bytes live at one time (no arena can be
    smaller), `worker` the scratch memory of each worker.

    Example:

    ```mlir
    dnn.program @main target #dnn.device<...> arena 1605632 live 1605632 worker 0
        inputs [{name = "x", shape = array<i64: 1, 8>, type = "float"} ] outputs [...] {
      %0 = dnn.launch "relu_1" @k0 grid [4, 1, 1] block [1, 1, 1] args [#dnn.buffer<input, 0, 0, 32>, ...]
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, Dnn_DeviceAttr:$target, Dnn_IntAttr:$arena, Dnn_IntAttr:$live, Dnn_IntAttr:$worker,
    ArrayAttr:$inputs, ArrayAttr:$outputs
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `target` $target `arena` $arena `live` $live `worker` $worker
    `inputs` $inputs `outputs` $outputs attr-dict-with-keyword $body
  }];
}

def Dnn_LaunchOp : Dnn_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one launch of a compiled kernel";
  let description = [{
    Launches `kernel` over a grid: on the CPU `grid[0]` tasks, on a GPU blocks
    of `block` threads with `shared` bytes of dynamic shared memory. Arguments
    are buffers (`#dnn.buffer`) or integers. The launch starts after the tokens
    it names; `queue` is a hint for overlap.

    Example:

    ```mlir
    %1 = dnn.launch "conv_1" @k4 grid [56, 1, 1] block [1, 1, 1] args [#dnn.buffer<arena, 0, 0, 802816>] after(%0)
    ```
  }];
  let arguments = (ins
    StrAttr:$name, FlatSymbolRefAttr:$kernel, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$block,
    DefaultValuedAttr<Dnn_IntAttr, "0">:$shared, ArrayAttr:$args, DefaultValuedAttr<Dnn_IntAttr, "0">:$queue,
    Variadic<Dnn_TokenType>:$dependencies
  );
  let results = (outs Dnn_TokenType:$token);
  let assemblyFormat = [{
    $name $kernel `grid` $grid `block` $block (`shared` $shared^)? `args` $args (`queue` $queue^)?
    (`after` `(` $dependencies^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Dnn_CodeOp : Dnn_Op<"code", [Symbol]> {
  let summary = "compiled code of kernels";
  let description = [{
    Bytes that hold the kernels of one target: an ELF shared library
    (`elf`), a CUDA binary (`cubin`) or PTX text (`ptx`). `kernels` are the
    symbols defined in it.

    Example:

    ```mlir
    dnn.code @cpu target #dnn.device<...> format "elf" kernels [@k0, @k1] data dense_resource<code> : tensor<16384xi8>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Dnn_DeviceAttr:$target, StrAttr:$format,
                   ArrayAttr:$kernels, ElementsAttr:$data);
  let assemblyFormat = [{
    $sym_name `target` $target `format` $format `kernels` $kernels `data` $data attr-dict
  }];
}

#endif // UDNN_DNN_LAUNCH_OPS
