//===- Windows.h - kernels that slide windows over one channel ---*- C++ -*-===//
//
// The loops that pooling and depthwise convolution share: lanes are channels, a row of output
// columns stays in registers, every input column is loaded once and used by all windows over it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_LIB_KERNELS_CPU_WINDOWS_H
#define UDNN_LIB_KERNELS_CPU_WINDOWS_H

#include "ConvProblem.h"

#include "llvm/Support/MathExtras.h"

namespace udnn::cpu {

/// Sizes of windows over an activation of `n` images and `c` channels.
struct WindowShape {
  int64_t n, c, h, w, oh, ow, r, s;
  int64_t strideH, strideW, padTop, padLeft, padBottom, padRight, dilationH, dilationW;
};

/// Tasks: images x vectors of channels x pieces of `rows` output rows.
struct WindowGrid {
  int64_t vectors, rows, pieces;

  WindowGrid(const WindowShape &shape, int64_t rows, int64_t lanes)
      : vectors(llvm::divideCeilSigned(shape.c, lanes)), rows(rows),
        pieces(llvm::divideCeilSigned(shape.oh, rows)) {}
  int64_t countTasks(const WindowShape &shape) const { return shape.n * vectors * pieces; }
};

/// The largest piece of rows that leaves eight tasks for each core.
int64_t chooseWindowRows(const WindowShape &shape, int64_t lanes, int64_t cores);

/// Where an output element lies, and how many window positions count for it.
struct WindowPlace {
  Index n, cb, h, w;
  /// Window rows [rLo, rHi) inside the input, and columns inside it.
  Index rLo, rHi;
  int64_t columns;
  /// The output column where it is known, else -1 (its window then lies inside the row).
  int64_t staticColumn;
};

/// What a kernel does with the elements of a window.
class WindowBody {
public:
  virtual ~WindowBody() = default;
  virtual mlir::Value getInitial() = 0;
  /// Called before the elements of window row `r` of channel vector `cb`.
  virtual void beginRow(Index cb, Index r) {}
  /// Adds the element in window column `s`.
  virtual mlir::Value combine(mlir::Value sum, mlir::Value element, int64_t s) = 0;
  /// Joins two partial sums.
  virtual mlir::Value join(mlir::Value a, mlir::Value b) = 0;
  /// True when `combine` does not depend on `s`.
  virtual bool isUniform() const { return false; }
  /// The value to store.
  virtual mlir::Value finish(mlir::Value sum, const WindowPlace &place) = 0;
  /// Called before the elements of a register tile are finished.
  virtual void beginTile() {}
};

/// Emits the task of a window kernel; `maxWidth` output columns are held in registers.
void emitWindows(Emitter &emitter, const WindowShape &shape, const WindowGrid &grid,
                 const ActivationView &input, const ActivationView &output, int64_t maxWidth,
                 WindowBody &body);

} // namespace udnn::cpu

#endif // UDNN_LIB_KERNELS_CPU_WINDOWS_H
