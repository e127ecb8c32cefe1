//===- CUDAExecutor.cpp - memory and stream of one context ----------------===//
//
// Resolves every argument ahead of time and records all copies and launches in a CUDA graph, so
// that a run is one launch of the graph.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CUDAExecutor.h"

#include <cmath>
#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

Result CUDAExecutor::create(const CUDAExecutable &executable,
                            std::unique_ptr<Executor> &out_executor) {
  CurrentContext current(executable.getContext());
  if (Result result = current.check(); result.failed())
    return result;
  std::unique_ptr<CUDAExecutor> executor(new CUDAExecutor(executable));
  if (Result result = executor->allocate(); result.failed())
    return result;
  if (Result result = executor->resolve(); result.failed())
    return result;
  if (Result result = executor->createEvents(); result.failed())
    return result;
  out_executor = std::move(executor);
  return success();
}

CUDAExecutor::~CUDAExecutor() {
  CurrentContext current(executable.getContext());
  destroyGraph();
  for (CUevent event : events)
    driver.cuEventDestroy(event);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result CUDAExecutor::allocate() {
  Layout device, host;
  device.add(program.arenaBytes);
  std::vector<uint64_t> deviceOffsets, hostOffsets;
  auto place = [&](const std::vector<Tensor> &tensors, std::vector<Port> &ports) {
    for (const Tensor &tensor : tensors) {
      ports.emplace_back();
      getTensorBytes(tensor.type, tensor.shape, ports.back().bytes);
      deviceOffsets.push_back(device.add(ports.back().bytes));
      hostOffsets.push_back(host.add(ports.back().bytes));
    }
  };
  place(program.inputs, inputs);
  place(program.outputs, outputs);
  uint64_t workerOffset = device.add(program.workerBytes);
  std::string what = "a context (arena " + std::to_string(program.arenaBytes) + ", scratch " +
                     std::to_string(program.workerBytes) + ", the rest inputs and outputs)";
  if (Result result = memory.allocate(device.getBytes(), what); result.failed())
    return result;
  if (Result result = pinned.allocate(host.getBytes()); result.failed())
    return result;
  workerMemory = memory.get() + workerOffset;
  size_t number = 0;
  for (std::vector<Port> *ports : {&inputs, &outputs}) {
    for (Port &port : *ports) {
      port.ownMemory = port.address = memory.get() + deviceOffsets[number];
      // There is no pinned memory when all tensors are empty.
      if (pinned.get())
        port.staging = pinned.get() + hostOffsets[number];
      ++number;
    }
  }
  return stream.create();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Result CUDAExecutor::resolve() {
  for (size_t i = 0; i < program.launches.size(); ++i)
    if (Result result = resolveLaunch(i); result.failed())
      return result;
  for (uint64_t &value : values)
    pointers.push_back(&value);
  size_t start = 0;
  for (size_t i = 0; i < work.size(); ++i) {
    work[i].arguments = pointers.data() + start;
    start += program.launches[i].arguments.size();
  }
  return success();
}

Result CUDAExecutor::resolveLaunch(size_t index) {
  const Launch &launch = program.launches[index];
  Work item = {executable.getFunction(index), {}, {}, unsigned(launch.sharedBytes), nullptr};
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] > INT32_MAX || launch.block[i] > INT32_MAX)
      return failure(UDNN_INVALID_ARTIFACT, describeLaunch(program, index) +
                                                ": expects a grid and block below 2^31, got " +
                                                formatShape({launch.grid[i]}) + " and " +
                                                formatShape({launch.block[i]}));
    item.grid[i] = unsigned(launch.grid[i]);
    item.block[i] = unsigned(launch.block[i]);
  }
  for (const Argument &argument : launch.arguments)
    values.push_back(resolveArgument(argument));
  work.push_back(item);
  return success();
}

/// The 64 bits that a kernel gets. Takes note of those that depend on what is bound.
uint64_t CUDAExecutor::resolveArgument(const Argument &argument) {
  if (argument.kind == Argument::Kind::Integer)
    return uint64_t(argument.value);
  switch (argument.space) {
  case Space::Arena:
    return memory.get() + argument.offset;
  case Space::Constant:
    return executable.getConstant(argument.index) + argument.offset;
  case Space::Worker:
    return workerMemory + argument.offset;
  case Space::Input:
  case Space::Output:
    break;
  }
  Port &port = (argument.space == Space::Input ? inputs : outputs)[argument.index];
  port.bindings.push_back({values.size(), argument.offset});
  return port.address + argument.offset;
}

Result CUDAExecutor::createEvents() {
  for (size_t i = 0; i <= work.size(); ++i) {
    events.push_back(nullptr);
    CUresult code = driver.cuEventCreate(&events.back(), CU_EVENT_DEFAULT);
    if (code == CUDA_SUCCESS)
      continue;
    events.pop_back();
    return driver.check(code, "create an event");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

Result CUDAExecutor::bindInput(size_t input, const void *data) {
  return bind(inputs[input], program.inputs[input], "input", data);
}

Result CUDAExecutor::bindOutput(size_t output, void *data) {
  return bind(outputs[output], program.outputs[output], "output", data);
}

Result CUDAExecutor::bind(Port &port, const Tensor &tensor, const char *what, const void *data) {
  CurrentContext current(executable.getContext());
  if (Result result = current.check(); result.failed())
    return result;
  CUdeviceptr address = 0;
  Result result = findDeviceMemory(data, address);
  if (!result.failed() && address && tensor.frozenConstant >= 0)
    result = failure(UDNN_INVALID_ARGUMENT,
                     "expects host memory, because the value was frozen and is compared");
  if (result.failed())
    return failure(result.status, std::string(what) + " '" + tensor.name + "': " + result.message);
  port.host = address ? nullptr : static_cast<uint8_t *>(const_cast<void *>(data));
  setAddress(port, address ? address : port.ownMemory);
  return success();
}

/// The address of device memory, 0 for host memory.
Result CUDAExecutor::findDeviceMemory(const void *data, CUdeviceptr &out_address) const {
  CUdeviceptr address = reinterpret_cast<uintptr_t>(data);
  unsigned type = 0;
  int ordinal = 0;
  int attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&type, &ordinal};
  CUresult code = driver.cuPointerGetAttributes(2, attributes, values, address);
  if (code != CUDA_SUCCESS)
    return driver.check(code, "tell what kind of memory it is");
  // Ordinary host memory, which the driver does not know, has no type.
  if (type != CU_MEMORYTYPE_DEVICE)
    return success();
  if (ordinal != executable.getContext().getDevice())
    return failure(UDNN_INVALID_ARGUMENT, "expects memory of the host or of GPU " +
                                              std::to_string(executable.getContext().getDevice()) +
                                              ", got memory of GPU " + std::to_string(ordinal));
  out_address = address;
  return success();
}

void CUDAExecutor::setAddress(Port &port, CUdeviceptr address) {
  if (address == port.address)
    return;
  port.address = address;
  for (const Binding &binding : port.bindings)
    values[binding.position] = address + binding.offset;
  // The graph holds the old address.
  destroyGraph();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Result CUDAExecutor::run(int64_t *out_launchNs) {
  CurrentContext current(executable.getContext());
  Result result = current.check();
  if (!result.failed() && !out_launchNs)
    result = updateGraph();
  if (result.failed())
    return result;
  for (const Port &port : inputs)
    if (port.isCopied())
      memcpy(port.staging, port.host, port.bytes);
  if (out_launchNs)
    result = enqueue(/*timed=*/true);
  else if (graph)
    result = driver.check(driver.cuGraphLaunch(graph, stream.get()), "launch the graph");
  // What was queued before a failure must be over before its memory is used again.
  Result finished = driver.check(driver.cuStreamSynchronize(stream.get()),
                                 "finish the run: a kernel or a copy failed");
  if (result.failed() || finished.failed())
    return result.failed() ? result : finished;
  for (const Port &port : outputs)
    if (port.isCopied())
      memcpy(port.host, port.staging, port.bytes);
  return out_launchNs ? readTimes(out_launchNs) : success();
}

/// Queues the copies from the host, all launches in their order, and the copies to the host.
Result CUDAExecutor::enqueue(bool timed) {
  CUresult code = CUDA_SUCCESS;
  for (const Port &port : inputs)
    if (port.isCopied() && code == CUDA_SUCCESS)
      code = driver.cuMemcpyHtoDAsync(port.address, port.staging, port.bytes, stream.get());
  if (code != CUDA_SUCCESS)
    return driver.check(code, "copy the inputs to the device");
  if (timed)
    code = driver.cuEventRecord(events[0], stream.get());
  for (size_t i = 0; i < work.size() && code == CUDA_SUCCESS; ++i) {
    if (Result result = enqueueLaunch(i); result.failed())
      return result;
    if (timed)
      code = driver.cuEventRecord(events[i + 1], stream.get());
  }
  if (code != CUDA_SUCCESS)
    return driver.check(code, "record an event");
  for (const Port &port : outputs)
    if (port.isCopied() && code == CUDA_SUCCESS)
      code = driver.cuMemcpyDtoHAsync(port.staging, port.address, port.bytes, stream.get());
  return driver.check(code, "copy the outputs to the host");
}

Result CUDAExecutor::enqueueLaunch(size_t launch) {
  const Work &item = work[launch];
  if (item.isEmpty())
    return success();
  CUresult code = driver.cuLaunchKernel(item.function, item.grid[0], item.grid[1], item.grid[2],
                                        item.block[0], item.block[1], item.block[2],
                                        item.sharedBytes, stream.get(), item.arguments, nullptr);
  if (code == CUDA_SUCCESS)
    return success();
  const Launch &l = program.launches[launch];
  Result result = driver.check(code, "launch it");
  result.message = describeLaunch(program, launch) + ", grid " +
                   formatShape({l.grid.begin(), l.grid.end()}) + ", block " +
                   formatShape({l.block.begin(), l.block.end()}) + ", shared memory " +
                   std::to_string(l.sharedBytes) + " bytes: " + result.message;
  return result;
}

/// The time of an empty launch is 0, of any other that from the end of the one before.
Result CUDAExecutor::readTimes(int64_t *out_launchNs) const {
  for (size_t i = 0; i < work.size(); ++i) {
    float ms = 0;
    if (!work[i].isEmpty())
      if (Result result = driver.check(driver.cuEventElapsedTime(&ms, events[i], events[i + 1]),
                                       "read the time of a launch");
          result.failed())
        return result;
    out_launchNs[i] = std::llround(double(ms) * 1e6);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

/// Whether a run neither copies nor launches anything.
bool CUDAExecutor::isIdle() const {
  for (const std::vector<Port> *ports : {&inputs, &outputs})
    for (const Port &port : *ports)
      if (port.isCopied())
        return false;
  for (const Work &item : work)
    if (!item.isEmpty())
      return false;
  return true;
}

/// Records a run as a graph unless there is one that holds.
Result CUDAExecutor::updateGraph() {
  if (graph || isIdle())
    return success();
  // Neither this thread nor others are kept from other calls meanwhile: nothing below is unsafe.
  CUresult code = driver.cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_RELAXED);
  if (code != CUDA_SUCCESS)
    return driver.check(code, "begin to capture a graph");
  Result result = enqueue(/*timed=*/false);
  CUgraph captured = nullptr;
  code = driver.cuStreamEndCapture(stream.get(), &captured);
  if (!result.failed())
    result = driver.check(code, "capture a graph");
  if (!result.failed())
    result = driver.check(driver.cuGraphInstantiateWithFlags(&graph, captured, /*flags=*/0),
                          "instantiate the graph");
  if (result.failed())
    graph = nullptr;
  if (captured)
    driver.cuGraphDestroy(captured);
  return result;
}

void CUDAExecutor::destroyGraph() {
  if (graph)
    driver.cuGraphExecDestroy(graph);
  graph = nullptr;
}
