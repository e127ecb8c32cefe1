//===- TestArtifact.h - artifacts for tests ----------------------*- C++ -*-===//
//
// Builds small artifacts from the kernels in kernels.c.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_RUNTIME_TESTARTIFACT_H
#define UDNN_TEST_RUNTIME_TESTARTIFACT_H

#include "udnn/Artifact/Writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace udnn::test {

/// A folder of its own for each test, removed with everything in it.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string file(const std::string &name) const { return path + "/" + name; }
  /// Names of the files in it, sorted.
  std::vector<std::string> list() const;

private:
  std::string path;
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &bytes);

/// The shared library made from kernels.c, and the symbols in it.
std::string getKernelLibrary();
std::vector<std::string> getKernelSymbols();

/// Adds the kernel library to `writer`.
uint32_t addKernels(artifact::Writer &writer);

/// A launch of `kernel` over `tasks` tasks.
artifact::Launch makeLaunch(const std::string &kernel, int64_t tasks,
                            std::vector<artifact::Argument> arguments);

/// Number of elements of every tensor of the model below.
constexpr int64_t kElements = 1000;

/// y = by_scratch(sqrt(x) + c) * 3, with c[i] = i. Input "x", frozen input "mode" (int64, [7]),
/// output "y"; 3 launches.
void writeModel(const std::string &path, const std::vector<std::string> &features = {});

/// The value of element `i` of "y" for x[i].
float getExpected(float x, int64_t i);

} // namespace udnn::test

#endif // UDNN_TEST_RUNTIME_TESTARTIFACT_H
