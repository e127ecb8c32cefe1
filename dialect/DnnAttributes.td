//===- DnnAttributes.td - attributes and types -----------------*- tablegen -*-===//
//
// Dimension numbers, device facts, limits, plans, and the places where launch arguments live.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_ATTRIBUTES
#define UDNN_DNN_ATTRIBUTES

include "DnnDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"

class Dnn_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Dnn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// A 64-bit integer whose accessor is signed.
def Dnn_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

def Dnn_DimsAttr : Dnn_Attr<"Dims", "dims"> {
  let summary = "which dimension of a tensor means what";
  let description = [{
    Dimension numbers of an activation or a filter in its physical shape: `n`
    is the batch, `c` the channel (of a filter: the input channel within a
    group), `k` the filter's output channel, and `0`, `1`, `2` the spatial
    dimensions. An integer before a letter is a block: `[n, c, 0, 1, 8c]` is the
    layout often written NCHW8c, where the logical channel is
    `8 * index(c) + index(8c)`. Where a block does not divide the logical size,
    the size stands behind the outer letter; what lies beyond it in memory is
    unspecified, so whoever sums over channels stops there.

    Example:

    ```mlir
    #dnn.dims<[n, c, 0, 1]>
    #dnn.dims<[n, c = 20, 0, 1, 8c]>
    #dnn.dims<[k, c, 0, 1, 8c, 16k]>
    ```
  }];
  // roles: 'n' -> -1, 'c' -> -2, 'k' -> -3, spatial dimension i -> i.
  // blocks: 1 for a whole dimension or the outer part of a blocked one, b for the inner part.
  // channels, filters: the logical sizes where they differ from what the shape says, else 0.
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$roles,
    ArrayRefParameter<"int64_t">:$blocks,
    "int64_t":$channels,
    "int64_t":$filters
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kBatch = -1, kChannel = -2, kFilter = -3;

    /// Plain dimension numbers `[n, c, 0, .., spatialRank-1]` of an activation.
    static DimsAttr getActivation(::mlir::MLIRContext *context, int64_t spatialRank);
    /// Plain dimension numbers `[k, c, 0, .., spatialRank-1]` of a filter.
    static DimsAttr getFilter(::mlir::MLIRContext *context, int64_t spatialRank);
    /// `[n, c, 0, .., <block>c]`; `channels` is the logical channel count.
    static DimsAttr getBlocked(::mlir::MLIRContext *context, int64_t spatialRank,
                               int64_t block, int64_t channels);

    int64_t getRank() const { return getRoles().size(); }
    int64_t getSpatialRank() const;
    /// True when no dimension is blocked.
    bool isPlain() const;
    /// Position of the outer (or only) dimension with this role, or -1.
    int64_t find(int64_t role) const;
    /// Position of the inner block of this role, or -1.
    int64_t findBlock(int64_t role) const;
    /// Block size of this role; 1 when not blocked.
    int64_t getBlock(int64_t role) const;
    /// Logical size of this role in a tensor of the given physical shape.
    int64_t getLogicalSize(int64_t role, ::llvm::ArrayRef<int64_t> shape) const;
    /// Logical sizes in the order batch/filter, channel, spatial 0, 1, ...
    ::llvm::SmallVector<int64_t> getLogicalShape(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

def Dnn_DeviceAttr : Dnn_Attr<"Device", "device"> {
  let summary = "facts about the device that a module is compiled for";
  let description = [{
    What planning and code generation may know of a device. Rates are per
    device, not per core. Facts are data: no pass carries a number of its own.

    Example:

    ```mlir
    #dnn.device<kind = "cpu", arch = "znver3", features = "+avx2,+fma", cores = 2,
                vector_bits = 256, gflops_f32 = 200, gflops_f16 = 200, gbytes_per_s = 30,
                l2_bytes = 524288, launch_ns = 2000>
    ```
  }];
  // kind: "cpu" or "cuda". arch: LLVM CPU name, or "sm_90a". features: LLVM feature string.
  // cores: hardware threads, or streaming multiprocessors.
  let parameters = (ins
    "::mlir::StringAttr":$kind,
    "::mlir::StringAttr":$arch,
    "::mlir::StringAttr":$features,
    "int64_t":$cores,
    "int64_t":$vector_bits,
    "int64_t":$gflops_f32,
    "int64_t":$gflops_f16,
    "int64_t":$gbytes_per_s,
    "int64_t":$l2_bytes,
    "int64_t":$launch_ns
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    bool isCPU() const { return getKind().getValue() == "cpu"; }
    bool isCUDA() const { return getKind().getValue() == "cuda"; }
  }];
  let genVerifyDecl = 1;
}

def Dnn_LimitsAttr : Dnn_Attr<"Limits", "limits"> {
  let summary = "what a module's plans must keep to";
  let description = [{
    The limits under which a module was planned, for what is planned later: the
    relative RMS error that an algorithm may add, in parts per billion, the
    workspace of a unit in bytes, and the kernel families that may be chosen.
    Without `workspace` and `families` there is no limit.

    Example:

    ```mlir
    #dnn.limits<error = 10000, workspace = 67108864, families = ["cpu.direct_conv"]>
    ```
  }];
  let parameters = (ins
    "int64_t":$error,
    DefaultValuedParameter<"int64_t", "std::numeric_limits<int64_t>::max()">:$workspace,
    OptionalParameter<"::mlir::ArrayAttr">:$families
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Dnn_PieceAttr : Dnn_Attr<"Piece", "piece"> {
  let summary = "one part of a plan: so many micro-batches of one size by one algorithm";
  let description = [{
    `count` micro-batches of `batch` images each, run by a kernel family with
    its parameters. `batch` 0 stands for a unit that has no batch dimension or
    is not divided. Predicted time in nanoseconds and workspace in bytes are
    for one micro-batch; `worker` bytes are needed once per worker. `error` is
    the relative RMS error bound in parts per billion, `origin` where the time
    came from (`measured`, `interpolated`, `modelled`).

    Example:

    ```mlir
    #dnn.piece<count = 2, batch = 128, family = "cpu.winograd", parameters = {tile = 4 : i64},
               time = 812000, workspace = 1605632, worker = 0, error = 2000, origin = "modelled">
    ```
  }];
  let parameters = (ins
    "int64_t":$count,
    "int64_t":$batch,
    "::mlir::StringAttr":$family,
    "::mlir::DictionaryAttr":$parameters,
    "int64_t":$time,
    "int64_t":$workspace,
    "int64_t":$worker,
    "int64_t":$error,
    "::mlir::StringAttr":$origin
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Dnn_PlanAttr : Dnn_Attr<"Plan", "plan"> {
  let summary = "the decision taken for one unit";
  let description = [{
    The pieces that a unit is run in, and the layouts in which it reads its
    inputs and writes its results: one entry per input and per result, `unit`
    for a tensor that stays as the unit has it, `#dnn.dims` for one that is
    physically laid out otherwise.

    Example:

    ```mlir
    #dnn.plan<pieces = [#dnn.piece<...>],
              inputs = [#dnn.dims<[n, c, 0, 1, 8c]>, unit], results = [#dnn.dims<[n, c, 0, 1, 8c]>]>
    ```
  }];
  let parameters = (ins
    "::mlir::ArrayAttr":$pieces,
    "::mlir::ArrayAttr":$inputs,
    "::mlir::ArrayAttr":$results
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Launch arguments
//===----------------------------------------------------------------------===//

def Dnn_Space : I32EnumAttr<"Space", "where the bytes of a launch argument live", [
    I32EnumAttrCase<"Arena", 0, "arena">,
    I32EnumAttrCase<"Constant", 1, "constant">,
    I32EnumAttrCase<"Input", 2, "input">,
    I32EnumAttrCase<"Output", 3, "output">,
    I32EnumAttrCase<"Worker", 4, "worker">
  ]> {
  let cppNamespace = "::udnn::dnn";
}

def Dnn_BufferAttr : Dnn_Attr<"Buffer", "buffer"> {
  let summary = "a range of bytes that a launch reads or writes";
  let description = [{
    `size` bytes from `offset` in a memory space: the shared arena, the
    constant with number `index` (in the order of the module's `memref.global`
    operations), the `index`-th input or output that the user binds, or the
    worker's own scratch memory.

    Example:

    ```mlir
    #dnn.buffer<arena, 0, 4096, 802816>
    ```
  }];
  let parameters = (ins
    EnumParameter<Dnn_Space>:$space,
    "int64_t":$index,
    "int64_t":$offset,
    "int64_t":$size
  );
  let assemblyFormat = "`<` $space `,` $index `,` $offset `,` $size `>`";
  let genVerifyDecl = 1;
}

def Dnn_TokenType : TypeDef<Dnn_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "the completion of a launch, waited for by the launches that depend on it";
}

#endif // UDNN_DNN_ATTRIBUTES
