//===- ModuleFile.cpp - modules in files ------------------------------------===//
//
// Text refers to its large constants by name; their bytes are resources of an empty module that is
// written as bytecode beside the text.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Module/ModuleFile.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace udnn;

/// Of a resource as the text spells it: two characters per byte, and some.
static constexpr int64_t kLongestInText = 1024;

/// The attribute of the empty module: a dictionary of all constants by their names.
static constexpr StringRef kConstantsAttrName = "dnn.constants";

std::string udnn::getConstantsPath(StringRef path) { return (path + ".constants").str(); }

/// Calls `visit` with all constants that are resources, and an operation that holds each.
static void walkConstants(ModuleOp module,
                          llvm::function_ref<void(Operation *, DenseResourceElementsAttr)> visit) {
  module.walk([&](Operation *op) {
    AttrTypeWalker walker;
    walker.addWalk([&](DenseResourceElementsAttr constant) { visit(op, constant); });
    walker.walk(op->getAttrDictionary());
    if (Attribute properties = op->getPropertiesAsAttribute())
      walker.walk(properties);
  });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static OwningOpRef<ModuleOp> parse(StringRef path, MLIRContext *context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &error);
  if (!file) {
    emitError(UnknownLoc::get(context)) << error;
    return nullptr;
  }
  // Shared, so that constants in bytecode need not be copied out of the file.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

/// Gives the constants of `module` that have no data those of the file.
static LogicalResult fillConstants(ModuleOp module, StringRef path) {
  MLIRContext *context = module.getContext();
  OwningOpRef<ModuleOp> file = parse(path, context);
  if (!file)
    return failure();
  auto constants = (*file)->getAttrOfType<DictionaryAttr>(kConstantsAttrName);
  if (!constants)
    return emitError(UnknownLoc::get(context))
           << "expects '" << path << "' to hold the constants of a module";
  auto &manager = DenseResourceElementsHandle::getManagerInterface(context).getBlobManager();
  for (NamedAttribute constant : constants) {
    auto attr = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    auto *entry = manager.lookup(constant.getName());
    if (attr && attr.getRawHandle().getBlob() && entry && !entry->getBlob())
      entry->setBlob(std::move(*attr.getRawHandle().getBlob()));
  }
  return success();
}

/// The first constant without data, and an operation that holds it.
static std::pair<Operation *, DenseResourceElementsAttr> findEmptyConstant(ModuleOp module) {
  std::pair<Operation *, DenseResourceElementsAttr> found;
  walkConstants(module, [&](Operation *op, DenseResourceElementsAttr constant) {
    if (!found.first && !constant.getRawHandle().getBlob())
      found = {op, constant};
  });
  return found;
}

OwningOpRef<ModuleOp> udnn::readModule(StringRef path, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = parse(path, context);
  if (!module || !findEmptyConstant(*module).first)
    return module;
  std::string constantsPath = getConstantsPath(path);
  if (llvm::sys::fs::exists(constantsPath) && failed(fillConstants(*module, constantsPath)))
    return nullptr;
  if (auto [op, constant] = findEmptyConstant(*module); op) {
    op->emitError() << "expects the data of constant '" << constant.getRawHandle().getKey()
                    << "' in the text or in '" << constantsPath << "', found none";
    return nullptr;
  }
  return module;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Writes a file by `write`; it stays only if all is well.
static LogicalResult writeFile(StringRef path, MLIRContext *context,
                               llvm::function_ref<LogicalResult(llvm::raw_ostream &)> write) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &error);
  if (!file)
    return emitError(UnknownLoc::get(context)) << error;
  LogicalResult written = write(file->os());
  file->os().flush();
  if (std::error_code problem = file->os().error()) {
    file->os().clear_error();
    return emitError(UnknownLoc::get(context))
           << "cannot write '" << path << "': " << problem.message();
  }
  if (failed(written))
    return failure();
  file->keep();
  return success();
}

/// False for the standard output, a pipe, a device: nothing can lie beside them.
static bool isFile(StringRef path) {
  return path != "-" && (!llvm::sys::fs::exists(path) || llvm::sys::fs::is_regular_file(path));
}

/// An empty module that holds the constants which are too long for the text; null without any.
static OwningOpRef<ModuleOp> collectConstants(ModuleOp module) {
  llvm::StringMap<DenseResourceElementsAttr> constants;
  walkConstants(module, [&](Operation *, DenseResourceElementsAttr constant) {
    auto *blob = constant.getRawHandle().getBlob();
    if (blob && 2 * int64_t(blob->getData().size()) > kLongestInText / 2)
      constants[constant.getRawHandle().getKey()] = constant;
  });
  if (constants.empty())
    return nullptr;
  NamedAttrList list;
  for (const auto &entry : constants)
    list.append(entry.getKey(), entry.getValue());
  OwningOpRef<ModuleOp> holder = ModuleOp::create(UnknownLoc::get(module.getContext()));
  (*holder)->setAttr(kConstantsAttrName, list.getDictionary(module.getContext()));
  return holder;
}

LogicalResult udnn::writeModule(ModuleOp module, StringRef path) {
  MLIRContext *context = module.getContext();
  auto writeBytecode = [&](ModuleOp what) {
    return [what](llvm::raw_ostream &os) { return writeBytecodeToFile(what, os); };
  };
  if (path.ends_with(".mlirbc"))
    return writeFile(path, context, writeBytecode(module));
  // With locations: they carry the names of layers.
  OpPrintingFlags flags = OpPrintingFlags().enableDebugInfo();
  if (isFile(path)) {
    flags.elideLargeResourceString(kLongestInText);
    OwningOpRef<ModuleOp> constants = collectConstants(module);
    if (constants && failed(writeFile(getConstantsPath(path), context, writeBytecode(*constants))))
      return failure();
  }
  return writeFile(path, context, [&](llvm::raw_ostream &os) {
    module->print(os, flags);
    os << "\n";
    return success();
  });
}
