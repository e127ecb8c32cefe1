//===- ThreadPool.h - threads that run launches together ---------*- C++ -*-===//
//
// The threads of one execution context.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CPU_THREADPOOL_H
#define UDNN_RUNTIME_CPU_THREADPOOL_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <vector>

namespace udnn::runtime {

/// A kernel: runs the tasks begin..end-1 of its grid.
using KernelFn = void (*)(void *const *arguments, int64_t begin, int64_t end);

/// One launch, ready to run.
struct Work {
  KernelFn kernel;
  /// Argument arrays: worker `i` uses `arguments + i * stride` (stride 0: all the same).
  void *const *arguments;
  size_t stride;
  uint32_t tasks;
};

/// The caller of `run` and helpers that take part of each launch. The tasks of a launch are divided
/// evenly; who is done early takes from the others. Nobody waits for a helper that is late (asleep,
/// or not scheduled by a busy system): the others do its tasks.
class ThreadPool {
public:
  /// A pool of `threads` threads, the caller of `run` among them; null when the system refuses.
  static std::unique_ptr<ThreadPool> create(uint32_t threads);
  ~ThreadPool();

  /// Runs all launches in order; times each into `out_ns` unless it is null.
  void run(const Work *work, size_t count, int64_t *out_ns);

  uint32_t getThreads() const { return threads; }

private:
  explicit ThreadPool(uint32_t threads);
  static void *runHelper(void *helper);
  void help(uint32_t worker);
  uint32_t waitForTicket(uint32_t seen);
  void runTogether(const Work &work);
  void open(const Work &work);
  void close();
  void wakeHelpers();
  void runTasks(const Work &work, uint32_t worker);

  /// Tasks that are left to one worker: the first in the low half, the end in the high half.
  struct alignas(64) Range {
    std::atomic<uint64_t> tasks{0};
  };
  struct Helper {
    ThreadPool *pool;
    /// From 1; the caller of `run` is worker 0.
    uint32_t worker;
    pthread_t thread;
  };

  const uint32_t threads;
  std::vector<Range> ranges;
  std::vector<Helper> helpers;
  /// The open launch.
  const Work *current = nullptr;
  /// Odd while a launch is open to helpers; each opening and each closing adds 1.
  alignas(64) std::atomic<uint32_t> ticket{0};
  /// Set by a helper that is about to sleep on the ticket.
  std::atomic<bool> sleeping{false};
  std::atomic<bool> stopping{false};
  /// Helpers that may hold tasks of the open launch.
  alignas(64) std::atomic<uint32_t> active{0};
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CPU_THREADPOOL_H
