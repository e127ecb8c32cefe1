//===- ModelReader.cpp - an ONNX model from its file -----------------------===//
//
// Parses the protobuf message and copies what it says into the structures of Model.h.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TensorReader.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/stubs/logging.h"

#include <limits>

using namespace udnn;
using namespace udnn::onnx;

/// Graphs in attributes of nodes of graphs, ... to this depth.
static constexpr int kMaxGraphDepth = 32;

namespace {

/// Parses a message that fills a whole file. Required fields and UTF-8 play no role in this schema.
bool parseMessage(const MappedFile &file, google::protobuf::MessageLite &message,
                  std::string &error) {
  if (file.size() > size_t(std::numeric_limits<int32_t>::max())) {
    error = "expects a file below 2 GiB, the limit of the format; larger models keep their tensors "
            "in external data";
    return false;
  }
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(file.data()),
                                                int(file.size()));
  stream.SetTotalBytesLimit(std::numeric_limits<int32_t>::max());
  if (message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage())
    return true;
  error = "the file is damaged: cannot be parsed behind byte " +
          std::to_string(stream.CurrentPosition());
  return false;
}

class ModelReader {
public:
  ModelReader(const std::string &path, std::string &error) : external(path), error(error) {}

  bool read(::onnx::ModelProto &proto, Model &model) {
    if (!proto.has_graph())
      return fail("expects an ONNX model, got a file without a graph");
    model.irVersion = proto.ir_version();
    if (!readOpsets(proto.opset_import(), model.opsets))
      return false;
    for (auto &entry : proto.metadata_props())
      model.metadata[entry.key()] = entry.value();
    for (auto &function : *proto.mutable_functions())
      if (!readFunction(function, model.functions.emplace_back()))
        return false;
    return readGraph(*proto.mutable_graph(), model.graph, 0);
  }

private:
  bool fail(const std::string &message) {
    error = message;
    return false;
  }

  template <typename Protos>
  bool readOpsets(const Protos &protos, OpsetImports &opsets) {
    for (const auto &proto : protos) {
      std::string domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
      auto [it, isNew] = opsets.try_emplace(domain, proto.version());
      if (!isNew && it->second != proto.version())
        return fail("expects one operator set for the domain '" + domain + "', got versions " +
                    std::to_string(it->second) + " and " + std::to_string(proto.version()));
    }
    return true;
  }

  bool readFunction(::onnx::FunctionProto &proto, Function &function) {
    function.name = proto.name();
    function.domain = proto.domain();
    function.overload = proto.overload();
    function.inputs.assign(proto.input().begin(), proto.input().end());
    function.outputs.assign(proto.output().begin(), proto.output().end());
    function.attributes.assign(proto.attribute().begin(), proto.attribute().end());
    for (auto &attribute : *proto.mutable_attribute_proto())
      if (!readAttribute(attribute, function.defaults.emplace_back(), 0))
        return false;
    for (auto &node : *proto.mutable_node())
      if (!readNode(node, function.nodes.emplace_back(), 0))
        return false;
    return readOpsets(proto.opset_import(), function.opsets);
  }

  bool readGraph(::onnx::GraphProto &proto, Graph &graph, int depth) {
    if (depth > kMaxGraphDepth)
      return fail("graphs are nested deeper than " + std::to_string(kMaxGraphDepth));
    graph.name = proto.name();
    for (auto &node : *proto.mutable_node())
      if (!readNode(node, graph.nodes.emplace_back(), depth))
        return false;
    for (auto &initializer : *proto.mutable_initializer())
      if (!decodeTensor(initializer, external, graph.initializers.emplace_back(), error))
        return false;
    for (auto &sparse : proto.sparse_initializer())
      graph.sparseInitializers.push_back(sparse.values().name());
    for (auto &info : proto.input())
      readValueInfo(info, graph.inputs.emplace_back());
    for (auto &info : proto.output())
      readValueInfo(info, graph.outputs.emplace_back());
    return true;
  }

  static const char *getTypeKind(const ::onnx::TypeProto &type) {
    switch (type.value_case()) {
    case ::onnx::TypeProto::kTensorType:
      return "tensor";
    case ::onnx::TypeProto::kSequenceType:
      return "sequence";
    case ::onnx::TypeProto::kMapType:
      return "map";
    case ::onnx::TypeProto::kOptionalType:
      return "optional";
    case ::onnx::TypeProto::kSparseTensorType:
      return "sparse tensor";
    case ::onnx::TypeProto::kOpaqueType:
      return "opaque value";
    default:
      return "";
    }
  }

  static void readValueInfo(const ::onnx::ValueInfoProto &proto, ValueInfo &info) {
    info.name = proto.name();
    info.kind = getTypeKind(proto.type());
    if (!proto.type().has_tensor_type())
      return;
    const auto &type = proto.type().tensor_type();
    info.type = ElementType(type.elem_type());
    info.hasShape = type.has_shape();
    for (const auto &dimProto : type.shape().dim()) {
      Dimension &dim = info.dims.emplace_back();
      // Exporters write -1 and "?" for dimensions that they do not know; 0 is a size.
      if (dimProto.has_dim_value() && dimProto.dim_value() >= 0)
        dim.value = dimProto.dim_value();
      else if (dimProto.dim_param() != "?")
        dim.name = dimProto.dim_param();
    }
  }

  bool readNode(::onnx::NodeProto &proto, Node &node, int depth) {
    node.name = proto.name();
    node.opType = proto.op_type();
    node.domain = proto.domain();
    node.overload = proto.overload();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (auto &attribute : *proto.mutable_attribute())
      if (!readAttribute(attribute, node.attributes.emplace_back(), depth)) {
        error = "node '" + node.name + "' (" + node.opType + "): " + error;
        return false;
      }
    return true;
  }

  /// The kind that an attribute says, or, in files before IR version 2, the field that is set.
  static NodeAttribute::Kind getKind(const ::onnx::AttributeProto &proto) {
    using Proto = ::onnx::AttributeProto;
    using Kind = NodeAttribute::Kind;
    switch (proto.type()) {
    case Proto::FLOAT:
      return Kind::Float;
    case Proto::INT:
      return Kind::Int;
    case Proto::STRING:
      return Kind::String;
    case Proto::TENSOR:
      return Kind::Tensor;
    case Proto::GRAPH:
      return Kind::Graph;
    case Proto::FLOATS:
      return Kind::Floats;
    case Proto::INTS:
      return Kind::Ints;
    case Proto::STRINGS:
      return Kind::Strings;
    case Proto::UNDEFINED:
      break;
    default:
      return Kind::Other;
    }
    return proto.has_f()          ? Kind::Float
           : proto.has_i()        ? Kind::Int
           : proto.has_s()        ? Kind::String
           : proto.has_t()        ? Kind::Tensor
           : proto.has_g()        ? Kind::Graph
           : proto.floats_size()  ? Kind::Floats
           : proto.ints_size()    ? Kind::Ints
           : proto.strings_size() ? Kind::Strings
                                  : Kind::Undefined;
  }

  bool readAttribute(::onnx::AttributeProto &proto, NodeAttribute &attribute, int depth) {
    attribute.name = proto.name();
    attribute.kind = getKind(proto);
    attribute.reference = proto.ref_attr_name();
    attribute.f = proto.f();
    attribute.i = proto.i();
    attribute.s = proto.s();
    attribute.floats.assign(proto.floats().begin(), proto.floats().end());
    attribute.ints.assign(proto.ints().begin(), proto.ints().end());
    attribute.strings.assign(proto.strings().begin(), proto.strings().end());
    if (attribute.kind == NodeAttribute::Kind::Tensor) {
      auto tensor = std::make_shared<Tensor>();
      if (!decodeTensor(*proto.mutable_t(), external, *tensor, error))
        return false;
      attribute.tensor = tensor;
    }
    if (attribute.kind == NodeAttribute::Kind::Graph) {
      auto graph = std::make_shared<Graph>();
      if (!readGraph(*proto.mutable_g(), *graph, depth + 1))
        return false;
      attribute.graph = graph;
    }
    return true;
  }

  ExternalData external;
  std::string &error;
};

} // namespace

std::unique_ptr<Model> udnn::onnx::readModel(const std::string &path, std::string &error) {
  // Damage is reported through `error` alone.
  google::protobuf::LogSilencer silence;
  auto file = MappedFile::open(path, error);
  if (!file)
    return nullptr;
  ::onnx::ModelProto proto;
  auto model = std::make_unique<Model>();
  model->path = path;
  if (parseMessage(*file, proto, error) && ModelReader(path, error).read(proto, *model))
    return model;
  error = path + ": " + error;
  return nullptr;
}

/// A tensor file has no folder of its own to take external data from but the file's.
static bool readTensorProto(const std::string &path, Tensor &tensor, std::string &error) {
  google::protobuf::LogSilencer silence;
  auto file = MappedFile::open(path, error);
  if (!file)
    return false;
  ::onnx::TensorProto proto;
  ExternalData external(path);
  std::string problem;
  if (parseMessage(*file, proto, problem) && decodeTensor(proto, external, tensor, problem)) {
    if (getElementSize(tensor.type) != 0)
      return true;
    problem = "element type '" + getElementTypeName(tensor.type) + "' is not supported";
  }
  error = path + ": " + problem;
  return false;
}

bool udnn::onnx::readTensor(const std::string &path, Tensor &tensor, std::string &error) {
  bool isNumpy = path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0;
  return isNumpy ? readNumpy(path, tensor, error) : readTensorProto(path, tensor, error);
}
