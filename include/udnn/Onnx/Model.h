//===- Model.h - an ONNX model in memory -------------------------*- C++ -*-===//
//
// Plain structures that hold what an ONNX file says, and the functions that read them. No protobuf
// and no MLIR shows here.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_ONNX_MODEL_H
#define UDNN_ONNX_MODEL_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace udnn::onnx {

/// Element types with ONNX's numbers (TensorProto.DataType).
enum class ElementType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
};

/// ONNX's name of a type: "float", "uint8", "bool"; also for types that udnn does not cover.
std::string getElementTypeName(ElementType type);

/// Bytes of one element in memory (bool: 1), or 0 for types that udnn does not cover.
int64_t getElementSize(ElementType type);

/// A tensor in row-major order, little endian, bool as bytes 0 or 1.
struct Tensor {
  std::string name;
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> dims;
  /// The elements; they live as long as `owner`: in the mapped file, or in a buffer of their own.
  const char *data = nullptr;
  size_t size = 0;
  std::shared_ptr<const void> owner;

  int64_t getNumElements() const;
};

/// One dimension of a declared shape.
struct Dimension {
  /// The size, or -1 when it is not a fixed one.
  int64_t value = -1;
  /// Name of a symbolic dimension; empty for an anonymous one.
  std::string name;
};

/// Declared name, type and shape of a graph input or output.
struct ValueInfo {
  std::string name;
  /// "tensor", or what else the value is ("sequence", "optional", "map", "sparse tensor", "").
  std::string kind;
  ElementType type = ElementType::Undefined;
  bool hasShape = false;
  std::vector<Dimension> dims;
};

struct Graph;

/// An attribute of a node; the field named by `kind` holds the value.
struct NodeAttribute {
  enum class Kind { Undefined, Float, Int, String, Tensor, Graph, Floats, Ints, Strings, Other };

  std::string name;
  Kind kind = Kind::Undefined;
  /// In a function: the attribute of the function that stands here.
  std::string reference;
  float f = 0;
  int64_t i = 0;
  std::string s;
  std::shared_ptr<const Tensor> tensor;
  std::shared_ptr<const Graph> graph;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

/// "int", "floats", "graph", ...
const char *getKindName(NodeAttribute::Kind kind);

struct Node {
  std::string name, opType, domain, overload;
  /// Names of values; an empty one is an optional input or output left out.
  std::vector<std::string> inputs, outputs;
  std::vector<NodeAttribute> attributes;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs;
  /// Names of initializers that are sparse, which udnn does not cover.
  std::vector<std::string> sparseInitializers;
};

/// Version of the operator set by domain; the default domain is "".
using OpsetImports = std::map<std::string, int64_t>;

/// A function that the model brings along.
struct Function {
  std::string name, domain, overload;
  std::vector<std::string> inputs, outputs;
  /// Names of attributes without a default.
  std::vector<std::string> attributes;
  /// Attributes with their defaults.
  std::vector<NodeAttribute> defaults;
  std::vector<Node> nodes;
  OpsetImports opsets;
};

struct Model {
  std::string path;
  int64_t irVersion = 0;
  OpsetImports opsets;
  Graph graph;
  std::vector<Function> functions;
  std::map<std::string, std::string> metadata;
};

/// Reads an ONNX model with its external data. Constants point into the mapped files where
/// alignment allows. On failure returns null and says in `error` what is wrong, naming the file.
std::unique_ptr<Model> readModel(const std::string &path, std::string &error);

/// Reads one tensor from a file: a serialized TensorProto (`.pb`) or a NumPy array (`.npy`).
bool readTensor(const std::string &path, Tensor &tensor, std::string &error);

/// The files `input_0.pb`, `input_1.pb`, ... (or `output_...`, by `prefix`) of an ONNX test data
/// set.
bool readTestData(const std::string &folder, const std::string &prefix,
                  std::vector<Tensor> &tensors, std::string &error);

} // namespace udnn::onnx

#endif // UDNN_ONNX_MODEL_H
