//===- Session.h - one model in use ------------------------------*- C++ -*-===//
//
// A model, its context and its tensors: what udnn-run does with the C API.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TOOLS_UDNN_RUN_SESSION_H
#define UDNN_TOOLS_UDNN_RUN_SESSION_H

#include "Options.h"

#include "udnn-c/udnn.h"

namespace udnn::run {

/// Times of the runs and, where asked for, of the launches.
struct Timing {
  /// One per iteration.
  std::vector<double> runMs;
  /// Median over the iterations, one per launch; empty without a profile.
  std::vector<double> launchMs;

  double getMin() const;
  double getMedian() const;
};

/// A loaded artifact, and one of its programs ready to run.
class Session {
public:
  Session() = default;
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Loads the artifact; enough for the queries.
  Status load(const std::string &path);

  /// Chooses the program and device that the options ask for and creates the context.
  Status prepare(const Options &options);

  /// Fills and binds all inputs and outputs; reads what is expected.
  Status bind(const Options &options);

  /// Runs and measures.
  Status run(const Options &options, Timing &out_timing);

  /// Writes `output_<i>.npy` into a folder, which is made if it is not there.
  Status writeOutputs(const std::string &folder) const;

  udnn_model *getModel() const { return model; }
  udnn_context *getContext() const { return context; }
  size_t getProgram() const { return program; }
  udnn_program_info getProgramInfo() const;
  const std::string &getDevice() const { return device; }
  const std::vector<HostTensor> &getOutputs() const { return outputs; }
  /// One per output; without data where nothing is expected.
  const std::vector<HostTensor> &getExpected() const { return expected; }

private:
  Status readInputs(const Options &options);
  Status readExpected(const Options &options);
  Status readTestData(const std::string &folder, bool areInputs);
  Status setTensor(bool isInput, size_t index, HostTensor tensor, const std::string &from);
  Status fillMissingInputs();

  udnn_model *model = nullptr;
  udnn_context *context = nullptr;
  size_t program = 0;
  std::string device;
  std::vector<HostTensor> inputs, outputs, expected;
};

/// The last error of the C API as a failure.
Status getLastError();

/// What the C API says about a tensor, as an empty tensor.
HostTensor makeTensor(const udnn_tensor_info &info);

} // namespace udnn::run

#endif // UDNN_TOOLS_UDNN_RUN_SESSION_H
