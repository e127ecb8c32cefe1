//===- Codegen.td - kernels to machine code --------------------*- tablegen -*-===//
//
// The passes of the stage between launches and the artifact.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_CODEGEN
#define UDNN_PASSES_CODEGEN

include "mlir/Pass/PassBase.td"

def CodegenPass : Pass<"dnn-codegen", "::mlir::ModuleOp"> {
  let summary = "generate and compile the kernels that programs launch";
  let description = [{
    Collects, for each target of the module's programs, the kernels that they
    launch, has their families generate them, compiles them, and appends one
    `dnn.code` with the bytes. A module without programs is left alone.

    Before:

    ```mlir
    dnn.kernel @k0 family "cpu.generic" ... : (memref<8xf32>, memref<8xf32>) -> () {...}
    dnn.program @main target #dnn.device<kind = "cpu", ...> ... {
      dnn.launch "relu_1" @k0 ...
    }
    ```

    After, in addition:

    ```mlir
    dnn.code @code_cpu target #dnn.device<kind = "cpu", ...> format "elf" kernels [@k0]
        data dense_resource<code_cpu> : tensor<4096xi8>
    ```
  }];
  let dependentDialects = ["::udnn::dnn::DnnDialect"];
}

def BuildKernelsPass : Pass<"dnn-build-kernels", "::mlir::ModuleOp"> {
  let summary = "show the functions that kernel families generate";
  let description = [{
    Has the families generate the functions of all kernels whose arguments
    are memrefs, and appends them as `module @kernels`, as they are before they
    are lowered to LLVM. The device is that of the first program, else the
    module's `dnn.device`. For reading and for tests: code generation does not
    need it.

    Before:

    ```mlir
    dnn.kernel @k0 family "cpu.generic" ... : (memref<8xf32>, memref<8xf32>) -> () {...}
    ```

    After, in addition:

    ```mlir
    module @kernels {
      func.func @k0(%x: memref<8xf32>, %y: memref<8xf32>, %task: index) {...}
    }
    ```
  }];
  let dependentDialects = ["::udnn::dnn::DnnDialect"];
}

#endif // UDNN_PASSES_CODEGEN
