//===- Window.h - positions of sliding windows -------------------*- C++ -*-===//
//
// How often a window of a convolution or a pooling fits.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_SUPPORT_WINDOW_H
#define UDNN_SUPPORT_WINDOW_H

#include <cstdint>

namespace udnn {

/// Strides, dilations, pads and sizes of windows are at most this, so that sums and products of two
/// of them do not overflow.
inline constexpr int64_t kMaxWindowSize = int64_t(1) << 30;

/// Positions of a window of `size` elements, `dilation` apart, that moves by `stride` within
/// `padded` elements: 0 when the window is larger. With `ceil`, one that sticks out at the end by
/// less than `stride` counts, even where it is the only one. All but `padded` are from 1 to
/// `kMaxWindowSize`.
inline int64_t countWindows(int64_t padded, int64_t size, int64_t dilation, int64_t stride,
                            bool ceil = false) {
  int64_t span = padded - ((size - 1) * dilation + 1);
  if (span < 0)
    return ceil && span > -stride ? 1 : 0;
  return span / stride + (ceil && span % stride ? 1 : 0) + 1;
}

} // namespace udnn

#endif // UDNN_SUPPORT_WINDOW_H
