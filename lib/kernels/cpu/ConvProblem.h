//===- ConvProblem.h - a convolution as the CPU kernels see it ---*- C++ -*-===//
//
// Sizes of a convolution of one or two spatial dimensions, views of blocked and plain
// activations, register tiles, and the rows of a result cut into them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_CONVPROBLEM_H
#define UDNN_LIB_KERNELS_CPU_CONVPROBLEM_H

#include "../common/UnitOperands.h"
#include "Epilogue.h"

#include "udnn/Kernels/KernelFamily.h"

namespace udnn::cpu {

/// Logical sizes; a convolution of one spatial dimension has height 1.
struct ConvProblem {
  int64_t n, c, h, w, k, oh, ow, r, s, groups;
  int64_t strideH, strideW, padTop, padLeft, padBottom, padRight, dilationH, dilationW;
  int64_t spatialRank;

  int64_t getGroupC() const { return c / groups; }
  int64_t getGroupK() const { return k / groups; }
  /// Floating point operations without the products with the padding.
  int64_t getExecutedFlops() const;
  /// Bytes of input, filter and result.
  int64_t getBytes() const;
  /// A window of one element without stride and padding.
  bool isPointwise() const;

  static ConvProblem get(dnn::ConvOp op);
};

/// Windows of a pooling operation or convolution over one row: where output column `o` lies.
struct RowGeometry {
  int64_t w, ow, s, stride, pad, dilation;

  /// True when the windows of the output columns [o, o + width) lie inside the row.
  bool isInterior(int64_t o, int64_t width) const {
    return o * stride >= pad && (o + width - 1) * stride + (s - 1) * dilation - pad < w;
  }
};

/// `count` tiles of `width` output columns from column `start`. Those that touch the padding
/// stand alone.
struct RowTile {
  int64_t start, width, count;
  bool interior;
};

/// Cuts a row into tiles of at most `maxWidth` columns, as equal as possible.
llvm::SmallVector<RowTile> splitRow(const RowGeometry &row, int64_t maxWidth);

/// Number and widths of equal parts of `size`, at most `maxWidth` each: `wide` parts of
/// `width + 1`, then `narrow` parts of `width`.
struct EvenSplit {
  int64_t wide, narrow, width;
  int64_t getCount() const { return wide + narrow; }
};
EvenSplit splitEvenly(int64_t size, int64_t maxWidth);

/// A tile of accumulators held in registers.
struct RegisterTile {
  int64_t columns, vectors;
};

/// The tile of at most `maxVectors` vectors that needs the fewest cycles for rows of `ow` columns
/// and `vectors` vectors of channels (only divisors of it when `exact`), and in `percent` the share
/// of the peak it reaches.
RegisterTile chooseTile(int64_t ow, int64_t vectors, int64_t maxVectors, bool exact, int64_t lanes,
                        int64_t *percent);

/// One step of a register tile: adds the products of `columns` inputs and `numVectors` vectors of
/// weights to `sums` [column][vector]. Each operand is loaded once; that with fewer registers is
/// held.
void multiplyTile(Emitter &emitter, llvm::ArrayRef<int64_t> columns, int64_t numVectors,
                  Vectors &sums, llvm::function_ref<mlir::Value(int64_t)> loadInput,
                  llvm::function_ref<mlir::Value(int64_t)> loadWeights);

/// Strides of an activation's buffer by meaning.
struct ActivationView {
  Buffer buffer;
  /// Batch, outer channel, row, column, inner channel.
  int64_t n, c, h, w, lane;

  static ActivationView get(const Buffer &buffer, dnn::DimsAttr dims);
};

/// Positions of the physical dimensions, to give coordinates to an epilogue.
llvm::SmallVector<Index> getBlockedCoordinates(dnn::DimsAttr dims, Index n, Index cb, Index h,
                                               Index w);

/// Why the device's vectors are too short for the families that hold tiles in registers; empty when
/// they are not.
std::string explainLanes(dnn::DeviceAttr device);

/// Why the operands of `op` cannot be those of its unit; empty when all are arguments.
std::string explainOperands(mlir::Operation *op);

/// Why no family can run the unit's convolution on `device` by vectors along the result's dimension
/// `laneDim` (negative: counted from the end); empty when some may. What it reads and writes is
/// f32, in plain layouts; its epilogue can be emitted.
std::string explainConv(dnn::UnitOp unit, dnn::DeviceAttr device, int64_t laneDim);

/// Layouts of a unit's inputs: `input` for the primitive's first operand, `result` for extra
/// operands of the result's shape.
llvm::SmallVector<dnn::DimsAttr> getInputLayouts(dnn::UnitOp unit, dnn::DimsAttr input,
                                                 dnn::DimsAttr result);

/// True when the primitive's first operand is an extra operand of its epilogue as well.
bool readsInputTwice(dnn::UnitOp unit);

/// The kernel's buffers from `first` to the one before the last: extra operands of the epilogue.
llvm::SmallVector<Buffer> getExtraBuffers(const Emitter &emitter, unsigned first);

/// `filter` with `channelBlock` channels and `filterBlock` filters innermost:
/// [k, c, spatial.., channelBlock c, filterBlock k], or [k, spatial.., c, filterBlock k] when
/// `channelBlock` is 1. What does not fill a block is zero.
mlir::Value packFilter(DispatchBuilder &builder, mlir::Value filter, dnn::DimsAttr dims,
                       int64_t channelBlock, int64_t filterBlock);

/// f32 elements of the device's vectors.
inline int64_t getLanes(dnn::DeviceAttr device) { return device.getVectorBits() / 32; }

/// Integers of a dictionary.
int64_t getInt(mlir::DictionaryAttr parameters, llvm::StringRef name);
mlir::DictionaryAttr makeParameters(mlir::MLIRContext *context,
                                    llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> integers);

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_CONVPROBLEM_H
