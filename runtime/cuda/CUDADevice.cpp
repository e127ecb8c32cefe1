//===- CUDADevice.cpp - run programs on a GPU -----------------------------===//
//
// Finds a GPU, and compares its compute capability with what programs need.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CUDADevice.h"

#include "CUDAExecutable.h"

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

//===----------------------------------------------------------------------===//
// Architecture
//===----------------------------------------------------------------------===//

bool Architecture::parse(const std::string &name, Architecture &out_architecture) {
  if (name.compare(0, 3, "sm_") != 0)
    return false;
  size_t end = name.find_first_not_of("0123456789", 3);
  std::string digits = name.substr(3, end == std::string::npos ? end : end - 3);
  if (digits.size() < 2 || digits.size() > 4)
    return false;
  out_architecture = {std::stoi(digits), 0};
  if (end == std::string::npos)
    return true;
  out_architecture.suffix = name[end];
  return end + 1 == name.size() && (name[end] == 'a' || name[end] == 'f');
}

bool Architecture::runsOn(int capability, CodeFormat format) const {
  if (format == CodeFormat::Elf || capability < number)
    return false;
  if (suffix == 'a')
    return capability == number;
  if (suffix == 'f' || format == CodeFormat::Cubin)
    return capability / 10 == number / 10;
  return true;
}

//===----------------------------------------------------------------------===//
// CUDADevice
//===----------------------------------------------------------------------===//

/// The number in "cuda:N"; 0 for "cuda".
static bool parseOrdinal(const std::string &name, int &out_ordinal) {
  static const std::string prefix = "cuda:";
  out_ordinal = 0;
  if (name == "cuda")
    return true;
  std::string digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return false;
  out_ordinal = std::stoi(digits);
  return true;
}

Result CUDADevice::open(const std::string &name, std::unique_ptr<Device> &out_device) {
  auto opened = std::make_unique<CUDADevice>();
  if (!parseOrdinal(name, opened->ordinal))
    return failure(UDNN_UNSUPPORTED_DEVICE,
                   "expects the number of a GPU after 'cuda:', got '" + name + "'");
  if (Result result = Driver::open(opened->driver); result.failed())
    return failure(result.status, "device '" + name + "': " + result.message);
  if (Result result = opened->query(); result.failed())
    return failure(result.status, "device '" + name + "': " + result.message);
  out_device = std::move(opened);
  return success();
}

Result CUDADevice::query() {
  int count = 0, major = 0, minor = 0;
  if (Result result = driver->check(driver->cuDeviceGetCount(&count), "count the GPUs");
      result.failed())
    return result;
  if (ordinal >= count)
    return failure(UDNN_UNSUPPORTED_DEVICE, count == 0   ? "the NVIDIA driver finds no GPU"
                                            : count == 1 ? "there is 1 GPU, 'cuda:0'"
                                                         : "there are " + std::to_string(count) +
                                                               " GPUs, 'cuda:0' to 'cuda:" +
                                                               std::to_string(count - 1) + "'");
  char name[256] = "";
  CUresult code = driver->cuDeviceGet(&device, ordinal);
  if (code == CUDA_SUCCESS)
    code = driver->cuDeviceGetName(name, sizeof(name), device);
  if (code == CUDA_SUCCESS)
    code =
        driver->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (code == CUDA_SUCCESS)
    code =
        driver->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  capability = major * 10 + minor;
  description = std::string(name) + " (cuda:" + std::to_string(ordinal) + ", sm_" +
                std::to_string(capability) + ")";
  return driver->check(code, "read the GPU's properties");
}

Result CUDADevice::canRun(const Artifact &artifact, const Program &program, int &out_fit) const {
  Architecture architecture;
  if (!Architecture::parse(program.device.arch, architecture))
    return failure(UDNN_INVALID_ARTIFACT,
                   "expects an architecture such as 'sm_90', got '" + program.device.arch + "'");
  // Later architectures first, and among equals those that promise more.
  out_fit = architecture.number * 2 + (architecture.suffix != 0);
  bool runs = program.codes.empty() && architecture.runsOn(capability, CodeFormat::Ptx);
  std::string formats;
  for (uint32_t index : program.codes) {
    CodeFormat format = artifact.codes[index].format;
    runs |= architecture.runsOn(capability, format);
    formats += (formats.empty() ? "" : ", ") + std::string(getCodeFormatName(format));
  }
  if (runs)
    return success();
  return failure(UDNN_UNSUPPORTED_DEVICE, "artifact is for another GPU: its code for '" +
                                              program.device.arch + "' (" + formats +
                                              ") does not run on " + description);
}

Result CUDADevice::load(const Reader &reader, const Program &program,
                        std::shared_ptr<Executable> &out_executable) {
  std::shared_ptr<PrimaryContext> context;
  if (Result result = PrimaryContext::retain(driver, device, context); result.failed())
    return result;
  Architecture architecture;
  Architecture::parse(program.device.arch, architecture);
  std::vector<uint32_t> codes;
  for (uint32_t index : program.codes)
    if (architecture.runsOn(capability, reader.getArtifact().codes[index].format))
      codes.push_back(index);
  auto executable =
      std::make_shared<CUDAExecutable>(reader, program, std::move(context), description);
  if (Result result = executable->load(codes); result.failed())
    return result;
  out_executable = std::move(executable);
  return success();
}
