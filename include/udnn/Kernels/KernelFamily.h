//===- KernelFamily.h - what plans and generates kernels ---------*- C++ -*-===//
//
// The interface between planning, selection, launching and code generation on one side and the
// kernel families on the other. A family describes itself here; adding one touches no pass.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_KERNELS_KERNELFAMILY_H
#define UDNN_KERNELS_KERNELFAMILY_H

#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>

namespace udnn {

/// One way in which a family can run a unit (undivided, or one micro-batch of it).
struct Candidate {
  /// What `expand` and `build` need; printable, complete.
  mlir::DictionaryAttr parameters;
  /// Layout of every input and result of the unit; null where the tensor stays as the unit has it.
  llvm::SmallVector<dnn::DimsAttr> inputLayouts, resultLayouts;
  /// Work, for the cost model: floating point operations that are executed, bytes that must move
  /// to and from memory, and the percentage of the device's peak rate that the inner loops reach.
  int64_t flops = 0, bytes = 0, efficiencyPercent = 100;
  /// Number of launches that the candidate expands to.
  int64_t launches = 1;
  /// Workspace in bytes: shared by all workers, and of each worker. On a GPU the launch is the
  /// only worker.
  int64_t workspaceBytes = 0, workerBytes = 0;
  /// Relative RMS error that the algorithm adds to the rounding of the result's type, in parts per
  /// billion (0: data movement and integers; about 300 for plain f32 sums).
  int64_t errorPpb = 0;

  /// True when every tensor stays as the unit has it.
  bool keepsLayouts() const;
};

/// What `getCandidates` fills: candidates, and the reasons why there is none.
struct CandidateList {
  llvm::SmallVector<Candidate> candidates;
  std::string reason;

  /// Says why the family cannot run the unit, for reports.
  void reject(const llvm::Twine &why) { reason = why.str(); }
};

/// Grid of a launch: on the CPU `grid[0]` tasks; on a GPU blocks of `block` threads.
struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  /// Dynamic shared memory in bytes (GPU only).
  int64_t sharedBytes = 0;
};

/// The kernels of a module, by what they compute: equal kernels (family, parameters, types, body)
/// get one symbol. Names count up in the order of first use.
class KernelTable {
public:
  explicit KernelTable(mlir::ModuleOp module);

  /// The symbol of a kernel equal to `kernel`, which is detached and consumed: inserted into the
  /// module when it is new, erased when it is not.
  mlir::FlatSymbolRefAttr insert(dnn::KernelOp kernel);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::FlatSymbolRefAttr> symbolOf;
  llvm::StringMap<unsigned> nextNumber;
};

/// How `expand` emits dispatches: on tensors, at the place of the unit that is replaced.
class DispatchBuilder {
public:
  DispatchBuilder(mlir::RewriterBase &rewriter, dnn::UnitOp unit, llvm::StringRef family,
                  KernelTable &kernels)
      : rewriter(rewriter), unit(unit), family(family), kernels(kernels) {}

  mlir::RewriterBase &getRewriter() { return rewriter; }
  mlir::Location getLoc() { return unit.getLoc(); }

  /// A new tensor of unspecified contents: a workspace or an intermediate.
  mlir::Value empty(mlir::RankedTensorType type);

  /// Emits one dispatch of a kernel of this family and returns its results. The kernel's body is
  /// a copy of the unit's. `inPlace` names for each init the input that may share its bytes.
  mlir::ValueRange dispatch(mlir::DictionaryAttr parameters, mlir::ValueRange inputs,
                            mlir::ValueRange inits, int64_t workerBytes = 0,
                            llvm::ArrayRef<int64_t> inPlace = {});

private:
  mlir::RewriterBase &rewriter;
  dnn::UnitOp unit;
  std::string family;
  KernelTable &kernels;
};

/// A way to implement some kinds of units on one kind of device.
class KernelFamily {
public:
  virtual ~KernelFamily();

  /// Name with its device kind first: "cpu.direct_conv".
  virtual llvm::StringRef getName() const = 0;

  /// Appends the ways in which this family can run `unit` on `device`. Layouts of a candidate are
  /// free: the planner weighs the transforms that they need.
  virtual void getCandidates(dnn::UnitOp unit, dnn::DeviceAttr device,
                             CandidateList &list) const = 0;

  /// Emits the dispatches that compute `unit`, whose operands are already in the planned layouts
  /// (types and dimension numbers changed), and returns one value per result. Filters may be
  /// packed here with `linalg.pack` and the like: what depends on constants alone is folded.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  expand(dnn::UnitOp unit, mlir::DictionaryAttr parameters, dnn::DeviceAttr device,
         DispatchBuilder &builder) const = 0;

  /// The grid of a kernel that `expand` dispatched. Depends on its parameters and types only.
  virtual LaunchShape getLaunchShape(dnn::KernelOp kernel, dnn::DeviceAttr device) const = 0;

  /// Generates the kernel into `module` as a function named like the kernel op, whose arguments
  /// have memref types now; strides come from these types, offsets are in the pointers (types have
  /// offset 0).
  /// CPU: `func.func @name(args..., [scratch : memref<Nxi8>], task : index)` in func, scf, arith,
  /// math, memref, vector, affine and linalg on buffers.
  /// CUDA: `gpu.func @name(args..., [scratch : memref<Nxi8>]) kernel` in the one gpu.module of
  /// `module`, which is made where there is none, with the block of `getLaunchShape` as its
  /// known_block_size; in gpu, nvgpu, scf, arith, math, memref, vector and affine. Types of empty
  /// tensors have one element. Static shared memory is a workgroup attribution. The scratch memory
  /// is there once per launch: N bytes for all blocks together, and not cleared.
  virtual llvm::LogicalResult build(dnn::KernelOp kernel, dnn::DeviceAttr device,
                                    mlir::ModuleOp module) const = 0;
};

/// All families, in a fixed order. The first of two equally fast ones is taken.
llvm::ArrayRef<std::unique_ptr<KernelFamily>> getKernelFamilies();

/// The families for the kind of `device`, in the same order.
llvm::SmallVector<const KernelFamily *> getKernelFamilies(dnn::DeviceAttr device);

/// The family that runs any unit on the kind of `device`, the last one in the order; null where
/// there is none for that kind.
const KernelFamily *getFallbackFamily(dnn::DeviceAttr device);

/// What `family` offers for `unit`; where it offers nothing, the list's reason says why. Of a unit
/// that reads or writes a tensor without elements only the fallback family is asked, for candidates
/// that keep its layouts.
void collectCandidates(const KernelFamily &family, dnn::UnitOp unit, dnn::DeviceAttr device,
                       CandidateList &list);

/// The family with this name, or null.
const KernelFamily *lookupKernelFamily(llvm::StringRef name);

} // namespace udnn

#endif // UDNN_KERNELS_KERNELFAMILY_H
