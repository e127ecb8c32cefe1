//===- ThreadPool.h - workers that run launches in step ----------*- C++ -*-===//
//
// The threads of one execution context.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_RUNTIME_CPU_THREADPOOL_H
#define UDNN_RUNTIME_CPU_THREADPOOL_H

#include <atomic>
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

/// Where threads wait for each other: spins for a short while, then sleeps.
class Barrier {
public:
  explicit Barrier(uint32_t threads) : threads(threads) {}

  /// Changes the number of threads, called by one of them while it does not wait.
  void setThreads(uint32_t count) { threads.store(count); }

  /// Waits until all threads are here. The last one calls `action` before anybody goes on.
  template <typename Action>
  void wait(Action action) {
    uint32_t now = generation.load(std::memory_order_relaxed);
    if (arrived.fetch_add(1) + 1 != threads.load()) {
      waitForNext(now);
      return;
    }
    arrived.store(0, std::memory_order_relaxed);
    action();
    release(now + 1);
  }

private:
  void waitForNext(uint32_t now);
  void release(uint32_t next);

  std::atomic<uint32_t> threads;
  alignas(64) std::atomic<uint32_t> arrived{0};
  alignas(64) std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> sleepers{0};
};

/// Threads that run lists of launches together: every thread walks the whole list and meets the
/// others after each launch. The tasks of a launch are divided evenly; who is done early takes
/// from the others.
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
  static void *runWorker(void *worker);
  void walk(uint32_t worker);
  void walkAlone();
  void begin(size_t launch);
  void takeTime(size_t launch);
  void runTasks(const Work &work, uint32_t worker);

  /// Tasks that are left to one worker: the first in the low half, the end in the high half.
  struct alignas(64) Range {
    std::atomic<uint64_t> tasks{0};
  };
  struct Worker {
    ThreadPool *pool;
    uint32_t index;
    pthread_t thread;
  };

  const uint32_t threads;
  Barrier barrier;
  std::vector<Range> ranges;
  std::vector<Worker> workers;
  /// What is run; written by the caller of `run` before the barrier that starts it.
  const Work *list = nullptr;
  size_t listSize = 0;
  int64_t *times = nullptr;
  int64_t launchStart = 0;
  bool stopping = false;
};

} // namespace udnn::runtime

#endif // UDNN_RUNTIME_CPU_THREADPOOL_H
