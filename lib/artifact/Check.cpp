//===- Check.cpp - consistency of an artifact -----------------------------===//
//
// What loader and devices rely on: ranges, indices and names. Nothing after this checks them again.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Artifact/Artifact.h"

#include <set>

using namespace udnn;
using namespace udnn::artifact;

/// True when `offset + size` overflows or lies beyond `limit`.
static bool isOutside(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset > limit || size > limit - offset;
}

static std::string formatRange(uint64_t offset, uint64_t size, uint64_t limit) {
  return std::to_string(size) + " bytes at offset " + std::to_string(offset) + " do not fit into " +
         std::to_string(limit) + " bytes";
}

static Status checkSegments(const Artifact &artifact, uint64_t fileBytes) {
  uint64_t end = 0;
  for (size_t i = 0; i < artifact.segments.size(); ++i) {
    const Segment &segment = artifact.segments[i];
    std::string where = "segment " + std::to_string(i) + ": ";
    if (segment.offset == 0 || segment.offset % kSegmentAlignment != 0)
      return Status::failure(where + "expects an offset that is a positive multiple of " +
                             std::to_string(kSegmentAlignment) + ", got " +
                             std::to_string(segment.offset));
    if (segment.offset < end)
      return Status::failure(where + "overlaps the segment before it");
    if (isOutside(segment.offset, segment.size, fileBytes))
      return Status::failure(where + formatRange(segment.offset, segment.size, fileBytes));
    end = segment.offset + segment.size;
  }
  return Status::success();
}

static Status checkConstants(const Artifact &artifact) {
  for (size_t i = 0; i < artifact.constants.size(); ++i) {
    const Constant &constant = artifact.constants[i];
    std::string where = "constant " + std::to_string(i) + ": ";
    if (constant.segment >= artifact.segments.size())
      return Status::failure(where + "expects one of " + std::to_string(artifact.segments.size()) +
                             " segments, got number " + std::to_string(constant.segment));
    if (constant.offset % kConstantAlignment != 0)
      return Status::failure(where + "expects an offset that is a multiple of " +
                             std::to_string(kConstantAlignment) + ", got " +
                             std::to_string(constant.offset));
    uint64_t limit = artifact.segments[constant.segment].size;
    if (isOutside(constant.offset, constant.size, limit))
      return Status::failure(where + formatRange(constant.offset, constant.size, limit));
  }
  return Status::success();
}

static Status checkCodes(const Artifact &artifact) {
  for (size_t i = 0; i < artifact.codes.size(); ++i) {
    const Code &code = artifact.codes[i];
    std::string where = "code " + std::to_string(i) + ": ";
    if (code.format > CodeFormat::Ptx)
      return Status::failure(where + "unknown format " + std::to_string(int(code.format)));
    if (code.segment >= artifact.segments.size())
      return Status::failure(where + "expects one of " + std::to_string(artifact.segments.size()) +
                             " segments, got number " + std::to_string(code.segment));
  }
  return Status::success();
}

static Status checkTensor(const Artifact &artifact, const Program &program, const Tensor &tensor,
                          bool isInput) {
  std::string where = std::string(isInput ? "input '" : "output '") + tensor.name + "': ";
  if (getElementSize(tensor.type) == 0)
    return Status::failure(where + "unknown element type " + std::to_string(int(tensor.type)));
  uint64_t bytes;
  if (!getTensorBytes(tensor.type, tensor.shape, bytes))
    return Status::failure(where + "shape " + formatShape(tensor.shape) +
                           " has a negative or too large dimension");
  if (tensor.aliasedInput != -1)
    return Status::failure(where + "aliasing is not supported by this version");
  if (tensor.frozenConstant == -1)
    return Status::success();
  if (!isInput)
    return Status::failure(where + "an output cannot be frozen");
  if (tensor.frozenConstant < 0 || size_t(tensor.frozenConstant) >= artifact.constants.size())
    return Status::failure(where + "expects one of " + std::to_string(artifact.constants.size()) +
                           " constants as frozen value, got number " +
                           std::to_string(tensor.frozenConstant));
  uint64_t frozenBytes = artifact.constants[tensor.frozenConstant].size;
  if (frozenBytes != bytes)
    return Status::failure(where + "expects " + std::to_string(bytes) +
                           " bytes of frozen value, got " + std::to_string(frozenBytes));
  return Status::success();
}

static Status checkTensors(const Artifact &artifact, const Program &program,
                           const std::vector<Tensor> &tensors, bool areInputs) {
  std::set<std::string> names;
  for (const Tensor &tensor : tensors) {
    if (Status status = checkTensor(artifact, program, tensor, areInputs); status.failed())
      return status;
    if (!names.insert(tensor.name).second)
      return Status::failure(std::string("two ") + (areInputs ? "inputs" : "outputs") +
                             " are named '" + tensor.name + "'");
  }
  return Status::success();
}

/// Number of entries of a space, and the bytes of the entry `index`.
static Status getSpaceLimit(const Artifact &artifact, const Program &program,
                            const Argument &argument, uint64_t &out_limit) {
  size_t count = 1;
  auto tensorBytes = [&](const std::vector<Tensor> &tensors) {
    count = tensors.size();
    if (argument.index < count)
      getTensorBytes(tensors[argument.index].type, tensors[argument.index].shape, out_limit);
  };
  switch (argument.space) {
  case Space::Arena:
    out_limit = program.arenaBytes;
    break;
  case Space::Worker:
    out_limit = program.workerBytes;
    break;
  case Space::Constant:
    count = artifact.constants.size();
    if (argument.index < count)
      out_limit = artifact.constants[argument.index].size;
    break;
  case Space::Input:
    tensorBytes(program.inputs);
    break;
  case Space::Output:
    tensorBytes(program.outputs);
    break;
  default:
    return Status::failure("unknown memory space " + std::to_string(int(argument.space)));
  }
  if (argument.index >= count)
    return Status::failure("expects an index below " + std::to_string(count) + ", got " +
                           std::to_string(argument.index));
  return Status::success();
}

static Status checkArgument(const Artifact &artifact, const Program &program,
                            const Argument &argument) {
  switch (argument.kind) {
  case Argument::Kind::Integer:
    return Status::success();
  case Argument::Kind::Buffer:
    break;
  case Argument::Kind::TensorMap:
    return Status::failure("tensor maps are not supported by this version");
  default:
    return Status::failure("unknown kind " + std::to_string(int(argument.kind)));
  }
  uint64_t limit = 0;
  if (Status status = getSpaceLimit(artifact, program, argument, limit); status.failed())
    return status;
  if (isOutside(argument.offset, argument.size, limit))
    return Status::failure(formatRange(argument.offset, argument.size, limit));
  return Status::success();
}

static Status checkLaunch(const Artifact &artifact, const Program &program, size_t index,
                          const std::set<std::string> &symbols) {
  const Launch &launch = program.launches[index];
  std::string where = "launch " + std::to_string(index) + " ('" + launch.layer + "'): ";
  if (symbols.count(launch.kernel) == 0)
    return Status::failure(where + "no code of the program defines kernel '" + launch.kernel + "'");
  for (int64_t size : launch.grid)
    if (size < 0)
      return Status::failure(where + "expects a grid without negative sizes, got " +
                             formatShape({launch.grid.begin(), launch.grid.end()}));
  for (int64_t size : launch.block)
    if (size < 1)
      return Status::failure(where + "expects a block of positive sizes, got " +
                             formatShape({launch.block.begin(), launch.block.end()}));
  if (program.device.kind == "cpu" && (launch.grid[1] != 1 || launch.grid[2] != 1))
    return Status::failure(where + "expects a grid of one dimension, got " +
                           formatShape({launch.grid.begin(), launch.grid.end()}));
  for (uint32_t dependency : launch.dependencies)
    if (dependency >= index)
      return Status::failure(where + "depends on launch " + std::to_string(dependency) +
                             ", which does not come before it");
  for (size_t i = 0; i < launch.arguments.size(); ++i)
    if (Status status = checkArgument(artifact, program, launch.arguments[i]); status.failed())
      return Status::failure(where + "argument " + std::to_string(i) + ": " + status.message());
  return Status::success();
}

static Status checkProgram(const Artifact &artifact, const Program &program) {
  if (program.device.kind != "cpu" && program.device.kind != "cuda")
    return Status::failure("expects device kind 'cpu' or 'cuda', got '" + program.device.kind +
                           "'");
  if (Status status = checkTensors(artifact, program, program.inputs, true); status.failed())
    return status;
  if (Status status = checkTensors(artifact, program, program.outputs, false); status.failed())
    return status;
  std::set<std::string> symbols;
  for (uint32_t code : program.codes) {
    if (code >= artifact.codes.size())
      return Status::failure("expects one of " + std::to_string(artifact.codes.size()) +
                             " code blobs, got number " + std::to_string(code));
    symbols.insert(artifact.codes[code].symbols.begin(), artifact.codes[code].symbols.end());
  }
  for (size_t i = 0; i < program.launches.size(); ++i)
    if (Status status = checkLaunch(artifact, program, i, symbols); status.failed())
      return status;
  return Status::success();
}

Status artifact::check(const Artifact &artifact, uint64_t fileBytes) {
  if (Status status = checkSegments(artifact, fileBytes); status.failed())
    return status;
  if (Status status = checkConstants(artifact); status.failed())
    return status;
  if (Status status = checkCodes(artifact); status.failed())
    return status;
  if (artifact.programs.empty())
    return Status::failure("artifact holds no program");
  for (size_t i = 0; i < artifact.programs.size(); ++i)
    if (Status status = checkProgram(artifact, artifact.programs[i]); status.failed())
      return Status::failure("program " + std::to_string(i) + ": " + status.message());
  return Status::success();
}
