//===- AllocationTest.cpp - a warm run allocates nothing ------------------===//
//
// Replaces the allocation functions of the whole process by counting ones.
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
