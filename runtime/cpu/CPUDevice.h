//===- CPUDevice.h - run programs on the CPU ---------------------*- C++ -*-===//
//
// The CPU as a device: feature checks and loading of code.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CPU_CPUDEVICE_H
#define UDNN_RUNTIME_CPU_CPUDEVICE_H

#include "../Device.h"

namespace udnn::runtime {

class CPUDevice : public Device {
public:
  const char *getKind() const override { return "cpu"; }
  std::string getName() const override { return "cpu"; }
  Result canRun(const artifact::Artifact &artifact, const artifact::Program &program,
                int &out_fit) const override;
  Result load(const artifact::Reader &reader, const artifact::Program &program,
              std::shared_ptr<Executable> &out_executable) override;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CPU_CPUDEVICE_H
