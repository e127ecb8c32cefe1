//===- udnn.cpp - the C API -----------------------------------------------===//
//
// Models and contexts behind handles, checks of what the caller passes, and error messages. No
// exception leaves these functions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <set>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

namespace {
/// A loaded artifact and what was made from it so far.
struct Model {
  /// Copy of an artifact in memory that was not aligned.
  std::unique_ptr<void, decltype(&free)> copy{nullptr, free};
  Reader reader;
  uint64_t constantBytes = 0, codeBytes = 0;
  /// Per program: C strings of the features, bytes of the constants in use.
  std::vector<std::vector<const char *>> features;
  std::vector<uint64_t> programConstantBytes;

  /// Guards what follows.
  std::mutex mutex;
  std::set<uint32_t> verifiedSegments;
  std::map<std::pair<size_t, std::string>, std::shared_ptr<Executable>> executables;

  const Artifact &artifact() const { return reader.getArtifact(); }
};
} // namespace

struct udnn_model {
  std::shared_ptr<Model> model;
};

struct udnn_context {
  std::shared_ptr<Model> model;
  const Program *program;
  std::shared_ptr<Executable> executable;
  std::unique_ptr<Executor> executor;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static thread_local std::string lastError;

static udnn_status report(Result result) {
  if (result.failed())
    lastError = std::move(result.message);
  return result.status;
}

static udnn_status reportInvalid(std::string message) {
  return report(failure(UDNN_INVALID_ARGUMENT, std::move(message)));
}

static udnn_status reportNull(const char *function) {
  return reportInvalid(std::string(function) + ": a pointer is null");
}

static udnn_status reportIndex(const char *what, size_t index, size_t count) {
  return reportInvalid(std::string("expects ") + what + " number below " + std::to_string(count) +
                       ", got " + std::to_string(index));
}

/// What the standard library throws when the system refuses memory or a lock. Nothing of it may
/// reach the caller, which may be C.
static udnn_status reportException(const std::exception &exception) {
  // Short enough for a string that allocates nothing.
  lastError = "out of memory";
  if (dynamic_cast<const std::bad_alloc *>(&exception))
    return UDNN_OUT_OF_MEMORY;
  try {
    lastError = exception.what();
  } catch (const std::bad_alloc &) {
  }
  return UDNN_OUT_OF_MEMORY;
}

const char *udnn_last_error(void) { return lastError.c_str(); }

udnn_status udnn_version(const char **out_version, uint32_t *out_format_version,
                         uint32_t *out_abi_version) try {
  if (!out_version || !out_format_version || !out_abi_version)
    return reportNull(__func__);
  *out_version = UDNN_VERSION;
  *out_format_version = kFormatVersion;
  *out_abi_version = kAbiVersion;
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Constants that a program reads.
static std::set<uint32_t> getConstants(const Program &program) {
  std::set<uint32_t> constants;
  for (const Tensor &input : program.inputs)
    if (input.frozenConstant >= 0)
      constants.insert(input.frozenConstant);
  for (const Launch &launch : program.launches)
    for (const Argument &argument : launch.arguments)
      if (argument.kind == Argument::Kind::Buffer && argument.space == Space::Constant)
        constants.insert(argument.index);
  return constants;
}

/// Computes what the queries return, and makes the handle.
static udnn_status finishLoading(std::shared_ptr<Model> model, udnn_model **out_model) {
  const Artifact &artifact = model->artifact();
  for (const Constant &constant : artifact.constants)
    model->constantBytes += constant.size;
  for (const Code &code : artifact.codes)
    model->codeBytes += artifact.segments[code.segment].size;
  for (const Program &program : artifact.programs) {
    model->features.emplace_back();
    for (const std::string &feature : program.device.features)
      model->features.back().push_back(feature.c_str());
    uint64_t bytes = 0;
    for (uint32_t constant : getConstants(program))
      bytes += artifact.constants[constant].size;
    model->programConstantBytes.push_back(bytes);
  }
  *out_model = new udnn_model{std::move(model)};
  return UDNN_OK;
}

udnn_status udnn_model_load_file(const char *path, udnn_model **out_model) try {
  if (!path || !out_model)
    return reportNull(__func__);
  auto model = std::make_shared<Model>();
  if (Status status = model->reader.openFile(path); status.failed())
    return report(failure(UDNN_INVALID_ARTIFACT, status.message()));
  return finishLoading(std::move(model), out_model);
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_model_load_memory(const void *data, size_t size, udnn_model **out_model) try {
  if (!data || !out_model)
    return reportNull(__func__);
  auto model = std::make_shared<Model>();
  if (reinterpret_cast<uintptr_t>(data) % kConstantAlignment != 0) {
    void *copy = nullptr;
    if (posix_memalign(&copy, kConstantAlignment, size) != 0)
      return report(failure(UDNN_OUT_OF_MEMORY,
                            "cannot copy an artifact of " + std::to_string(size) + " bytes"));
    memcpy(copy, data, size);
    model->copy.reset(copy);
    data = copy;
  }
  if (Status status = model->reader.openMemory(data, size); status.failed())
    return report(failure(UDNN_INVALID_ARTIFACT, status.message()));
  return finishLoading(std::move(model), out_model);
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_model_destroy(udnn_model *model) {
  delete model;
  return UDNN_OK;
}

udnn_status udnn_model_get_info(const udnn_model *model, udnn_model_info *out_info) try {
  if (!model || !out_info)
    return reportNull(__func__);
  const Model &m = *model->model;
  *out_info = {m.artifact().producer.c_str(),
               m.reader.getFileBytes(),
               m.constantBytes,
               m.codeBytes,
               kFormatVersion,
               kAbiVersion,
               m.artifact().programs.size()};
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

/// Says whether a program runs on a device, and how well it suits it.
static Result checkDevice(const runtime::Device &device, const Artifact &artifact,
                          const Program &program, int &out_fit) {
  if (program.device.kind != device.getKind())
    return failure(UDNN_UNSUPPORTED_DEVICE, "program is for device '" + program.device.kind +
                                                "', not for '" + device.getKind() + "'");
  return device.canRun(artifact, program, out_fit);
}

udnn_status udnn_model_find_program(const udnn_model *model, const char *entry, const char *device,
                                    size_t *out_program) try {
  if (!model || !device || !out_program)
    return reportNull(__func__);
  std::unique_ptr<runtime::Device> opened;
  if (Result result = openDevice(device, opened); result.failed())
    return report(result);
  Result reason =
      failure(UDNN_INVALID_ARGUMENT, entry ? std::string("artifact has no entry '") + entry + "'"
                                           : std::string("artifact holds no program"));
  const Artifact &artifact = model->model->artifact();
  bool found = false, sameKind = false;
  int bestFit = 0;
  for (size_t i = 0; i < artifact.programs.size(); ++i) {
    const Program &program = artifact.programs[i];
    if (entry && program.entry != entry)
      continue;
    int fit = 0;
    Result result = checkDevice(*opened, artifact, program, fit);
    if (result.failed()) {
      // What keeps a program of the right kind from running tells more than another kind does.
      if (!sameKind)
        reason = std::move(result);
      sameKind |= program.device.kind == opened->getKind();
    } else if (!found || fit > bestFit) {
      *out_program = i;
      found = true;
      bestFit = fit;
    }
  }
  return found ? UDNN_OK : report(reason);
} catch (const std::exception &exception) {
  return reportException(exception);
}

/// Reports an error unless `program` is one of the model's.
static udnn_status checkProgram(const udnn_model *model, size_t program) {
  size_t count = model->model->artifact().programs.size();
  return program < count ? UDNN_OK : reportIndex("a program", program, count);
}

udnn_status udnn_model_get_program(const udnn_model *model, size_t program,
                                   udnn_program_info *out_info) try {
  if (!model || !out_info)
    return reportNull(__func__);
  if (udnn_status status = checkProgram(model, program))
    return status;
  const Model &m = *model->model;
  const Program &p = m.artifact().programs[program];
  *out_info = {p.entry.c_str(),
               p.device.kind.c_str(),
               p.device.arch.c_str(),
               m.features[program].data(),
               m.features[program].size(),
               p.arenaBytes,
               p.workerBytes,
               p.liveBytes,
               m.programConstantBytes[program],
               p.inputs.size(),
               p.outputs.size(),
               p.launches.size(),
               p.codes.empty() ? "none"
                               : getCodeFormatName(m.artifact().codes[p.codes.front()].format)};
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

static udnn_status getTensor(const Model &model, const std::vector<Tensor> &tensors,
                             const char *what, size_t index, udnn_tensor_info *out_info) {
  if (index >= tensors.size())
    return reportIndex(what, index, tensors.size());
  const Tensor &tensor = tensors[index];
  uint64_t bytes = 0;
  getTensorBytes(tensor.type, tensor.shape, bytes);
  const void *frozen =
      tensor.frozenConstant < 0 ? nullptr : model.reader.getConstantData(tensor.frozenConstant);
  *out_info = {tensor.name.c_str(),
               int32_t(tensor.type),
               getElementTypeName(tensor.type),
               tensor.shape.size(),
               tensor.shape.data(),
               bytes,
               frozen};
  return UDNN_OK;
}

udnn_status udnn_model_get_input(const udnn_model *model, size_t program, size_t input,
                                 udnn_tensor_info *out_info) try {
  if (!model || !out_info)
    return reportNull(__func__);
  if (udnn_status status = checkProgram(model, program))
    return status;
  const Model &m = *model->model;
  return getTensor(m, m.artifact().programs[program].inputs, "an input", input, out_info);
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_model_get_output(const udnn_model *model, size_t program, size_t output,
                                  udnn_tensor_info *out_info) try {
  if (!model || !out_info)
    return reportNull(__func__);
  if (udnn_status status = checkProgram(model, program))
    return status;
  const Model &m = *model->model;
  return getTensor(m, m.artifact().programs[program].outputs, "an output", output, out_info);
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_model_get_launch(const udnn_model *model, size_t program, size_t launch,
                                  udnn_launch_info *out_info) try {
  if (!model || !out_info)
    return reportNull(__func__);
  if (udnn_status status = checkProgram(model, program))
    return status;
  const std::vector<Launch> &launches = model->model->artifact().programs[program].launches;
  if (launch >= launches.size())
    return reportIndex("a launch", launch, launches.size());
  const Launch &l = launches[launch];
  *out_info = {l.layer.c_str(),
               l.family.c_str(),
               l.kernel.c_str(),
               {l.grid[0], l.grid[1], l.grid[2]},
               {l.block[0], l.block[1], l.block[2]},
               l.sharedBytes,
               l.queue,
               l.arguments.size()};
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

static udnn_status findTensor(const std::vector<Tensor> &tensors, const char *what,
                              const char *name, size_t *out_index) {
  std::string names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) {
      *out_index = i;
      return UDNN_OK;
    }
    names += (i ? ", '" : "'") + tensors[i].name + "'";
  }
  return reportInvalid(std::string("no ") + what + " is named '" + name + "'; there are " +
                       (names.empty() ? "none" : names));
}

udnn_status udnn_model_find_input(const udnn_model *model, size_t program, const char *name,
                                  size_t *out_input) try {
  if (!model || !name || !out_input)
    return reportNull(__func__);
  if (udnn_status status = checkProgram(model, program))
    return status;
  return findTensor(model->model->artifact().programs[program].inputs, "input", name, out_input);
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_model_find_output(const udnn_model *model, size_t program, const char *name,
                                   size_t *out_output) try {
  if (!model || !name || !out_output)
    return reportNull(__func__);
  if (udnn_status status = checkProgram(model, program))
    return status;
  return findTensor(model->model->artifact().programs[program].outputs, "output", name, out_output);
} catch (const std::exception &exception) {
  return reportException(exception);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

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
