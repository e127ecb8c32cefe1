//===- CUDADevice.h - run programs on a GPU ----------------------*- C++ -*-===//
//
// One GPU by its number: which programs run on it, and loading them.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CUDA_CUDADEVICE_H
#define UDNN_RUNTIME_CUDA_CUDADEVICE_H

#include "Driver.h"

namespace udnn::runtime {

/// "sm_90a": a compute capability times ten, and what its suffix promises.
struct Architecture {
  int number = 0;
  /// 'a': this architecture only; 'f': its family only; 0: this and later ones.
  char suffix = 0;

  /// False for a name that is no architecture.
  static bool parse(const std::string &name, Architecture &out_architecture);

  /// Whether code runs on a GPU of capability `number`: PTX on later ones too, machine code only
  /// within the same major number.
  bool runsOn(int capability, artifact::CodeFormat format) const;
};

class CUDADevice : public Device {
public:
  /// Opens "cuda" or "cuda:N".
  static Result open(const std::string &name, std::unique_ptr<Device> &out_device);

  const char *getKind() const override { return "cuda"; }
  std::string getName() const override { return "cuda:" + std::to_string(ordinal); }
  Result canRun(const artifact::Artifact &artifact, const artifact::Program &program,
                int &out_fit) const override;
  Result load(const artifact::Reader &reader, const artifact::Program &program,
              std::shared_ptr<Executable> &out_executable) override;

private:
  Result query();

  std::shared_ptr<const Driver> driver;
  /// Number of the GPU, and the driver's handle of it.
  int ordinal = 0;
  CUdevice device = 0;
  /// Compute capability times ten.
  int capability = 0;
  /// "NVIDIA H200 (cuda:0, sm_90)".
  std::string description;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CUDA_CUDADEVICE_H
