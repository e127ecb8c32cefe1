//===- FakeCudaState.h - inside of the fake CUDA driver ----------*- C++ -*-===//
//
// The fake's handles and what it keeps track of.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_TEST_RUNTIME_FAKECUDASTATE_H
#define UDNN_TEST_RUNTIME_FAKECUDASTATE_H

#include "FakeCuda.h"

#include "../../runtime/cuda/Driver.h"

#include <map>
#include <mutex>
#include <set>

namespace udnn::runtime {

struct CUctx_st {
  int retained = 0;
};

struct CUfunc_st {
  std::string name;
  size_t numParameters;
  int maxSharedBytes = 48 << 10;
};

struct CUmod_st {
  std::map<std::string, CUfunc_st> functions;
};

/// A kernel, or a copy when there is no function.
struct Operation {
  CUfunction function = nullptr;
  test::FakeLaunch launch = {};
  void *target = nullptr;
  const void *source = nullptr;
  size_t bytes = 0;
};

struct CUgraph_st {
  std::vector<Operation> operations;
};

struct CUgraphExec_st {
  std::vector<Operation> operations;
};

struct CUstream_st {
  /// While operations are captured.
  CUgraph graph = nullptr;
  CUresult error = CUDA_SUCCESS;
};

struct CUevent_st {
  /// Negative until it is recorded.
  double ms = -1;
};

} // namespace udnn::runtime

namespace udnn::test {

/// Errors that only the fake returns, by their numbers in cuda.h.
constexpr int kInvalidContext = 201, kNoBinary = 209, kInvalidPtx = 218, kNotFound = 500,
              kIllegalAddress = 700;

/// Everything the fake knows, guarded by `mutex`.
struct FakeState {
  FakeState() { fake.launches.reserve(1 << 16); }

  std::mutex mutex;
  FakeCuda fake;
  runtime::CUctx_st contexts[4];
  /// Start and bytes of what is allocated on the device, and pinned on the host.
  std::map<uintptr_t, size_t> memories, pinned;
  /// Modules, streams, events and graphs that are alive.
  std::set<const void *> handles;
  uint64_t usedBytes = 0;
  /// Grows with each kernel.
  double clockMs = 0;
};

FakeState &getState();

/// Contexts that were pushed on this thread.
struct ContextStack {
  runtime::CUcontext contexts[16];
  int depth = 0;
};

ContextStack &getContextStack();

/// Writes down what is wrong and returns the error.
int misuse(const std::string &text, int code = runtime::CUDA_ERROR_INVALID_VALUE);

/// Holds the state during a call; `failed` unless a context that somebody retains is current.
struct Call {
  explicit Call(const char *name, bool needsContext = true);
  ~Call() { getState().fake.busy = false; }

  std::lock_guard<std::mutex> lock;
  int failed = runtime::CUDA_SUCCESS;
};

/// Whether `bytes` bytes at `data` lie inside one of the areas.
bool contains(const std::map<uintptr_t, size_t> &areas, const void *data, size_t bytes);

bool isAlive(const void *handle);

/// Captures or runs an operation.
int enqueue(runtime::CUstream stream, const runtime::Operation &operation);

} // namespace udnn::test

#endif // UDNN_TEST_RUNTIME_FAKECUDASTATE_H
