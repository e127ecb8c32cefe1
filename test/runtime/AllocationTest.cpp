//===- AllocationTest.cpp - allocations that are not made, or fail ---------===//
//
// Replaces the allocation functions of the whole process by ones that count and fail at will.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "TestArtifact.h"

#include "udnn-c/udnn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <new>

// Set while allocations of any thread are counted.
static std::atomic<bool> counting{false};
static std::atomic<int> allocations{0};

static void note() {
  if (counting.load(std::memory_order_relaxed))
    ++allocations;
}

// glibc's functions under their other names.
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size) {
  note();
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : 12;
}
}

// Calls of operator new that succeed before all others fail; any number when negative. Those of the
// driver always succeed: it is C, and throws nothing.
static std::atomic<int> allowed{-1};
static udnn::test::FakeCuda *driver = nullptr;

// Not inlined, or the compiler would see memory of new go to free.
[[gnu::noinline]] void *operator new(size_t size) {
  int left = driver && driver->busy ? -1 : allowed.load();
  if (left == 0)
    throw std::bad_alloc();
  if (left > 0)
    --allowed;
  void *memory = malloc(size ? size : 1);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { free(memory); }

using namespace udnn::test;

TEST(Allocation, CountsAllocations) {
  // Through a volatile pointer, or the compiler would leave the pair out.
  static void *volatile memory;
  counting = true;
  memory = ::operator new(100);
  ::operator delete(memory);
  counting = false;
  EXPECT_EQ(allocations.exchange(0), 1);
}

/// Counts the allocations of warm runs; the last one's output element 9 is `expected`.
static void expectNoAllocations(const std::string &path, const char *device, uint32_t threads,
                                float expected) {
  udnn_model *model = nullptr;
  udnn_context *context = nullptr;
  ASSERT_EQ(udnn_model_load_file(path.c_str(), &model), UDNN_OK);
  ASSERT_EQ(udnn_context_create(model, 0, device, threads, &context), UDNN_OK) << udnn_last_error();
  std::vector<float> x(kElements, 1), y(kElements), z(kElements);
  std::vector<int64_t> ns(3);
  ASSERT_EQ(udnn_context_bind_input(context, 0, x.data(), kElements * 4), UDNN_OK);
  ASSERT_EQ(udnn_context_bind_output(context, 0, y.data(), kElements * 4), UDNN_OK);
  ASSERT_EQ(udnn_context_run(context), UDNN_OK);
  allocations = 0;
  counting = true;
  udnn_status status = UDNN_OK;
  for (int run = 0; run < 20 && status == UDNN_OK; ++run)
    status = udnn_context_run(context);
  // Binding other memory and taking times is part of the run path, too.
  if (status == UDNN_OK)
    status = udnn_context_bind_output(context, 0, z.data(), kElements * 4);
  if (status == UDNN_OK)
    status = udnn_context_run_profiled(context, 3, ns.data());
  counting = false;
  EXPECT_EQ(status, UDNN_OK) << udnn_last_error();
  EXPECT_EQ(allocations, 0) << device << ", " << threads << " threads";
  EXPECT_EQ(z[9], expected);
  udnn_context_destroy(context);
  udnn_model_destroy(model);
}

TEST(Allocation, WarmRunAllocatesNothing) {
  TemporaryFolder folder;
  writeModel(folder.file("model.udnn"));
  for (uint32_t threads : {1, 2, 4})
    expectNoAllocations(folder.file("model.udnn"), "cpu", threads, getExpected(1, 9));
}

TEST(Allocation, WarmRunOnGPUAllocatesNothing) {
  ASSERT_NE(getFakeCuda(), nullptr) << "LD_LIBRARY_PATH must name the folder of the fake driver";
  TemporaryFolder folder;
  writeCudaModel(folder.file("model.udnn"), {{"sm_90", "ptx"}});
  expectNoAllocations(folder.file("model.udnn"), "cuda", 0, getCudaExpected(1, 9));
}

/// Calls `function` with no memory, then with one more allocation each time until it succeeds:
/// every failure is reported. Returns the number of failures.
template <typename Function>
static int countFailures(Function function) {
  for (int count = 0; count < 10000; ++count) {
    allowed = count;
    udnn_status status = function();
    allowed = -1;
    if (status == UDNN_OK)
      return count;
    EXPECT_EQ(status, UDNN_OUT_OF_MEMORY) << udnn_last_error();
    EXPECT_STREQ(udnn_last_error(), "out of memory") << count << " allocations";
  }
  ADD_FAILURE() << "never succeeds";
  return 0;
}

/// Every call of the API that allocates reports it when that fails, and can be repeated.
TEST(Allocation, FailuresAreReported) {
  TemporaryFolder folder;
  std::string path = folder.file("model.udnn");
  writeModel(path);
  udnn_model *model = nullptr;
  EXPECT_GT(countFailures([&] { return udnn_model_load_file(path.c_str(), &model); }), 10);
  ASSERT_NE(model, nullptr);
  size_t program = 1;
  EXPECT_GT(countFailures([&] { return udnn_model_find_program(model, "main", "cpu", &program); }),
            0);
  EXPECT_EQ(program, 0u);
  udnn_context *context = nullptr;
  EXPECT_GT(countFailures([&] { return udnn_context_create(model, 0, "cpu", 2, &context); }), 10);
  ASSERT_NE(context, nullptr);
  // The message of a failure is allocated, too.
  allowed = 0;
  udnn_status status = udnn_context_run(context);
  allowed = -1;
  EXPECT_EQ(status, UDNN_OUT_OF_MEMORY);
  std::vector<float> x(kElements, 1), y(kElements);
  ASSERT_EQ(udnn_context_bind_input(context, 0, x.data(), kElements * 4), UDNN_OK);
  ASSERT_EQ(udnn_context_bind_output(context, 0, y.data(), kElements * 4), UDNN_OK);
  ASSERT_EQ(udnn_context_run(context), UDNN_OK);
  EXPECT_EQ(y[9], getExpected(1, 9));
  udnn_context_destroy(context);
  udnn_model_destroy(model);
}

/// On a GPU nothing that was created is lost.
TEST(Allocation, FailuresOnGPUAreReported) {
  FakeCuda *fake = driver = getFakeCuda();
  ASSERT_NE(fake, nullptr) << "LD_LIBRARY_PATH must name the folder of the fake driver";
  TemporaryFolder folder;
  writeCudaModel(folder.file("model.udnn"), {{"sm_90", "ptx"}});
  udnn_model *model = nullptr;
  ASSERT_EQ(udnn_model_load_file(folder.file("model.udnn").c_str(), &model), UDNN_OK);
  udnn_context *context = nullptr;
  EXPECT_GT(countFailures([&] { return udnn_context_create(model, 0, "cuda", 0, &context); }), 10);
  udnn_context_destroy(context);
  udnn_model_destroy(model);
  EXPECT_EQ(fake->contexts, 0);
  EXPECT_EQ(fake->modules, 0);
  EXPECT_EQ(fake->memories, 0);
  EXPECT_EQ(fake->events, 0);
  EXPECT_EQ(fake->streams, 0);
  EXPECT_EQ(fake->misuse, std::vector<std::string>());
}
