//===- ImportFlags.cpp - the importer's command line flags ------------------===//
//
// Parses --dim, --shape, --example-data and --freeze, which all tools that read ONNX share.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Onnx/Import.h"

using namespace mlir;
using namespace udnn;

StringRef udnn::getOnnxImportFlagsHelp() {
  return "  --dim=NAME=VALUE        size of a symbolic dimension of an ONNX model\n"
         "  --shape=INPUT=1x3x48x320  shape of an input of an ONNX model\n"
         "  --example-data=DIR      ONNX test data set that gives the inputs' shapes, and the "
         "values\n"
         "                          of those inputs that decide shapes\n"
         "  --freeze=INPUT=FILE     take an input as a constant, its value from a .pb or .npy "
         "file\n";
}

static LogicalResult fail(std::string &error, const Twine &message) {
  error = message.str();
  return failure();
}

static LogicalResult parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (text.empty() || text == "scalar")
    return success();
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return failure();
    shape.push_back(size);
  }
  return success();
}

static LogicalResult addFlag(StringRef flag, StringRef value, OnnxImportOptions &options,
                             std::string &error) {
  if (flag == "example-data") {
    if (value.empty())
      return fail(error, "--example-data expects a folder");
    options.exampleData = value.str();
    return success();
  }
  if (value.empty())
    return fail(error, "--" + flag + " expects NAME=VALUE, got an empty value");
  // Names may hold '=', sizes and most paths do not.
  auto [name, rest] = flag == "freeze" ? value.split('=') : value.rsplit('=');
  // A shape without sizes is that of a scalar.
  if (name.empty() || (rest.empty() && (flag == "freeze" || !value.ends_with("="))))
    return fail(error, "--" + flag + " expects NAME=VALUE, got '" + value + "'");
  if (flag == "dim") {
    int64_t size;
    if (rest.getAsInteger(10, size) || size < 0)
      return fail(error, "--dim expects a size of 0 or more, got '" + value + "'");
    options.dims.emplace_back(name.str(), size);
    return success();
  }
  if (flag == "freeze") {
    options.freezes.emplace_back(name.str(), rest.str());
    return success();
  }
  SmallVector<int64_t> shape;
  if (failed(parseShape(rest, shape)))
    return fail(error, "--shape expects sizes such as 1x3x48x320, got '" + value + "'");
  options.shapes.emplace_back(name.str(), std::move(shape));
  return success();
}

LogicalResult udnn::takeOnnxImportFlags(SmallVectorImpl<const char *> &args,
                                        OnnxImportOptions &options, std::string &error) {
  SmallVector<const char *> kept;
  for (size_t i = 0; i < args.size(); ++i) {
    StringRef arg = args[i];
    StringRef name = arg.ltrim('-').split('=').first;
    bool isOurs = i > 0 && arg.starts_with("-") &&
                  (name == "dim" || name == "shape" || name == "example-data" || name == "freeze");
    if (!isOurs) {
      kept.push_back(args[i]);
      continue;
    }
    StringRef value;
    if (arg.contains('=')) {
      value = arg.split('=').second;
    } else {
      if (i + 1 == args.size())
        return fail(error, "--" + name + " expects a value");
      value = args[++i];
    }
    if (failed(addFlag(name, value, options, error)))
      return failure();
  }
  args = std::move(kept);
  return success();
}
