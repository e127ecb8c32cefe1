//===- Memory.h - memory of a GPU --------------------------------*- C++ -*-===//
//
// Owners of device memory, pinned host memory and streams.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CUDA_MEMORY_H
#define UDNN_RUNTIME_CUDA_MEMORY_H

#include "Driver.h"

namespace udnn::runtime {

/// Parts of one allocation, each aligned to 256 bytes.
class Layout {
public:
  /// Returns the offset of `size` more bytes.
  uint64_t add(uint64_t size);
  /// Bytes of all parts; no allocation can hold UINT64_MAX, which stands for an overflow.
  uint64_t getBytes() const { return bytes; }

private:
  uint64_t bytes = 0;
};

/// An allocation on the device. `context` is current during all calls but the constructor, the
/// destructor sees to it itself.
class DeviceMemory {
public:
  explicit DeviceMemory(const PrimaryContext &context) : context(context) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Nothing for 0 bytes. `what` is for the message.
  Result allocate(uint64_t bytes, const std::string &what);
  CUdeviceptr get() const { return address; }

private:
  const PrimaryContext &context;
  CUdeviceptr address = 0;
};

/// Pinned memory on the host, which the device copies by itself. Same rules.
class PinnedMemory {
public:
  explicit PinnedMemory(const PrimaryContext &context) : context(context) {}
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory &) = delete;
  PinnedMemory &operator=(const PinnedMemory &) = delete;

  Result allocate(uint64_t bytes);
  uint8_t *get() const { return data; }

private:
  const PrimaryContext &context;
  uint8_t *data = nullptr;
};

/// A queue of the device that does not wait for the default one. Same rules.
class Stream {
public:
  explicit Stream(const PrimaryContext &context) : context(context) {}
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  Result create();
  CUstream get() const { return stream; }

private:
  const PrimaryContext &context;
  CUstream stream = nullptr;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CUDA_MEMORY_H
