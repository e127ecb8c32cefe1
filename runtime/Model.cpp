//===- Model.cpp - models of the C API -----------------------------------===//
//
// Loads artifacts, and answers what is in them. No exception leaves these functions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

std::set<uint32_t> udnn::runtime::getConstants(const Program &program) {
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

Result udnn::runtime::checkDevice(const runtime::Device &device, const Artifact &artifact,
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

udnn_status udnn::runtime::checkProgram(const udnn_model *model, size_t program) {
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

/// The inputs or the outputs of a program.
using TensorsOfProgram = std::vector<Tensor> Program::*;

static udnn_status getTensor(const char *function, const udnn_model *model, size_t program,
                             TensorsOfProgram tensors, const char *what, size_t index,
                             udnn_tensor_info *out_info) try {
  if (!model || !out_info)
    return reportNull(function);
  if (udnn_status status = checkProgram(model, program))
    return status;
  const Model &m = *model->model;
  const std::vector<Tensor> &all = m.artifact().programs[program].*tensors;
  if (index >= all.size())
    return reportIndex(what, index, all.size());
  const Tensor &tensor = all[index];
  uint64_t bytes = 0;
  getTensorBytes(tensor.type, tensor.shape, bytes);
  const void *frozen =
      tensor.frozenConstant < 0 ? nullptr : m.reader.getConstantData(tensor.frozenConstant);
  *out_info = {tensor.name.c_str(),
               int32_t(tensor.type),
               getElementTypeName(tensor.type),
               tensor.shape.size(),
               tensor.shape.data(),
               bytes,
               frozen};
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_model_get_input(const udnn_model *model, size_t program, size_t input,
                                 udnn_tensor_info *out_info) {
  return getTensor(__func__, model, program, &Program::inputs, "an input", input, out_info);
}

udnn_status udnn_model_get_output(const udnn_model *model, size_t program, size_t output,
                                  udnn_tensor_info *out_info) {
  return getTensor(__func__, model, program, &Program::outputs, "an output", output, out_info);
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

static udnn_status findTensor(const char *function, const udnn_model *model, size_t program,
                              TensorsOfProgram tensors, const char *what, const char *name,
                              size_t *out_index) try {
  if (!model || !name || !out_index)
    return reportNull(function);
  if (udnn_status status = checkProgram(model, program))
    return status;
  const std::vector<Tensor> &all = model->model->artifact().programs[program].*tensors;
  std::string names;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) {
      *out_index = i;
      return UDNN_OK;
    }
    names += (i ? ", '" : "'") + all[i].name + "'";
  }
  return reportInvalid(std::string("no ") + what + " is named '" + name + "'; there are " +
                       (names.empty() ? "none" : names));
} catch (const std::exception &exception) {
  return reportException(exception);
}

udnn_status udnn_model_find_input(const udnn_model *model, size_t program, const char *name,
                                  size_t *out_input) {
  return findTensor(__func__, model, program, &Program::inputs, "input", name, out_input);
}

udnn_status udnn_model_find_output(const udnn_model *model, size_t program, const char *name,
                                   size_t *out_output) {
  return findTensor(__func__, model, program, &Program::outputs, "output", name, out_output);
}
