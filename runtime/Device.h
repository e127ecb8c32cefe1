//===- Device.h - what runs programs -----------------------------*- C++ -*-===//
//
// The interface between the C API and the kinds of devices.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_DEVICE_H
#define UDNN_RUNTIME_DEVICE_H

#include "udnn-c/udnn.h"
#include "udnn/Artifact/Reader.h"

#include <memory>

namespace udnn::runtime {

/// A status of the C API with its message.
struct [[nodiscard]] Result {
  udnn_status status = UDNN_OK;
  std::string message;

  bool failed() const { return status != UDNN_OK; }
};

inline Result success() { return {}; }
inline Result failure(udnn_status status, std::string message) {
  return {status, std::move(message)};
}

/// One program with the memory and threads to run it. Used by one thread at a time; must not
/// outlive its executable.
class Executor {
public:
  virtual ~Executor();

  /// Sets the memory of an input or output; size and alignment are checked by the caller, and
  /// frozen inputs are in host memory after success. What was bound stays after a failure.
  virtual Result bindInput(size_t input, const void *data) = 0;
  virtual Result bindOutput(size_t output, void *data) = 0;

  /// Runs all launches; everything is bound. Allocates nothing. Times each launch into
  /// `out_launchNs` unless it is null.
  virtual Result run(int64_t *out_launchNs) = 0;

  /// Threads that take part in a run.
  virtual uint32_t getThreads() const = 0;

  /// What runs the program, for people.
  virtual const char *getDescription() const = 0;
};

/// Code and constants of one program on a device, shared by its executors. Used by several threads.
class Executable {
public:
  virtual ~Executable();

  virtual Result createExecutor(uint32_t threads, std::unique_ptr<Executor> &out_executor) = 0;
};

/// A device that can run programs.
class Device {
public:
  virtual ~Device();

  /// The kind of its programs: "cpu" or "cuda".
  virtual const char *getKind() const = 0;

  /// The one name of the device among those that open it: "cpu" or "cuda:N".
  virtual std::string getName() const = 0;

  /// Says whether a program of the device's kind runs here. Among several the one with the largest
  /// `out_fit` suits the device best.
  virtual Result canRun(const artifact::Artifact &artifact, const artifact::Program &program,
                        int &out_fit) const = 0;

  /// Loads a program that can run and whose segments were verified. `reader` outlives the
  /// executable.
  virtual Result load(const artifact::Reader &reader, const artifact::Program &program,
                      std::shared_ptr<Executable> &out_executable) = 0;
};

/// Opens a device by its name: "cpu", "cuda:N", or "cuda" for the first GPU.
Result openDevice(const std::string &name, std::unique_ptr<Device> &out_device);

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_DEVICE_H
