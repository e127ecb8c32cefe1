//===- ThreadPool.cpp - threads that run launches together ----------------===//
//
// How launches are opened and closed, how tasks are divided, and how helpers wait.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include <chrono>
#include <climits>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace udnn;
using namespace udnn::runtime;

/// Turns of a waiting loop: all without leaving the processor at first, then with offers of it to
/// other threads, then a helper goes to sleep. All together some hundred microseconds: longer than
/// most launches that only one thread works on, shorter than the pauses between most runs.
static constexpr int kBusyTurns = 1000, kAllTurns = 8000, kTurnsPerYield = 50;

/// One turn of a waiting loop.
static void relax(int turn) {
  if (turn > kBusyTurns && turn % kTurnsPerYield == 0)
    sched_yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static int64_t getTimeNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static uint64_t packRange(uint32_t begin, uint32_t end) { return begin | uint64_t(end) << 32; }

ThreadPool::ThreadPool(uint32_t threads) : threads(threads), ranges(threads) {}

std::unique_ptr<ThreadPool> ThreadPool::create(uint32_t threads) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(threads));
  pool->helpers.reserve(threads);
  for (uint32_t i = 1; i < threads; ++i) {
    pool->helpers.push_back({pool.get(), i, {}});
    Helper &helper = pool->helpers.back();
    if (pthread_create(&helper.thread, nullptr, runHelper, &helper) == 0)
      continue;
    pool->helpers.pop_back();
    return nullptr;
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping = true;
  ticket.fetch_add(2);
  wakeHelpers();
  for (Helper &helper : helpers)
    pthread_join(helper.thread, nullptr);
}

//===----------------------------------------------------------------------===//
// The caller of run
//===----------------------------------------------------------------------===//

void ThreadPool::run(const Work *work, size_t count, int64_t *out_ns) {
  int64_t start = out_ns ? getTimeNs() : 0;
  for (size_t i = 0; i < count; ++i) {
    if (threads == 1 || work[i].tasks <= 1)
      work[i].kernel(work[i].arguments, 0, work[i].tasks);
    else
      runTogether(work[i]);
    if (!out_ns)
      continue;
    int64_t end = getTimeNs();
    out_ns[i] = end - start;
    start = end;
  }
}

void ThreadPool::runTogether(const Work &work) {
  open(work);
  runTasks(work, 0);
  close();
}

/// Divides the tasks and lets helpers in.
void ThreadPool::open(const Work &work) {
  current = &work;
  uint64_t first = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    uint64_t end = uint64_t(work.tasks) * (i + 1) / threads;
    ranges[i].tasks.store(packRange(first, end), std::memory_order_relaxed);
    first = end;
  }
  ticket.fetch_add(1);
  if (sleeping.load())
    wakeHelpers();
}

/// Lets no more helpers in, and waits for those that still run tasks. Sequentially consistent with
/// `help`: either the helper sees that the launch is closed, or it is seen to be active.
void ThreadPool::close() {
  ticket.fetch_add(1);
  for (int turn = 0; active.load() != 0; ++turn)
    relax(turn);
}

void ThreadPool::wakeHelpers() {
  if (sleeping.exchange(false))
    syscall(SYS_futex, &ticket, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

void *ThreadPool::runHelper(void *argument) {
  Helper &helper = *static_cast<Helper *>(argument);
  helper.pool->help(helper.worker);
  return nullptr;
}

void ThreadPool::help(uint32_t worker) {
  for (uint32_t seen = 0; !stopping;) {
    seen = waitForTicket(seen);
    active.fetch_add(1);
    if (ticket.load() == seen && !stopping)
      runTasks(*current, worker);
    active.fetch_sub(1);
  }
}

/// Waits until a launch is open whose ticket is not `seen`, or the pool stops.
uint32_t ThreadPool::waitForTicket(uint32_t seen) {
  for (int turn = 0;; ++turn) {
    uint32_t now = ticket.load(std::memory_order_acquire);
    if ((now % 2 == 1 && now != seen) || stopping.load(std::memory_order_relaxed))
      return now;
    if (turn < kAllTurns) {
      relax(turn);
      continue;
    }
    // Either the opener sees the flag, or the futex sees its ticket.
    sleeping = true;
    syscall(SYS_futex, &ticket, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
    turn = 0;
  }
}

/// Runs tasks of the open launch until none is left to take: own ones from the front, others' from
/// the back. Parts shrink, so that little is left to wait for at the end.
void ThreadPool::runTasks(const Work &work, uint32_t worker) {
  void *const *arguments = work.arguments + worker * work.stride;
  for (uint32_t i = 0; i < threads; ++i) {
    uint32_t owner = (worker + i) % threads;
    std::atomic<uint64_t> &range = ranges[owner].tasks;
    uint64_t tasks = range.load(std::memory_order_relaxed);
    for (;;) {
      uint32_t begin = uint32_t(tasks), end = tasks >> 32;
      if (begin == end)
        break;
      uint32_t count = (end - begin + 1) / 2;
      bool own = owner == worker;
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
