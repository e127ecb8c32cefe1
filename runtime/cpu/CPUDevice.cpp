//===- CPUDevice.cpp - run programs on the CPU ----------------------------===//
//
// Checks features, loads code, and looks up the kernels of a program.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CPUDevice.h"

#include "CPUExecutor.h"
#include "CodeLibrary.h"
#include "Features.h"

#include <sched.h>
#include <unistd.h>

using namespace udnn;
using namespace udnn::runtime;

namespace {
/// Kernels of one program, ready to be called.
class CPUExecutable : public Executable {
public:
  CPUExecutable(const artifact::Reader &reader, const artifact::Program &program)
      : reader(reader), program(program) {}

  Result load();
  Result createExecutor(uint32_t threads, std::unique_ptr<Executor> &out_executor) override;

private:
  Result lookup(const std::string &kernel, KernelFn &out_kernel) const;

  const artifact::Reader &reader;
  const artifact::Program &program;
  std::vector<std::unique_ptr<CodeLibrary>> libraries;
  /// One per launch.
  std::vector<KernelFn> kernels;
};
} // namespace

Result CPUExecutable::load() {
  for (uint32_t index : program.codes) {
    const artifact::Code &code = reader.getArtifact().codes[index];
    if (code.format != artifact::CodeFormat::Elf)
      return failure(UDNN_INVALID_ARTIFACT,
                     std::string("expects code of format 'elf' for the CPU, got '") +
                         artifact::getCodeFormatName(code.format) + "'");
    libraries.push_back(std::make_unique<CodeLibrary>());
    Result result = libraries.back()->load(reader.getSegmentData(code.segment),
                                           reader.getArtifact().segments[code.segment].size);
    if (result.failed())
      return result;
  }
  for (const artifact::Launch &launch : program.launches) {
    KernelFn kernel;
    if (Result result = lookup(launch.kernel, kernel); result.failed())
      return result;
    kernels.push_back(kernel);
  }
  return success();
}

Result CPUExecutable::lookup(const std::string &kernel, KernelFn &out_kernel) const {
  for (const auto &library : libraries) {
    if (void *address = library->lookup(kernel)) {
      out_kernel = reinterpret_cast<KernelFn>(address);
      return success();
    }
  }
  return failure(UDNN_INVALID_ARTIFACT, "code does not define kernel '" + kernel + "'");
}

/// CPUs that this process may use.
static uint32_t getDefaultThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? online : 1;
}

Result CPUExecutable::createExecutor(uint32_t threads, std::unique_ptr<Executor> &out_executor) {
  return CPUExecutor::create(reader, program, kernels, threads ? threads : getDefaultThreads(),
                             out_executor);
}

Result CPUDevice::canRun(const artifact::Artifact &artifact, const artifact::Program &program,
                         int &out_fit) const {
  const artifact::Device &target = program.device;
  out_fit = 0;
  std::string missing;
  for (const std::string &feature : target.features)
    if (!hasCPUFeature(feature))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty())
    return success();
  return failure(UDNN_UNSUPPORTED_DEVICE,
                 "artifact is for another CPU ('" + target.arch +
                     "'): this one does not have the features it needs: " + missing);
}

Result CPUDevice::load(const artifact::Reader &reader, const artifact::Program &program,
                       std::shared_ptr<Executable> &out_executable) {
  auto executable = std::make_shared<CPUExecutable>(reader, program);
  if (Result result = executable->load(); result.failed())
    return result;
  out_executable = std::move(executable);
  return success();
}
