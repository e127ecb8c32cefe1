//===- DnnAttributes.cpp - attributes of the dnn dialect ---------------------===//
//
// Syntax, checks and queries of dimension numbers and plans.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "udnn/Dialect/Dnn.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace udnn::dnn;

#define GET_ATTRDEF_CLASSES
#include "DnnAttributes.cpp.inc"

void DnnDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "DnnAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// DimsAttr: construction and queries
//===----------------------------------------------------------------------===//

static DimsAttr getPlain(MLIRContext *context, ArrayRef<int64_t> leading, int64_t spatialRank) {
  SmallVector<int64_t> roles(leading);
  for (int64_t i = 0; i < spatialRank; ++i)
    roles.push_back(i);
  SmallVector<int64_t> blocks(roles.size(), 1);
  return DimsAttr::get(context, roles, blocks, 0, 0);
}

DimsAttr DimsAttr::getActivation(MLIRContext *context, int64_t spatialRank) {
  return getPlain(context, {kBatch, kChannel}, spatialRank);
}

DimsAttr DimsAttr::getFilter(MLIRContext *context, int64_t spatialRank) {
  return getPlain(context, {kFilter, kChannel}, spatialRank);
}

DimsAttr DimsAttr::getBlocked(MLIRContext *context, int64_t spatialRank, int64_t block,
                              int64_t channels) {
  DimsAttr plain = getActivation(context, spatialRank);
  SmallVector<int64_t> roles(plain.getRoles());
  SmallVector<int64_t> blocks(plain.getBlocks());
  roles.push_back(kChannel);
  blocks.push_back(block);
  return DimsAttr::get(context, roles, blocks, channels % block ? channels : 0, 0);
}

int64_t DimsAttr::getSpatialRank() const {
  return llvm::count_if(getRoles(), [](int64_t role) { return role >= 0; });
}

bool DimsAttr::isPlain() const {
  return llvm::all_of(getBlocks(), [](int64_t block) { return block == 1; });
}

int64_t DimsAttr::find(int64_t role) const {
  for (auto [i, r, b] : llvm::enumerate(getRoles(), getBlocks()))
    if (r == role && b == 1)
      return i;
  return -1;
}

int64_t DimsAttr::findBlock(int64_t role) const {
  for (auto [i, r, b] : llvm::enumerate(getRoles(), getBlocks()))
    if (r == role && b != 1)
      return i;
  return -1;
}

int64_t DimsAttr::getBlock(int64_t role) const {
  int64_t position = findBlock(role);
  return position < 0 ? 1 : getBlocks()[position];
}

int64_t DimsAttr::getLogicalSize(int64_t role, ArrayRef<int64_t> shape) const {
  if (role == kChannel && getChannels())
    return getChannels();
  if (role == kFilter && getFilters())
    return getFilters();
  int64_t position = find(role);
  return position < 0 ? 1 : shape[position] * getBlock(role);
}

SmallVector<int64_t> DimsAttr::getLogicalShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> logical;
  for (int64_t role : {kBatch, kFilter, kChannel})
    if (find(role) >= 0)
      logical.push_back(getLogicalSize(role, shape));
  for (int64_t i = 0, e = getSpatialRank(); i < e; ++i)
    logical.push_back(getLogicalSize(i, shape));
  return logical;
}

//===----------------------------------------------------------------------===//
// DimsAttr: checks and syntax
//===----------------------------------------------------------------------===//

LogicalResult DimsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> roles, ArrayRef<int64_t> blocks, int64_t channels,
                               int64_t filters) {
  if (roles.size() != blocks.size())
    return emitError() << "expects as many blocks as dimensions, got " << blocks.size() << " and "
                       << roles.size();
  int64_t spatialRank = llvm::count_if(roles, [](int64_t role) { return role >= 0; });
  llvm::SmallDenseMap<int64_t, int64_t> outer, inner;
  for (auto [role, block] : llvm::zip(roles, blocks)) {
    if (role < kFilter || role >= spatialRank)
      return emitError() << "expects spatial dimensions to be numbered from 0 without gaps, got "
                         << role;
    if (block < 1)
      return emitError() << "expects a positive block, got " << block;
    if (role >= 0 && block != 1)
      return emitError() << "expects blocks of channels only, got a block of spatial dimension "
                         << role;
    if (++(block == 1 ? outer : inner)[role] > 1)
      return emitError() << "expects every dimension once";
  }
  for (auto [role, count] : inner)
    if (!outer.count(role))
      return emitError() << "expects a block together with its outer dimension";
  for (auto [role, size] : {std::pair(kChannel, channels), std::pair(kFilter, filters)}) {
    if (size < 0)
      return emitError() << "expects a positive logical size, got " << size;
    if (size && !inner.count(role))
      return emitError() << "expects a logical size on a blocked dimension only";
  }
  return success();
}

/// Parses `[n, c = 20, 0, 1, 8c]`.
static ParseResult parseDimsList(AsmParser &parser, DimsAttr &dims) {
  SmallVector<int64_t> roles, blocks;
  int64_t channels = 0, filters = 0;
  auto parseOptionalRole = [&](int64_t &role) {
    StringRef letter;
    if (failed(parser.parseOptionalKeyword(&letter, {"n", "c", "k"})))
      return false;
    role = letter == "n"   ? DimsAttr::kBatch
           : letter == "c" ? DimsAttr::kChannel
                           : DimsAttr::kFilter;
    return true;
  };
  auto parseEntry = [&]() -> ParseResult {
    int64_t number = 0, role = 0;
    OptionalParseResult integer = parser.parseOptionalInteger(number);
    if (integer.has_value()) {
      if (failed(*integer))
        return failure();
      // Negative roles are the ones with letters.
      if (number < 0)
        return parser.emitError(parser.getCurrentLocation(),
                                "expects a spatial dimension of at least 0, got ")
               << number;
      bool isBlock = parseOptionalRole(role);
      roles.push_back(isBlock ? role : number);
      blocks.push_back(isBlock ? number : 1);
      return success();
    }
    if (!parseOptionalRole(role))
      return parser.emitError(parser.getCurrentLocation(), "expects 'n', 'c', 'k' or a number");
    roles.push_back(role);
    blocks.push_back(1);
    if (succeeded(parser.parseOptionalEqual()))
      return parser.parseInteger(role == DimsAttr::kFilter ? filters : channels);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return failure();
  dims = DimsAttr::getChecked([&] { return parser.emitError(parser.getNameLoc()); },
                              parser.getContext(), roles, blocks, channels, filters);
  return success(dims != nullptr);
}

static void printDimsList(AsmPrinter &printer, DimsAttr dims) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip(dims.getRoles(), dims.getBlocks()), printer.getStream(), [&](auto entry) {
        auto [role, block] = entry;
        if (role >= 0) {
          printer << role;
          return;
        }
        if (block != 1)
          printer << block;
        printer << (role == DimsAttr::kBatch ? "n" : role == DimsAttr::kChannel ? "c" : "k");
        int64_t size = role == DimsAttr::kChannel  ? dims.getChannels()
                       : role == DimsAttr::kFilter ? dims.getFilters()
                                                   : 0;
        if (block == 1 && size)
          printer << " = " << size;
      });
  printer << ']';
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  DimsAttr dims;
  if (parser.parseLess() || parseDimsList(parser, dims) || parser.parseGreater())
    return {};
  return dims;
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDimsList(printer, *this);
  printer << '>';
}

namespace udnn::dnn {
/// The directive `custom<Dims>` of operations.
ParseResult parseDims(OpAsmParser &parser, DimsAttr &dims) { return parseDimsList(parser, dims); }
void printDims(OpAsmPrinter &printer, Operation *, DimsAttr dims) { printDimsList(printer, dims); }
} // namespace udnn::dnn

//===----------------------------------------------------------------------===//
// DeviceAttr, LimitsAttr, PieceAttr, BufferAttr
//===----------------------------------------------------------------------===//

using NamedInteger = std::pair<StringRef, int64_t>;

/// Checks that every integer is at least `least`.
static LogicalResult checkAtLeast(function_ref<InFlightDiagnostic()> emitError, int64_t least,
                                  ArrayRef<NamedInteger> integers) {
  for (auto [name, value] : integers)
    if (value < least)
      return emitError() << "expects '" << name << "' to be at least " << least << ", got "
                         << value;
  return success();
}

/// No device has more of anything, and the planner's products of two facts do not overflow.
static constexpr int64_t kMaxFact = int64_t(1) << 40;
/// The widest registers of any instruction set.
static constexpr int64_t kMaxVectorBits = 2048;

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                                 StringAttr, StringAttr, int64_t cores, int64_t vectorBits,
                                 int64_t gflopsF32, int64_t gflopsF16, int64_t gbytesPerS,
                                 int64_t l2Bytes, int64_t launchNs) {
  if (failed(checkAtLeast(emitError, 1,
                          {{"cores", cores},
                           {"gflops_f32", gflopsF32},
                           {"gflops_f16", gflopsF16},
                           {"gbytes_per_s", gbytesPerS},
                           {"l2_bytes", l2Bytes}})) ||
      failed(checkAtLeast(emitError, 0, {{"launch_ns", launchNs}})))
    return failure();
  for (auto [name, value] :
       {NamedInteger("cores", cores), NamedInteger("gflops_f32", gflopsF32),
        NamedInteger("gflops_f16", gflopsF16), NamedInteger("gbytes_per_s", gbytesPerS),
        NamedInteger("l2_bytes", l2Bytes), NamedInteger("launch_ns", launchNs)})
    if (value > kMaxFact)
      return emitError() << "expects '" << name << "' to be at most " << kMaxFact << ", got "
                         << value;
  if (vectorBits < 64 || vectorBits > kMaxVectorBits || !llvm::isPowerOf2_64(vectorBits))
    return emitError() << "expects 'vector_bits' to be a power of two from 64 to " << kMaxVectorBits
                       << ", got " << vectorBits;
  return success();
}

LogicalResult LimitsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t error,
                                 int64_t workspace, ArrayAttr families) {
  if (families && !llvm::all_of(families, llvm::IsaPred<StringAttr>))
    return emitError() << "expects 'families' to be strings, got " << families;
  return checkAtLeast(emitError, 0, {{"error", error}, {"workspace", workspace}});
}

LogicalResult PieceAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t count,
                                int64_t batch, StringAttr, DictionaryAttr, int64_t time,
                                int64_t workspace, int64_t worker, int64_t error, StringAttr) {
  if (failed(checkAtLeast(emitError, 1, {{"count", count}})))
    return failure();
  return checkAtLeast(emitError, 0,
                      {{"batch", batch},
                       {"time", time},
                       {"workspace", workspace},
                       {"worker", worker},
                       {"error", error}});
}

LogicalResult BufferAttr::verify(function_ref<InFlightDiagnostic()> emitError, Space, int64_t index,
                                 int64_t offset, int64_t size) {
  return checkAtLeast(emitError, 0, {{"index", index}, {"offset", offset}, {"size", size}});
}

//===----------------------------------------------------------------------===//
// PlanAttr
//===----------------------------------------------------------------------===//

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayAttr pieces,
                               ArrayAttr inputs, ArrayAttr results) {
  if (pieces.empty())
    return emitError() << "expects at least one piece";
  if (!llvm::all_of(pieces, llvm::IsaPred<PieceAttr>))
    return emitError() << "expects pieces to be #dnn.piece attributes";
  for (ArrayAttr layouts : {inputs, results})
    if (!llvm::all_of(layouts, llvm::IsaPred<DimsAttr, UnitAttr>))
      return emitError() << "expects layouts to be #dnn.dims or unit attributes";
  return success();
}
