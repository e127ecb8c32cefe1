//===- Artifact.h - what a model.udnn file holds -----------------*- C++ -*-===//
//
// The contents of an artifact as plain structs: programs of launches, constants, code. The writer
// takes them, the reader returns them, and `check` says whether they are consistent.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_ARTIFACT_ARTIFACT_H
#define UDNN_ARTIFACT_ARTIFACT_H

#include "udnn/Support/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace udnn::artifact {

/// Version of the file's layout. A reader refuses any other.
constexpr uint32_t kFormatVersion = 1;
/// Version of what runtime and compiled code agree on: how kernels are called.
constexpr uint32_t kAbiVersion = 1;
/// Segments start at multiples of this many bytes, constants inside them at multiples of 64.
constexpr uint64_t kSegmentAlignment = 4096;
constexpr uint64_t kConstantAlignment = 64;

/// Element types; the numbers are those of onnx.TensorProto.DataType.
enum class ElementType : uint8_t {
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  BFloat16 = 16,
};

/// Bytes of one element, 0 for a number that is no element type.
uint64_t getElementSize(ElementType type);
/// ONNX's name in lower case, such as "float" or "int64"; "unknown" for any other number.
const char *getElementTypeName(ElementType type);
/// Finds the element type with this name; false when there is none.
bool parseElementType(const std::string &name, ElementType &out_type);
/// Bytes of a tensor; false for a negative dimension, an unknown type, or an overflow.
bool getTensorBytes(ElementType type, const std::vector<int64_t> &shape, uint64_t &out_bytes);
/// "1x3x224x224", or "scalar".
std::string formatShape(const std::vector<int64_t> &shape);

/// What a program was compiled for.
struct Device {
  /// "cpu" or "cuda".
  std::string kind;
  /// LLVM's name of the CPU, or such as "sm_90a".
  std::string arch;
  /// Features that the code needs, in LLVM's names without sign: "avx2", "fma", ...
  std::vector<std::string> features;
};

/// An input or an output that the user binds.
struct Tensor {
  std::string name;
  ElementType type = ElementType::Float;
  std::vector<int64_t> shape;
  /// Constant that holds the only value the input may have, or -1.
  int32_t frozenConstant = -1;
  /// Input whose memory an output shares, or -1 (reserved).
  int32_t aliasedInput = -1;
};

/// Where the bytes of an argument live. The numbers are those of the dialect's `Space`.
enum class Space : uint8_t { Arena = 0, Constant = 1, Input = 2, Output = 3, Worker = 4 };

/// One argument of a launch.
struct Argument {
  enum class Kind : uint8_t {
    /// A pointer to `size` bytes from `offset` in `space`.
    Buffer = 0,
    /// The 64-bit integer `value`.
    Integer = 1,
    /// A tensor map, encoded when a context is created (reserved).
    TensorMap = 2,
  };

  Kind kind = Kind::Buffer;
  Space space = Space::Arena;
  /// Number of the constant (in the artifact), input or output; 0 otherwise.
  uint32_t index = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  int64_t value = 0;

  static Argument buffer(Space space, uint32_t index, uint64_t offset, uint64_t size) {
    return {Kind::Buffer, space, index, offset, size, 0};
  }
  static Argument integer(int64_t value) { return {Kind::Integer, Space::Arena, 0, 0, 0, value}; }
};

/// One launch of a kernel.
struct Launch {
  /// Symbol in the program's code.
  std::string kernel;
  /// Name of the layer, and of the kernel family that serves it.
  std::string layer, family;
  /// CPU: `grid[0]` tasks. CUDA: blocks, and threads of a block.
  std::array<int64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  /// Dynamic shared memory in bytes (CUDA).
  uint64_t sharedBytes = 0;
  /// Hint for overlap.
  uint32_t queue = 0;
  /// Earlier launches of the program that this one waits for.
  std::vector<uint32_t> dependencies;
  std::vector<Argument> arguments;
};

/// The launches of one entry on one target.
struct Program {
  std::string entry = "main";
  Device device;
  /// Memory shared by all launches; the largest set of its bytes that is live at one time; scratch
  /// memory of each worker.
  uint64_t arenaBytes = 0, liveBytes = 0, workerBytes = 0;
  std::vector<Tensor> inputs, outputs;
  std::vector<Launch> launches;
  /// Code blobs of this program, best first.
  std::vector<uint32_t> codes;
};

/// Bytes that programs read and nobody writes.
struct Constant {
  uint32_t segment = 0;
  /// Offset in the segment.
  uint64_t offset = 0;
  uint64_t size = 0;
};

enum class CodeFormat : uint8_t { Elf = 0, Cubin = 1, Ptx = 2 };

/// "elf", "cubin", "ptx"; "unknown" for any other number.
const char *getCodeFormatName(CodeFormat format);

/// Compiled kernels: a whole segment.
struct Code {
  CodeFormat format = CodeFormat::Elf;
  uint32_t segment = 0;
  /// Kernels that it defines.
  std::vector<std::string> symbols;
};

/// A range of the file with a digest of its own.
struct Segment {
  uint64_t offset = 0;
  uint64_t size = 0;
  /// XXH3, 64 bits.
  uint64_t digest = 0;
};

/// Everything but the bytes of the segments.
struct Artifact {
  /// Program and version that wrote the file.
  std::string producer;
  std::vector<Segment> segments;
  std::vector<Constant> constants;
  std::vector<Code> codes;
  std::vector<Program> programs;
};

/// Checks that all numbers fit together: segments inside `fileBytes`, constants inside their
/// segments, every argument inside its space, every index in range, every kernel defined.
Status check(const Artifact &artifact, uint64_t fileBytes);

} // namespace udnn::artifact

#endif // UDNN_ARTIFACT_ARTIFACT_H
