//===- Handles.h - what is behind the handles of the C API -----*- C++ -*-===//
//
// Models, contexts, and how functions of the C API report errors.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_HANDLES_H
#define UDNN_RUNTIME_HANDLES_H

#include "Device.h"

#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <set>

namespace udnn::runtime {

/// A loaded artifact and what was made from it so far.
struct Model {
  /// Copy of an artifact in memory that was not aligned.
  std::unique_ptr<void, decltype(&free)> copy{nullptr, free};
  artifact::Reader reader;
  uint64_t constantBytes = 0, codeBytes = 0;
  /// Per program: C strings of the features, bytes of the constants in use.
  std::vector<std::vector<const char *>> features;
  std::vector<uint64_t> programConstantBytes;

  /// Guards what follows.
  std::mutex mutex;
  std::set<uint32_t> verifiedSegments;
  std::map<std::pair<size_t, std::string>, std::shared_ptr<Executable>> executables;

  const artifact::Artifact &artifact() const { return reader.getArtifact(); }
};

/// Keeps the message of a failure for `udnn_last_error`, and returns the status.
udnn_status report(Result result);
udnn_status reportInvalid(std::string message);
/// Says that a function was given a null pointer.
udnn_status reportNull(const char *function);
/// Says that there are only `count` of something, which `what` names with its article.
udnn_status reportIndex(const char *what, size_t index, size_t count);
/// What the standard library throws when the system refuses memory or a lock. Nothing of it may
/// reach the caller, which may be C.
udnn_status reportException(const std::exception &exception);

/// Constants that a program reads.
std::set<uint32_t> getConstants(const artifact::Program &program);

/// Says whether a program runs on a device, and how well it suits it.
Result checkDevice(const Device &device, const artifact::Artifact &artifact,
                   const artifact::Program &program, int &out_fit);

/// Reports an error unless `program` is one of the model's.
udnn_status checkProgram(const udnn_model *model, size_t program);

} // namespace udnn::runtime

struct udnn_model {
  std::shared_ptr<udnn::runtime::Model> model;
};

struct udnn_context {
  std::shared_ptr<udnn::runtime::Model> model;
  const udnn::artifact::Program *program;
  std::shared_ptr<udnn::runtime::Executable> executable;
  std::unique_ptr<udnn::runtime::Executor> executor;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
};

#endif // UDNN_RUNTIME_HANDLES_H
