//===- Device.cpp - find a device by its name -----------------------------===//
//
// The list of device kinds.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "cpu/CPUDevice.h"
#include "cuda/CUDADevice.h"

using namespace udnn;
using namespace udnn::runtime;

Executor::~Executor() = default;
Executable::~Executable() = default;
Device::~Device() = default;

Result runtime::openDevice(const std::string &name, std::unique_ptr<Device> &out_device) {
  if (name == "cpu") {
    out_device = std::make_unique<CPUDevice>();
    return success();
  }
  if (name == "cuda" || name.compare(0, 5, "cuda:") == 0)
    return CUDADevice::open(name, out_device);
  return failure(UDNN_UNSUPPORTED_DEVICE,
                 "expects device 'cpu', 'cuda' or 'cuda:N', got '" + name + "'");
}
