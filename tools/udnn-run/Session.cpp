//===- Session.cpp - one model in use -------------------------------------===//
//
// Chooses a program, fills its inputs, runs it.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::run;

Status run::getLastError() { return Status::failure(udnn_last_error()); }

HostTensor run::makeTensor(const udnn_tensor_info &info) {
  HostTensor tensor;
  tensor.name = info.name;
  tensor.type = ElementType(info.type);
  tensor.shape.assign(info.shape, info.shape + info.rank);
  return tensor;
}

static double getMedian(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  size_t half = numbers.size() / 2;
  return numbers.size() % 2 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

double Timing::getMin() const { return *std::min_element(runMs.begin(), runMs.end()); }
double Timing::getMedian() const { return ::getMedian(runMs); }

Session::~Session() {
  udnn_context_destroy(context);
  udnn_model_destroy(model);
}

Status Session::load(const std::string &path) {
  return udnn_model_load_file(path.c_str(), &model) ? getLastError() : Status::success();
}

udnn_program_info Session::getProgramInfo() const {
  udnn_program_info info = {};
  udnn_model_get_program(model, program, &info);
  return info;
}

/// The kinds of devices that the model has programs for.
static std::set<std::string> getDeviceKinds(const udnn_model *model) {
  std::set<std::string> kinds;
  udnn_model_info info = {};
  udnn_model_get_info(model, &info);
  for (size_t i = 0; i < info.num_programs; ++i) {
    udnn_program_info program = {};
    udnn_model_get_program(model, i, &program);
    kinds.insert(program.device_kind);
  }
  return kinds;
}

/// Refuses a device of a known kind that the model has no code for: its driver does not matter.
static Status checkDeviceKind(const std::set<std::string> &kinds, const std::string &device) {
  std::string kind = device.substr(0, device.find(':'));
  if (kinds.count(kind) || (kind != "cpu" && kind != "cuda"))
    return Status::success();
  std::string held;
  for (const std::string &name : kinds)
    held += (held.empty() ? "" : ", ") + name;
  std::string target = kind == "cuda" ? "cuda:sm_80 or the like" : kind;
  return Status::failure("the artifact holds code for " + (held.empty() ? "no device" : held) +
                         ", none for '" + device + "': compile it with --target=" + target);
}

Status Session::prepare(const Options &options) {
  std::set<std::string> kinds = getDeviceKinds(model);
  device = !options.device.empty() ? options.device : kinds.count("cpu") ? "cpu" : "cuda:0";
  if (Status status = checkDeviceKind(kinds, device); status.failed())
    return status;
  const char *entry = options.entry.empty() ? nullptr : options.entry.c_str();
  if (udnn_model_find_program(model, entry, device.c_str(), &program))
    return getLastError();
  if (udnn_context_create(model, program, device.c_str(), options.threads, &context))
    return getLastError();
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Inputs and expected outputs
//===----------------------------------------------------------------------===//

Status Session::bind(const Options &options) {
  udnn_program_info info = getProgramInfo();
  for (size_t i = 0; i < info.num_inputs; ++i) {
    udnn_tensor_info tensor = {};
    udnn_model_get_input(model, program, i, &tensor);
    inputs.push_back(makeTensor(tensor));
  }
  for (size_t i = 0; i < info.num_outputs; ++i) {
    udnn_tensor_info tensor = {};
    udnn_model_get_output(model, program, i, &tensor);
    outputs.push_back(makeTensor(tensor));
    expected.push_back(makeTensor(tensor));
  }
  if (Status status = readInputs(options); status.failed())
    return status;
  if (Status status = readExpected(options); status.failed())
    return status;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].data &&
        udnn_context_bind_input(context, i, inputs[i].data.get(), inputs[i].bytes))
      return getLastError();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (Status status = allocate(outputs[i]); status.failed())
      return status;
    // What a kernel forgets to write shows as NaN.
    memset(outputs[i].data.get(), 0xff, outputs[i].bytes);
    if (udnn_context_bind_output(context, i, outputs[i].data.get(), outputs[i].bytes))
      return getLastError();
  }
  return Status::success();
}

/// Takes over a tensor that was read if it has the type and shape that the model says.
Status Session::setTensor(bool isInput, size_t index, HostTensor tensor, const std::string &from) {
  HostTensor &target = (isInput ? inputs : expected)[index];
  if (tensor.type != target.type || tensor.shape != target.shape)
    return Status::failure((isInput ? "input '" : "output '") + target.name + "': expects " +
                           target.getTypeText() + ", got " + tensor.getTypeText() + " from '" +
                           from + "'");
  tensor.name = target.name;
  target = std::move(tensor);
  return Status::success();
}

/// Reads `input_*.pb` or `output_*.pb`: by the name inside where the model knows it, else by the
/// number.
Status Session::readTestData(const std::string &folder, bool areInputs) {
  std::vector<HostTensor> &tensors = areInputs ? inputs : expected, read;
  std::string prefix = areInputs ? "input" : "output";
  if (Status status = run::readTestData(folder, prefix, read); status.failed())
    return status;
  if (read.empty() && !tensors.empty())
    return Status::failure("'" + folder + "' holds no " + prefix + "_0.pb");
  for (size_t i = 0; i < read.size(); ++i) {
    std::string path = folder + "/" + prefix + "_" + std::to_string(i) + ".pb";
    auto named = std::find_if(tensors.begin(), tensors.end(),
                              [&](const HostTensor &t) { return t.name == read[i].name; });
    size_t index = named == tensors.end() ? i : named - tensors.begin();
    if (index >= tensors.size())
      return Status::failure("'" + path + "': the model has " + std::to_string(tensors.size()) +
                             " " + prefix + "s, and none is named '" + read[i].name + "'");
    if (Status status = setTensor(areInputs, index, std::move(read[i]), path); status.failed())
      return status;
  }
  return Status::success();
}

/// Fills an input by "random:SEED" or from a file.
static Status readInput(const NamedValue &option, HostTensor &tensor, const HostTensor &wanted) {
  static const std::string random = "random:";
  if (option.value.compare(0, random.size(), random) != 0)
    return readTensor(option.value, tensor);
  std::string seed = option.value.substr(random.size());
  errno = 0;
  uint64_t number = strtoull(seed.c_str(), nullptr, 10);
  if (seed.empty() || seed.find_first_not_of("0123456789") != std::string::npos || errno != 0)
    return Status::failure("option '--input': expects a number as seed, got '" + option.value +
                           "'");
  tensor.type = wanted.type;
  tensor.shape = wanted.shape;
  if (Status status = allocate(tensor); status.failed())
    return status;
  fillRandom(tensor, number);
  return Status::success();
}

Status Session::readInputs(const Options &options) {
  if (!options.testData.empty())
    if (Status status = readTestData(options.testData, /*areInputs=*/true); status.failed())
      return status;
  for (const NamedValue &option : options.inputs) {
    size_t index;
    if (udnn_model_find_input(model, program, option.name.c_str(), &index))
      return getLastError();
    HostTensor tensor;
    if (Status status = readInput(option, tensor, inputs[index]); status.failed())
      return status;
    if (Status status = setTensor(true, index, std::move(tensor), option.value); status.failed())
      return status;
  }
  return fillMissingInputs();
}

/// Inputs that nobody gave are random, each by its own seed; frozen ones have their value already.
Status Session::fillMissingInputs() {
  for (size_t i = 0; i < inputs.size(); ++i) {
    udnn_tensor_info info = {};
    udnn_model_get_input(model, program, i, &info);
    if (inputs[i].data || info.frozen)
      continue;
    if (Status status = allocate(inputs[i]); status.failed())
      return status;
    fillRandom(inputs[i], i);
  }
  return Status::success();
}

Status Session::readExpected(const Options &options) {
  if (!options.testData.empty())
    if (Status status = readTestData(options.testData, /*areInputs=*/false); status.failed())
      return status;
  for (const NamedValue &option : options.expected) {
    size_t index;
    if (udnn_model_find_output(model, program, option.name.c_str(), &index))
      return getLastError();
    HostTensor tensor;
    if (Status status = readTensor(option.value, tensor); status.failed())
      return status;
    if (Status status = setTensor(false, index, std::move(tensor), option.value); status.failed())
      return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status Session::run(const Options &options, Timing &out_timing) {
  size_t launches = getProgramInfo().num_launches;
  bool profiled = options.profile != Profile::None;
  for (uint32_t i = 0; i < options.warmup.value_or(options.iterations > 1 ? 1 : 0); ++i)
    if (udnn_context_run(context))
      return getLastError();
  std::vector<std::vector<double>> perLaunch(profiled ? launches : 0);
  std::vector<int64_t> ns(launches + 1);
  for (uint32_t i = 0; i < options.iterations; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (profiled ? udnn_context_run_profiled(context, launches, ns.data())
                 : udnn_context_run(context))
      return getLastError();
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    out_timing.runMs.push_back(time.count());
    for (size_t j = 0; j < perLaunch.size(); ++j)
      perLaunch[j].push_back(ns[j] / 1e6);
  }
  for (std::vector<double> &times : perLaunch)
    out_timing.launchMs.push_back(::getMedian(std::move(times)));
  return Status::success();
}

Status Session::writeOutputs(const std::string &folder) const {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status::failure("cannot make folder '" + folder + "': " + error.message());
  for (size_t i = 0; i < outputs.size(); ++i)
    if (Status status = writeNpy(folder + "/output_" + std::to_string(i) + ".npy", outputs[i]);
        status.failed())
      return status;
  return Status::success();
}
