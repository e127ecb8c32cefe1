//===- CUDAExecutable.cpp - code and constants on a GPU -------------------===//
//
// Loads modules (the driver compiles PTX), looks up kernels, uploads constants.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CUDAExecutable.h"

#include "CUDAExecutor.h"

#include <algorithm>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

std::string runtime::describeLaunch(const Program &program, size_t launch) {
  const Launch &l = program.launches[launch];
  return "launch " + std::to_string(launch) + " ('" + l.layer + "', kernel '" + l.kernel + "')";
}

CUDAExecutable::~CUDAExecutable() {
  CurrentContext current(*context);
  for (const auto &[code, module] : modules)
    if (module)
      context->getDriver().cuModuleUnload(module);
}

Result CUDAExecutable::load(const std::vector<uint32_t> &codes) {
  CurrentContext current(*context);
  if (Result result = current.check(); result.failed())
    return result;
  if (Result result = lookupKernels(codes); result.failed())
    return result;
  return uploadConstants();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Result CUDAExecutable::lookupKernels(const std::vector<uint32_t> &codes) {
  std::map<std::string, CUfunction> known;
  for (size_t i = 0; i < program.launches.size(); ++i) {
    const Launch &launch = program.launches[i];
    auto describe = [&](Result result) {
      result.message = describeLaunch(program, i) + ": " + result.message;
      return result;
    };
    CUfunction &function = known[launch.kernel];
    if (!function)
      if (Result result = lookupKernel(codes, launch, function); result.failed())
        return describe(std::move(result));
    if (Result result = checkParameters(launch, function); result.failed())
      return describe(std::move(result));
    if (Result result = allowSharedMemory(launch, function); result.failed())
      return describe(std::move(result));
    functions.push_back(function);
  }
  return success();
}

/// Takes the kernel from the first code that has it; loads that code if nobody did before.
Result CUDAExecutable::lookupKernel(const std::vector<uint32_t> &codes, const Launch &launch,
                                    CUfunction &out_function) {
  for (uint32_t index : codes) {
    const std::vector<std::string> &symbols = reader.getArtifact().codes[index].symbols;
    if (std::find(symbols.begin(), symbols.end(), launch.kernel) == symbols.end())
      continue;
    CUmodule &module = modules[index];
    if (!module)
      if (Result result = loadModule(index, module); result.failed())
        return result;
    const Driver &driver = context->getDriver();
    CUresult code = driver.cuModuleGetFunction(&out_function, module, launch.kernel.c_str());
    return driver.check(code, "find the kernel in the code");
  }
  return failure(UDNN_INVALID_ARTIFACT, "code for this GPU does not define the kernel");
}

Result CUDAExecutable::loadModule(uint32_t index, CUmodule &out_module) {
  const Code &code = reader.getArtifact().codes[index];
  const void *image = reader.getSegmentData(code.segment);
  std::string ptx;
  if (code.format == CodeFormat::Ptx) {
    // The driver wants text to end in a null character.
    ptx.assign(static_cast<const char *>(image), reader.getArtifact().segments[code.segment].size);
    image = ptx.c_str();
  }
  char log[8192] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  const Driver &driver = context->getDriver();
  CUresult status = driver.cuModuleLoadDataEx(&out_module, image, 2, options, values);
  if (status != CUDA_SUCCESS)
    out_module = nullptr;
  std::string what = std::string(code.format == CodeFormat::Ptx ? "compile" : "load") +
                     " the code (" + getCodeFormatName(code.format) + ") for '" +
                     program.device.arch + "' on " + description;
  Result result = driver.check(status, what.c_str());
  std::string text = log;
  text.erase(text.find_last_not_of(" \n\t") + 1);
  if (result.failed() && !text.empty())
    result.message += ": " + text;
  return result;
}

/// Kernels take one 64-bit value per argument. Newer drivers can tell. Nobody asks for a parameter
/// beyond the last one: debuggers report every call that fails.
Result CUDAExecutable::checkParameters(const Launch &launch, CUfunction function) const {
  const Driver &driver = context->getDriver();
  size_t count = launch.arguments.size();
  for (size_t i = 0; i < count && driver.cuFuncGetParamInfo; ++i) {
    size_t offset, bytes;
    CUresult code = driver.cuFuncGetParamInfo(function, i, &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_VALUE)
      return failure(UDNN_INVALID_ARTIFACT, "expects a kernel with " + std::to_string(count) +
                                                " parameters, got " + std::to_string(i));
    if (code != CUDA_SUCCESS)
      return driver.check(code, "read the kernel's parameters");
    if (bytes != sizeof(uint64_t))
      return failure(UDNN_INVALID_ARTIFACT, "expects parameters of 8 bytes, got " +
                                                std::to_string(bytes) + " for parameter " +
                                                std::to_string(i));
  }
  return success();
}

/// Kernels that use much shared memory must say so before they are launched. The question also
/// makes the driver load the kernel now, not in the first run.
Result CUDAExecutable::allowSharedMemory(const Launch &launch, CUfunction function) const {
  if (launch.sharedBytes > INT32_MAX)
    return failure(UDNN_INVALID_ARTIFACT, "expects fewer than 2^31 bytes of shared memory, got " +
                                              std::to_string(launch.sharedBytes));
  const Driver &driver = context->getDriver();
  int allowed = 0;
  CUresult code = driver.cuFuncGetAttribute(
      &allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
  if (code == CUDA_SUCCESS && launch.sharedBytes > uint64_t(allowed))
    code = driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     int(launch.sharedBytes));
  if (code == CUDA_SUCCESS)
    return success();
  std::string what = "use " + std::to_string(launch.sharedBytes) + " bytes of shared memory";
  return driver.check(code, what.c_str());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Result CUDAExecutable::uploadConstants() {
  Layout layout;
  for (const Launch &launch : program.launches)
    for (const Argument &argument : launch.arguments)
      if (argument.kind == Argument::Kind::Buffer && argument.space == Space::Constant &&
          !constantOffsets.count(argument.index))
        constantOffsets[argument.index] =
            layout.add(reader.getArtifact().constants[argument.index].size);
  if (Result result = constants.allocate(layout.getBytes(), "constants"); result.failed())
    return result;
  Stream stream(*context);
  if (Result result = stream.create(); result.failed())
    return result;
  const Driver &driver = context->getDriver();
  for (const auto &[constant, offset] : constantOffsets) {
    uint64_t bytes = reader.getArtifact().constants[constant].size;
    if (bytes == 0)
      continue;
    CUresult code = driver.cuMemcpyHtoDAsync(constants.get() + offset,
                                             reader.getConstantData(constant), bytes, stream.get());
    if (Result result = driver.check(code, "upload the constants"); result.failed())
      return result;
  }
  return driver.check(driver.cuStreamSynchronize(stream.get()), "upload the constants");
}

Result CUDAExecutable::createExecutor(uint32_t threads, std::unique_ptr<Executor> &out_executor) {
  return CUDAExecutor::create(*this, out_executor);
}
