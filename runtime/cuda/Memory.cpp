//===- Memory.cpp - memory of a GPU ---------------------------------------===//
//
// Allocates and frees.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

using namespace udnn;
using namespace udnn::runtime;

static constexpr uint64_t kAlignment = 256;

uint64_t Layout::add(uint64_t size) {
  uint64_t offset = bytes;
  if (__builtin_add_overflow(size, kAlignment - 1, &size) ||
      __builtin_add_overflow(bytes, size - size % kAlignment, &bytes))
    bytes = UINT64_MAX;
  return offset;
}

DeviceMemory::~DeviceMemory() {
  if (!address)
    return;
  CurrentContext current(context);
  context.getDriver().cuMemFree(address);
}

Result DeviceMemory::allocate(uint64_t bytes, const std::string &what) {
  if (bytes == 0)
    return success();
  const Driver &driver = context.getDriver();
  CUresult code = driver.cuMemAlloc(&address, bytes);
  if (code == CUDA_SUCCESS)
    return success();
  address = 0;
  std::string text = "allocate " + std::to_string(bytes) + " bytes of device memory for " + what;
  size_t free = 0, total = 0;
  if (driver.cuMemGetInfo(&free, &total) == CUDA_SUCCESS)
    text += "; " + std::to_string(free) + " of " + std::to_string(total) + " bytes are free";
  return driver.check(code, text.c_str());
}

PinnedMemory::~PinnedMemory() {
  if (!data)
    return;
  CurrentContext current(context);
  context.getDriver().cuMemFreeHost(data);
}

Result PinnedMemory::allocate(uint64_t bytes) {
  if (bytes == 0)
    return success();
  void *memory = nullptr;
  CUresult code = context.getDriver().cuMemHostAlloc(&memory, bytes, /*flags=*/0);
  if (code == CUDA_SUCCESS)
    data = static_cast<uint8_t *>(memory);
  std::string text = "allocate " + std::to_string(bytes) +
                     " bytes of pinned host memory to copy inputs and outputs through";
  return context.getDriver().check(code, text.c_str());
}

Stream::~Stream() {
  if (!stream)
    return;
  CurrentContext current(context);
  context.getDriver().cuStreamDestroy(stream);
}

Result Stream::create() {
  CUresult code = context.getDriver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (code != CUDA_SUCCESS)
    stream = nullptr;
  return context.getDriver().check(code, "create a stream");
}
