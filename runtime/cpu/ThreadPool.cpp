//===- ThreadPool.cpp - workers that run launches in step -----------------===//
//
// Barriers, division of tasks, and the workers' loop.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace udnn;
using namespace udnn::runtime;

/// Turns of the waiting loop before a thread goes to sleep: tens of microseconds, longer than the
/// difference between workers in most launches and far shorter than the pauses between runs.
static constexpr int kSpins = 4000;

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static int64_t getTimeNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

//===----------------------------------------------------------------------===//
// Barrier
//===----------------------------------------------------------------------===//

void Barrier::waitForNext(uint32_t now) {
  for (int spins = 0; spins < kSpins; ++spins) {
    if (generation.load(std::memory_order_acquire) != now)
      return;
    relax();
  }
  // Sequentially consistent with `release`: either the releasing thread sees the sleeper, or the
  // futex sees the new generation.
  sleepers.fetch_add(1);
  while (generation.load() == now)
    syscall(SYS_futex, &generation, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
  sleepers.fetch_sub(1);
}

void Barrier::release(uint32_t next) {
  generation.store(next);
  if (sleepers.load() != 0)
    syscall(SYS_futex, &generation, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

//===----------------------------------------------------------------------===//
// ThreadPool
//===----------------------------------------------------------------------===//

static uint64_t packRange(uint32_t begin, uint32_t end) { return begin | uint64_t(end) << 32; }

ThreadPool::ThreadPool(uint32_t threads) : threads(threads), barrier(threads), ranges(threads) {}

std::unique_ptr<ThreadPool> ThreadPool::create(uint32_t threads) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(threads));
  pool->workers.reserve(threads);
  for (uint32_t i = 1; i < threads; ++i) {
    pool->workers.push_back({pool.get(), i, {}});
    Worker &worker = pool->workers.back();
    if (pthread_create(&worker.thread, nullptr, runWorker, &worker) == 0)
      continue;
    // The destructor ends the threads that exist; they must not wait for the missing ones.
    pool->workers.pop_back();
    pool->barrier.setThreads(i);
    return nullptr;
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  if (workers.empty())
    return;
  stopping = true;
  barrier.wait([] {});
  for (Worker &worker : workers)
    pthread_join(worker.thread, nullptr);
}

void *ThreadPool::runWorker(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  for (;;) {
    worker.pool->barrier.wait([&] { worker.pool->begin(0); });
    if (worker.pool->stopping)
      return nullptr;
    worker.pool->walk(worker.index);
  }
}

void ThreadPool::run(const Work *work, size_t count, int64_t *out_ns) {
  if (count == 0)
    return;
  list = work;
  listSize = count;
  times = out_ns;
  if (threads == 1) {
    walkAlone();
    return;
  }
  barrier.wait([&] { begin(0); });
  walk(0);
}

/// Runs the list as one of the workers.
void ThreadPool::walk(uint32_t worker) {
  // Read before the last barrier: the next run may change them afterwards.
  const Work *work = list;
  size_t count = listSize;
  for (size_t i = 0; i < count; ++i) {
    runTasks(work[i], worker);
    barrier.wait([&] { begin(i + 1); });
  }
}

/// Runs the list without other threads.
void ThreadPool::walkAlone() {
  for (size_t i = 0; i < listSize; ++i) {
    takeTime(i);
    list[i].kernel(list[i].arguments, 0, list[i].tasks);
  }
  takeTime(listSize);
}

/// Notes that a launch begins and the one before it has ended.
void ThreadPool::takeTime(size_t launch) {
  if (!times)
    return;
  int64_t time = getTimeNs();
  if (launch != 0)
    times[launch - 1] = time - launchStart;
  launchStart = time;
}

/// Gives each worker its share of a launch; called while all wait. The first workers get the
/// larger shares, so a single task stays with the thread that called `run`.
void ThreadPool::begin(size_t launch) {
  if (stopping)
    return;
  takeTime(launch);
  if (launch == listSize)
    return;
  uint64_t tasks = list[launch].tasks, first = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    uint64_t end = (tasks * (i + 1) + threads - 1) / threads;
    ranges[i].tasks.store(packRange(first, end), std::memory_order_relaxed);
    first = end;
  }
}

void ThreadPool::runTasks(const Work &work, uint32_t worker) {
  void *const *arguments = work.arguments + worker * work.stride;
  for (uint32_t i = 0; i < threads; ++i) {
    uint32_t victim = (worker + i) % threads;
    std::atomic<uint64_t> &range = ranges[victim].tasks;
    uint64_t tasks = range.load(std::memory_order_relaxed);
    for (;;) {
      uint32_t begin = uint32_t(tasks), end = tasks >> 32;
      if (begin == end)
        break;
      // Own tasks are taken from the front, others' from the back. Parts shrink, so that little
      // is left to wait for at the end.
      uint32_t count = (end - begin + 1) / 2;
      bool own = victim == worker;
      uint64_t rest = own ? packRange(begin + count, end) : packRange(begin, end - count);
      if (!range.compare_exchange_weak(tasks, rest, std::memory_order_relaxed))
        continue;
      if (own)
        work.kernel(arguments, begin, begin + count);
      else
        work.kernel(arguments, end - count, end);
      tasks = range.load(std::memory_order_relaxed);
    }
  }
}
