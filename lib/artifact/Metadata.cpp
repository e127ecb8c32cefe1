//===- Metadata.cpp - structs to FlatBuffers and back ---------------------===//
//
// The only file that sees FlatBuffers.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Header.h"

#include "Artifact_generated.h"

#include <cstring>

using namespace udnn;
using namespace udnn::artifact;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

template <typename T>
using OffsetVector = Offset<Vector<Offset<T>>>;

/// Encodes every element by `encode` and returns the vector of the results.
template <typename To, typename From, typename Encode>
static OffsetVector<To> encodeAll(FlatBufferBuilder &builder, const std::vector<From> &elements,
                                  Encode encode) {
  std::vector<Offset<To>> offsets;
  offsets.reserve(elements.size());
  for (const From &element : elements)
    offsets.push_back(encode(builder, element));
  return builder.CreateVector(offsets);
}

static Offset<flatbuffers::String> encodeString(FlatBufferBuilder &builder,
                                                const std::string &text) {
  return builder.CreateSharedString(text);
}

static OffsetVector<flatbuffers::String> encodeStrings(FlatBufferBuilder &builder,
                                                       const std::vector<std::string> &texts) {
  return encodeAll<flatbuffers::String>(builder, texts, encodeString);
}

static Offset<fb::Tensor> encodeTensor(FlatBufferBuilder &builder, const Tensor &tensor) {
  auto name = encodeString(builder, tensor.name);
  auto shape = builder.CreateVector(tensor.shape);
  return fb::CreateTensor(builder, name, uint8_t(tensor.type), shape, tensor.frozenConstant,
                          tensor.aliasedInput);
}

static Offset<fb::Argument> encodeArgument(FlatBufferBuilder &builder, const Argument &argument) {
  return fb::CreateArgument(builder, uint8_t(argument.kind), uint8_t(argument.space),
                            argument.index, argument.offset, argument.size, argument.value);
}

static fb::Dim3 encodeDim3(const std::array<int64_t, 3> &dims) {
  return fb::Dim3(dims[0], dims[1], dims[2]);
}

static Offset<fb::Launch> encodeLaunch(FlatBufferBuilder &builder, const Launch &launch) {
  auto kernel = encodeString(builder, launch.kernel);
  auto layer = encodeString(builder, launch.layer);
  auto family = encodeString(builder, launch.family);
  auto dependencies = builder.CreateVector(launch.dependencies);
  auto arguments = encodeAll<fb::Argument>(builder, launch.arguments, encodeArgument);
  fb::Dim3 grid = encodeDim3(launch.grid), block = encodeDim3(launch.block);
  return fb::CreateLaunch(builder, kernel, layer, family, &grid, &block, launch.sharedBytes,
                          launch.queue, dependencies, arguments);
}

static Offset<fb::Device> encodeDevice(FlatBufferBuilder &builder, const Device &device) {
  auto kind = encodeString(builder, device.kind);
  auto arch = encodeString(builder, device.arch);
  return fb::CreateDevice(builder, kind, arch, encodeStrings(builder, device.features));
}

static Offset<fb::Program> encodeProgram(FlatBufferBuilder &builder, const Program &program) {
  auto entry = encodeString(builder, program.entry);
  auto device = encodeDevice(builder, program.device);
  auto inputs = encodeAll<fb::Tensor>(builder, program.inputs, encodeTensor);
  auto outputs = encodeAll<fb::Tensor>(builder, program.outputs, encodeTensor);
  auto launches = encodeAll<fb::Launch>(builder, program.launches, encodeLaunch);
  auto codes = builder.CreateVector(program.codes);
  return fb::CreateProgram(builder, entry, device, program.arenaBytes, program.liveBytes,
                           program.workerBytes, inputs, outputs, launches, codes);
}

std::vector<uint8_t> artifact::encodeMetadata(const Artifact &artifact) {
  FlatBufferBuilder builder;
  auto producer = encodeString(builder, artifact.producer);
  auto segments = encodeAll<fb::Segment>(
      builder, artifact.segments, [](FlatBufferBuilder &builder, const Segment &segment) {
        return fb::CreateSegment(builder, segment.offset, segment.size, segment.digest);
      });
  auto constants = encodeAll<fb::Constant>(
      builder, artifact.constants, [](FlatBufferBuilder &builder, const Constant &constant) {
        return fb::CreateConstant(builder, constant.segment, constant.offset, constant.size);
      });
  auto codes = encodeAll<fb::Code>(
      builder, artifact.codes, [](FlatBufferBuilder &builder, const Code &code) {
        auto symbols = encodeStrings(builder, code.symbols);
        return fb::CreateCode(builder, uint8_t(code.format), code.segment, symbols);
      });
  auto programs = encodeAll<fb::Program>(builder, artifact.programs, encodeProgram);
  fb::FinishArtifactBuffer(
      builder, fb::CreateArtifact(builder, producer, segments, constants, codes, programs));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

//===----------------------------------------------------------------------===//
// Decoding: every field may be absent
//===----------------------------------------------------------------------===//

static std::string decodeString(const flatbuffers::String *text) {
  return text ? text->str() : std::string();
}

/// Copies bytes: the verifier does not check that a vector of 64-bit numbers is aligned to them.
template <typename T>
static std::vector<T> decodeNumbers(const Vector<T> *numbers) {
  std::vector<T> result(numbers ? numbers->size() : 0);
  if (!result.empty())
    memcpy(result.data(), numbers->Data(), result.size() * sizeof(T));
  return result;
}

/// Decodes every element by `decode(const From &)`.
template <typename From, typename Decode>
static auto decodeAll(const Vector<Offset<From>> *elements, Decode decode) {
  std::vector<decltype(decode(std::declval<const From &>()))> results;
  if (!elements)
    return results;
  results.reserve(elements->size());
  for (const From *element : *elements)
    results.push_back(decode(*element));
  return results;
}

static std::vector<std::string> decodeStrings(const Vector<Offset<flatbuffers::String>> *texts) {
  return decodeAll(texts, [](const flatbuffers::String &text) { return text.str(); });
}

static Tensor decodeTensor(const fb::Tensor &tensor) {
  return {decodeString(tensor.name()), ElementType(tensor.type()), decodeNumbers(tensor.shape()),
          tensor.frozen_constant(), tensor.aliased_input()};
}

static Argument decodeArgument(const fb::Argument &argument) {
  return {Argument::Kind(argument.kind()),
          Space(argument.space()),
          argument.index(),
          argument.offset(),
          argument.size(),
          argument.value()};
}

static std::array<int64_t, 3> decodeDim3(const fb::Dim3 *dims) {
  if (!dims)
    return {1, 1, 1};
  return {dims->x(), dims->y(), dims->z()};
}

static Launch decodeLaunch(const fb::Launch &launch) {
  Launch result;
  result.kernel = decodeString(launch.kernel());
  result.layer = decodeString(launch.layer());
  result.family = decodeString(launch.family());
  result.grid = decodeDim3(launch.grid());
  result.block = decodeDim3(launch.block());
  result.sharedBytes = launch.shared_bytes();
  result.queue = launch.queue();
  result.dependencies = decodeNumbers(launch.dependencies());
  result.arguments = decodeAll(launch.arguments(), decodeArgument);
  return result;
}

static Program decodeProgram(const fb::Program &program) {
  Program result;
  result.entry = decodeString(program.entry());
  if (const fb::Device *device = program.device())
    result.device = {decodeString(device->kind()), decodeString(device->arch()),
                     decodeStrings(device->features())};
  result.arenaBytes = program.arena_bytes();
  result.liveBytes = program.live_bytes();
  result.workerBytes = program.worker_bytes();
  result.inputs = decodeAll(program.inputs(), decodeTensor);
  result.outputs = decodeAll(program.outputs(), decodeTensor);
  result.launches = decodeAll(program.launches(), decodeLaunch);
  result.codes = decodeNumbers(program.codes());
  return result;
}

/// Names the reserved feature that `artifact` uses, or returns null.
static const char *findReservedFeature(const fb::Artifact &artifact) {
  if (!artifact.programs())
    return nullptr;
  for (const fb::Program *program : *artifact.programs()) {
    if (program->variables() && program->variables()->size() != 0)
      return "variables";
    if (program->init_launches() && program->init_launches()->size() != 0)
      return "an init program";
  }
  return nullptr;
}

Status artifact::decodeMetadata(const void *data, uint64_t size, Artifact &out_artifact) {
  if (size >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return Status::failure("metadata is larger than 2 GiB");
  flatbuffers::Verifier verifier(static_cast<const uint8_t *>(data), size, /*max_depth=*/16,
                                 /*max_tables=*/1 << 26);
  // A buffer shorter than a root offset and an identifier must not be looked into.
  if (size < 8 || !fb::VerifyArtifactBuffer(verifier))
    return Status::failure("metadata is not well-formed");
  const fb::Artifact &artifact = *fb::GetArtifact(data);
  if (const char *feature = findReservedFeature(artifact))
    return Status::failure(std::string("artifact uses ") + feature +
                           ", which this version does not support");
  out_artifact.producer = decodeString(artifact.producer());
  out_artifact.segments = decodeAll(artifact.segments(), [](const fb::Segment &segment) {
    return Segment{segment.offset(), segment.size(), segment.digest()};
  });
  out_artifact.constants = decodeAll(artifact.constants(), [](const fb::Constant &constant) {
    return Constant{constant.segment(), constant.offset(), constant.size()};
  });
  out_artifact.codes = decodeAll(artifact.codes(), [](const fb::Code &code) {
    return Code{CodeFormat(code.format()), code.segment(), decodeStrings(code.symbols())};
  });
  out_artifact.programs = decodeAll(artifact.programs(), decodeProgram);
  return Status::success();
}
