//===- FakeCuda.h - a CUDA driver for tests ----------------------*- C++ -*-===//
//
// What tests see of the fake libcuda.so.1: the GPU it pretends to have, and what was done with it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_RUNTIME_FAKECUDA_H
#define UDNN_TEST_RUNTIME_FAKECUDA_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace udnn::test {

/// A kernel that ran.
struct FakeLaunch {
  const char *kernel;
  unsigned grid[3], block[3], sharedBytes;
  /// Addresses and integers.
  uint64_t arguments[8];
};

/// The state of the fake. Device memory is host memory, kernels are functions on it, and everything
/// runs at once; wrong use is written down.
struct FakeCuda {
  /// What the driver pretends; tests may change it before they use a device.
  int initResult = 0;
  int deviceCount = 1;
  /// Compute capability times ten.
  int capability = 90;
  uint64_t memoryBytes = 1 << 30;

  /// What is alive.
  int contexts = 0, modules = 0, memories = 0, pinnedMemories = 0, streams = 0, events = 0,
      graphs = 0, graphExecs = 0;

  /// What happened: bytes copied to the device outside graphs, graphs that were captured and
  /// launched, kernels that ran, and what the driver would not have liked.
  uint64_t uploadedBytes = 0;
  int captures = 0, graphLaunches = 0;
  std::vector<FakeLaunch> launches;
  std::vector<std::string> misuse;

  /// A call is under way: what it allocates is the driver's own.
  std::atomic<bool> busy{false};
};

/// A function of the driver that this process finds; null without a driver.
void *findCudaFunction(const char *name);

template <typename Function>
Function *findCudaFunction(const char *name) {
  return reinterpret_cast<Function *>(findCudaFunction(name));
}

/// Makes the primary context of a GPU current, as a program does that uses the driver itself.
class OwnContext {
public:
  explicit OwnContext(int device);
  ~OwnContext();
  void *get() const { return context; }

private:
  int device;
  void *context = nullptr;
};

/// Memory of the first GPU.
class DeviceArray {
public:
  explicit DeviceArray(size_t bytes);
  ~DeviceArray();
  float *get() const { return reinterpret_cast<float *>(address); }

private:
  OwnContext context{0};
  unsigned long long address = 0;
};

/// The fake's state; null when libcuda.so.1 is not the fake (LD_LIBRARY_PATH decides).
FakeCuda *getFakeCuda();

/// The text that the fake takes for code ("cubin" or "ptx") for an architecture.
std::string getFakeCode(const std::string &format, const std::string &arch);

/// What a program of `writeCudaModel` is compiled for.
struct CudaTarget {
  std::string arch;
  /// "cubin" or "ptx".
  std::string format;
};

/// y = (x + c) * 3 on `kElements` elements, with c[i] = i, as a program per target. Input "x",
/// frozen input "mode" (int64, [7]), output "y"; 3 launches, the second by way of worker memory.
void writeCudaModel(const std::string &path, const std::vector<CudaTarget> &targets);

/// The value of element `i` of "y" for x[i].
float getCudaExpected(float x, int64_t i);

} // namespace udnn::test

#endif // UDNN_TEST_RUNTIME_FAKECUDA_H
