//===- KernelHarness.h - runs units through a kernel family ------*- C++ -*-===//
//
// Takes a unit on plain tensors, lays its operands out as a candidate of a family wants them,
// expands it, compiles its kernels and runs them on poisoned memory.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_KERNELS_KERNELHARNESS_H
#define UDNN_TEST_KERNELS_KERNELHARNESS_H

#include "udnn/Kernels/KernelFamily.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace udnn::test {

/// Numbers of a plain row-major tensor.
struct Numbers {
  std::vector<int64_t> shape;
  std::vector<float> data;

  int64_t size() const { return static_cast<int64_t>(data.size()); }
};

/// Standard normal numbers, times `scale`.
Numbers makeRandom(std::mt19937 &random, std::vector<int64_t> shape, float scale = 1);

/// A unit that is ready to run.
class CompiledUnit {
public:
  virtual ~CompiledUnit() = default;
  /// Runs all steps with so many threads.
  virtual void run(int threads) = 0;
  /// Seconds of one run, the least of `count`.
  virtual double measure(int threads, int count) = 0;
  /// The first result, plain.
  virtual Numbers getResult() = 0;
};

/// What a test asks for.
struct Request {
  /// A module with one function `@main` whose arguments are the unit's inputs in this order.
  std::string module;
  std::vector<Numbers> inputs;
  std::string family;
  int vectorBits = 256;
  int cores = 2;
  /// The first inputs that are not known at compile time.
  unsigned variableInputs = 1;
  /// Let results take the bytes of inputs where a kernel allows it.
  bool inPlace = false;
};

/// The parameters of the candidates that the family has for the unit; `reason` where there is
/// none.
std::vector<std::string> listCandidates(const Request &request, std::string &reason);

/// Compiles the unit by the candidate with this number. Null and a message on an error.
std::unique_ptr<CompiledUnit> compile(const Request &request, int candidate, std::string &error);

/// True when this processor can run code for `vectorBits`.
bool canRun(int vectorBits);

} // namespace udnn::test

#endif // UDNN_TEST_KERNELS_KERNELHARNESS_H
