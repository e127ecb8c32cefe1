//===- EpilogueSyntax.cpp - syntax and checks of an epilogue -----------------===//
//
// The directive `custom<Epilogue>` and the verifier shared by all operations with an epilogue.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EpilogueSyntax.h"

using namespace mlir;

namespace udnn::dnn {

ParseResult parseEpilogue(OpAsmParser &parser,
                          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extras,
                          SmallVectorImpl<Type> &types, ArrayAttr &maps, Region &region) {
  SmallVector<Attribute> mapAttrs;
  auto parseExtra = [&]() -> ParseResult {
    AffineMapAttr map;
    if (parser.parseOperand(extras.emplace_back()) || parser.parseColonType(types.emplace_back()) ||
        parser.parseKeyword("by") || parser.parseAttribute(map))
      return failure();
    mapAttrs.push_back(map);
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("epilogue"))) {
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalParen, parseExtra) ||
        parser.parseRegion(region))
      return failure();
  }
  maps = parser.getBuilder().getArrayAttr(mapAttrs);
  return success();
}

void printEpilogue(OpAsmPrinter &printer, Operation *, OperandRange extras, TypeRange,
                   ArrayAttr maps, Region &region) {
  if (region.empty())
    return;
  printer << "epilogue";
  if (!extras.empty()) {
    printer << '(';
    llvm::interleaveComma(llvm::zip(extras, maps), printer, [&](auto entry) {
      auto [value, map] = entry;
      printer << value << " : " << value.getType() << " by " << map;
    });
    printer << ')';
  }
  printer << ' ';
  printer.printRegion(region);
}

LogicalResult verifyEpilogue(EpilogueOpInterface op) {
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  Region &region = op.getEpilogueRegion();
  OperandRange extras = op.getExtrasOperandRange();
  SmallVector<AffineMap> maps = op.getExtraMapValues();
  if (maps.size() != extras.size())
    return op->emitOpError("expects one affine map per extra operand, got ")
           << maps.size() << " for " << extras.size();
  Type accumulator = op.getAccumulatorType();
  if (op.getAccumulate()) {
    if (!region.empty())
      return op->emitOpError("expects no epilogue together with 'accumulate'");
    if (resultType.getElementType() != accumulator)
      return op->emitOpError("expects an init of the accumulator's type ")
             << accumulator << " with 'accumulate', got " << resultType.getElementType();
  }
  if (region.empty()) {
    if (!extras.empty())
      return op->emitOpError("expects an epilogue region for its extra operands");
    return success();
  }
  if (!region.hasOneBlock())
    return op->emitOpError("expects an epilogue of one block");
  Block &block = region.front();
  if (block.getNumArguments() != extras.size() + 1)
    return op->emitOpError("expects an epilogue with ")
           << extras.size() + 1 << " arguments, got " << block.getNumArguments();
  if (block.getArgument(0).getType() != accumulator)
    return op->emitOpError("expects the epilogue's first argument to have the accumulator's type ")
           << accumulator << ", got " << block.getArgument(0).getType();
  for (auto [i, extra, map] : llvm::enumerate(extras, maps)) {
    auto type = dyn_cast<RankedTensorType>(extra.getType());
    if (!type)
      return op->emitOpError("expects extra operand ")
             << i << " to be a ranked tensor, got " << extra.getType();
    if (block.getArgument(i + 1).getType() != type.getElementType())
      return op->emitOpError("expects the epilogue's argument ")
             << i + 1 << " to have type " << type.getElementType() << ", got "
             << block.getArgument(i + 1).getType();
    if (map.getNumDims() != resultType.getRank() || map.getNumSymbols() ||
        map.getNumResults() != type.getRank())
      return op->emitOpError("expects the map of extra operand ")
             << i << " to go from " << resultType.getRank() << " to " << type.getRank()
             << " dimensions, got " << AffineMapAttr::get(map);
  }
  Operation *terminator = block.empty() ? nullptr : &block.back();
  auto yield = dyn_cast_or_null<YieldOp>(terminator);
  if (!yield || yield.getNumOperands() != 1)
    return op->emitOpError("expects an epilogue that ends in 'dnn.yield' of one value");
  if (yield.getOperand(0).getType() != resultType.getElementType())
    return op->emitOpError("expects the epilogue to yield ")
           << resultType.getElementType() << ", got " << yield.getOperand(0).getType();
  return success();
}

} // namespace udnn::dnn
