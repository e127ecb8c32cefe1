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

/// The longest constant that stays in the text, in characters: quotes, `0x`, the alignment and two
/// characters per byte. Longer ones lie beside it.
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

using PrintFn = llvm::function_ref<LogicalResult(llvm::raw_ostream &)>;

static LogicalResult report(std::error_code problem, StringRef path, MLIRContext *context) {
  if (!problem)
    return success();
  return emitError(UnknownLoc::get(context))
         << "cannot write '" << path << "': " << problem.message();
}

/// Prints all to a stream, whose errors are not fatal then.
static LogicalResult printTo(llvm::raw_fd_ostream &os, StringRef path, MLIRContext *context,
                             PrintFn print) {
  LogicalResult printed = print(os);
  os.flush();
  std::error_code problem = os.error();
  os.clear_error();
  return success(succeeded(report(problem, path, context)) && succeeded(printed));
}

namespace {

/// A file that is written under another name beside its own, which it gets when all is well.
class NewFile {
public:
  NewFile(StringRef path, MLIRContext *context) : path(path), context(context) {}
  ~NewFile() {
    if (file)
      llvm::consumeError(file->discard());
  }

  LogicalResult write(PrintFn print);
  LogicalResult keep();

private:
  std::string path;
  MLIRContext *context;
  std::optional<llvm::sys::fs::TempFile> file;
};

} // namespace

LogicalResult NewFile::write(PrintFn print) {
  auto created = llvm::sys::fs::TempFile::create(path + ".%%%%%%");
  if (!created)
    return report(llvm::errorToErrorCode(created.takeError()), path, context);
  file.emplace(std::move(*created));
  llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  return printTo(os, path, context, print);
}

LogicalResult NewFile::keep() {
  std::error_code problem = llvm::errorToErrorCode(file->keep(path));
  file.reset();
  return report(problem, path, context);
}

/// Writes to what is no file.
static LogicalResult writeStream(StringRef path, MLIRContext *context, PrintFn print) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(path, &error);
  if (!output)
    return emitError(UnknownLoc::get(context)) << error;
  output->keep();
  return printTo(output->os(), path, context, print);
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
    if (blob && 12 + 2 * int64_t(blob->getData().size()) > kLongestInText)
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
  bool isText = !path.ends_with(".mlirbc"), hasConstantsBeside = isText && isFile(path);
  // With locations: they carry the names of layers.
  OpPrintingFlags flags = OpPrintingFlags().enableDebugInfo();
  if (hasConstantsBeside)
    flags.elideLargeResourceString(kLongestInText);
  auto print = [&](llvm::raw_ostream &os) -> LogicalResult {
    if (!isText)
      return writeBytecodeToFile(module, os);
    module->print(os, flags);
    os << "\n";
    return success();
  };
  if (!isFile(path))
    return writeStream(path, context, print);

  NewFile constantsFile(getConstantsPath(path), context), file(path, context);
  OwningOpRef<ModuleOp> constants = hasConstantsBeside ? collectConstants(module) : nullptr;
  if (constants && failed(constantsFile.write(
                       [&](llvm::raw_ostream &os) { return writeBytecodeToFile(*constants, os); })))
    return failure();
  if (failed(file.write(print)) || (constants && failed(constantsFile.keep())))
    return failure();
  return file.keep();
}
