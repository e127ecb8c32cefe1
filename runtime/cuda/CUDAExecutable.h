//===- CUDAExecutable.h - code and constants on a GPU ------------*- C++ -*-===//
//
// What the contexts of one program share: the kernels, and one copy of the constants.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CUDA_CUDAEXECUTABLE_H
#define UDNN_RUNTIME_CUDA_CUDAEXECUTABLE_H

#include "Memory.h"

#include <map>

namespace udnn::runtime {

class CUDAExecutable : public Executable {
public:
  CUDAExecutable(const artifact::Reader &reader, const artifact::Program &program,
                 std::shared_ptr<PrimaryContext> context, std::string description)
      : reader(reader), program(program), context(std::move(context)),
        description(std::move(description)), constants(*this->context) {}
  ~CUDAExecutable() override;

  /// Loads those of `codes` that hold kernels of the program, and uploads its constants.
  Result load(const std::vector<uint32_t> &codes);

  Result createExecutor(uint32_t threads, std::unique_ptr<Executor> &out_executor) override;

  const artifact::Program &getProgram() const { return program; }
  const PrimaryContext &getContext() const { return *context; }
  const std::string &getDescription() const { return description; }
  /// The kernel of a launch.
  CUfunction getFunction(size_t launch) const { return functions[launch]; }
  CUdeviceptr getConstant(uint32_t constant) const {
    return constants.get() + constantOffsets.at(constant);
  }

private:
  Result lookupKernels(const std::vector<uint32_t> &codes);
  Result lookupKernel(const std::vector<uint32_t> &codes, const artifact::Launch &launch,
                      CUfunction &out_function);
  Result loadModule(uint32_t code, CUmodule &out_module);
  Result checkParameters(const artifact::Launch &launch, CUfunction function) const;
  Result allowSharedMemory(const artifact::Launch &launch, CUfunction function) const;
  Result uploadConstants();

  const artifact::Reader &reader;
  const artifact::Program &program;
  std::shared_ptr<PrimaryContext> context;
  std::string description;
  /// By number of the code.
  std::map<uint32_t, CUmodule> modules;
  /// One per launch.
  std::vector<CUfunction> functions;
  DeviceMemory constants;
  std::map<uint32_t, uint64_t> constantOffsets;
};

/// "launch 3 ('conv1', kernel 'k0')".
std::string describeLaunch(const artifact::Program &program, size_t launch);

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CUDA_CUDAEXECUTABLE_H
