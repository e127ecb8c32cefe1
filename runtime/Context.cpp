//===- Context.cpp - contexts of the C API -------------------------------===//
//
// Verifies and loads programs, checks the memory that the caller binds, and runs. No exception
// leaves these functions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

/// Compares the digests of all segments that a program uses, each once per model.
static Result verifySegments(Model &model, const Program &program) {
  const Artifact &artifact = model.artifact();
  std::set<uint32_t> segments;
  for (uint32_t constant : getConstants(program))
    segments.insert(artifact.constants[constant].segment);
  for (uint32_t code : program.codes)
    segments.insert(artifact.codes[code].segment);
  for (uint32_t segment : segments) {
    if (model.verifiedSegments.count(segment))
      continue;
    if (Status status = model.reader.verifySegment(segment); status.failed())
      return failure(UDNN_INVALID_ARTIFACT, status.message());
    model.verifiedSegments.insert(segment);
  }
  return success();
}

/// Verifies and loads a program, or returns what was loaded before.
static Result getExecutable(Model &model, size_t program, const std::string &device,
                            std::shared_ptr<Executable> &out_executable) {
  std::unique_ptr<runtime::Device> opened;
  if (Result result = openDevice(device, opened); result.failed())
    return result;
  std::lock_guard<std::mutex> lock(model.mutex);
  std::shared_ptr<Executable> &executable = model.executables[{program, opened->getName()}];
  if (!executable) {
    const Program &p = model.artifact().programs[program];
    int fit;
    if (Result result = checkDevice(*opened, model.artifact(), p, fit); result.failed())
      return result;
    if (Result result = verifySegments(model, p); result.failed())
      return result;
    if (Result result = opened->load(model.reader, p, executable); result.failed())
      return result;
  }
  out_executable = executable;
  return success();
}

/// Gives every frozen input its value, until the user binds memory of his own.
static Result bindFrozenInputs(udnn_context &context) {
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    int32_t constant = context.program->inputs[i].frozenConstant;
    if (constant < 0)
      continue;
    context.inputs[i] = context.model->reader.getConstantData(constant);
    if (Result result = context.executor->bindInput(i, context.inputs[i]); result.failed())
      return result;
  }
  return success();
}

udnn_status udnn_context_create(udnn_model *model, size_t program, const char *device,
                                uint32_t threads, udnn_context **out_context) try {
  if (!model || !device || !out_context)
    return reportNull(__func__);
  if (udnn_status status = checkProgram(model, program))
    return status;
  auto context = std::make_unique<udnn_context>();
  context->model = model->model;
  context->program = &model->model->artifact().programs[program];
  if (Result result = getExecutable(*context->model, program, device, context->executable);
      result.failed())
    return report(result);
  if (Result result = context->executable->createExecutor(threads, context->executor);
      result.failed())
    return report(result);
  context->inputs.resize(context->program->inputs.size());
  context->outputs.resize(context->program->outputs.size());
  if (Result result = bindFrozenInputs(*context); result.failed())
    return report(result);
  *out_context = context.release();
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_context_destroy(udnn_context *context) {
  delete context;
  return UDNN_OK;
}

/// Reports an error unless `size` bytes at `data` can hold the tensor.
static udnn_status checkMemory(const Tensor &tensor, const char *what, const void *data,
                               size_t size) {
  std::string name = std::string(what) + " '" + tensor.name + "'";
  uint64_t bytes = 0;
  getTensorBytes(tensor.type, tensor.shape, bytes);
  if (size != bytes)
    return reportInvalid(name + ": expects " + std::to_string(bytes) + " bytes (" +
                         getElementTypeName(tensor.type) + " " + formatShape(tensor.shape) +
                         "), got " + std::to_string(size));
  if (!data && bytes != 0)
    return reportInvalid(name + ": the memory to bind is null");
  uint64_t elementBytes = getElementSize(tensor.type);
  if (reinterpret_cast<uintptr_t>(data) % elementBytes != 0)
    return reportInvalid(name + ": expects memory aligned to " + std::to_string(elementBytes) +
                         " bytes");
  return UDNN_OK;
}

/// The address to bind for `data`: an empty tensor has none of its own, and null means not bound.
static void *getAddress(const void *data) {
  alignas(kConstantAlignment) static uint8_t nothing;
  return data ? const_cast<void *>(data) : &nothing;
}

udnn_status udnn_context_bind_input(udnn_context *context, size_t input, const void *data,
                                    size_t size) try {
  if (!context)
    return reportNull(__func__);
  if (input >= context->inputs.size())
    return reportIndex("an input", input, context->inputs.size());
  if (udnn_status status = checkMemory(context->program->inputs[input], "input", data, size))
    return status;
  data = getAddress(data);
  if (Result result = context->executor->bindInput(input, data); result.failed())
    return report(result);
  context->inputs[input] = data;
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_context_bind_output(udnn_context *context, size_t output, void *data,
                                     size_t size) try {
  if (!context)
    return reportNull(__func__);
  if (output >= context->outputs.size())
    return reportIndex("an output", output, context->outputs.size());
  if (udnn_status status = checkMemory(context->program->outputs[output], "output", data, size))
    return status;
  data = getAddress(data);
  if (Result result = context->executor->bindOutput(output, data); result.failed())
    return report(result);
  context->outputs[output] = data;
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

/// Everything is bound, and frozen inputs hold their value.
static Result checkBindings(const udnn_context &context) {
  const Program &program = *context.program;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const Tensor &input = program.inputs[i];
    if (!context.inputs[i])
      return failure(UDNN_NOT_BOUND, "input '" + input.name + "' is not bound");
    if (input.frozenConstant < 0)
      continue;
    const void *frozen = context.model->reader.getConstantData(input.frozenConstant);
    uint64_t bytes = context.model->artifact().constants[input.frozenConstant].size;
    if (frozen != context.inputs[i] && memcmp(frozen, context.inputs[i], bytes) != 0)
      return failure(UDNN_FROZEN_INPUT_DIFFERS,
                     "input '" + input.name +
                         "' was frozen when the model was compiled; it holds another value now");
  }
  for (size_t i = 0; i < context.outputs.size(); ++i)
    if (!context.outputs[i])
      return failure(UDNN_NOT_BOUND, "output '" + program.outputs[i].name + "' is not bound");
  return success();
}

udnn_status udnn_context_run(udnn_context *context) try {
  if (!context)
    return reportNull(__func__);
  if (Result result = checkBindings(*context); result.failed())
    return report(result);
  return report(context->executor->run(nullptr));
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_context_run_profiled(udnn_context *context, size_t num_launches,
                                      int64_t *out_launch_ns) try {
  if (!context || !out_launch_ns)
    return reportNull(__func__);
  size_t count = context->program->launches.size();
  if (num_launches != count)
    return reportInvalid("expects room for the times of " + std::to_string(count) +
                         " launches, got " + std::to_string(num_launches));
  if (Result result = checkBindings(*context); result.failed())
    return report(result);
  return report(context->executor->run(out_launch_ns));
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_context_get_threads(const udnn_context *context, uint32_t *out_threads) try {
  if (!context || !out_threads)
    return reportNull(__func__);
  *out_threads = context->executor->getThreads();
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_context_get_device(const udnn_context *context, const char **out_device) try {
  if (!context || !out_device)
    return reportNull(__func__);
  *out_device = context->executor->getDescription();
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}
