//===- Device.cpp - find a device by its name -----------------------------===//
//
// The list of device kinds.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "cpu/CPUDevice.h"

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
  return failure(UDNN_UNSUPPORTED_DEVICE, "expects device 'cpu', got '" + name + "'");
}
