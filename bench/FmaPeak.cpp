//===- FmaPeak.cpp - the rate of fused multiply-adds of this machine --------===//
//
// Prints the single precision GFLOP/s that the given number of threads reach with independent
// fused multiply-adds in registers: what a kernel's rate is a share of.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <immintrin.h>
#include <thread>
#include <vector>

namespace {

constexpr int kAccumulators = 12;
constexpr long kSteps = 2000000;

/// Keeps the sums alive; its value is of no interest.
volatile float sink;

__attribute__((target("avx512f"))) void multiplyAddWide() {
  __m512 sums[kAccumulators];
  for (__m512 &sum : sums)
    sum = _mm512_set1_ps(1.0f);
  __m512 factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(0.001f);
  for (long step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
    for (__m512 &sum : sums)
      sum = _mm512_fmadd_ps(sum, factor, term);
  }
  for (__m512 &sum : sums)
    sink = sum[0];
}

__attribute__((target("avx2,fma"))) void multiplyAddNarrow() {
  __m256 sums[kAccumulators];
  for (__m256 &sum : sums)
    sum = _mm256_set1_ps(1.0f);
  __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(0.001f);
  for (long step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(sum, factor, term);
  }
  for (__m256 &sum : sums)
    sink = sum[0];
}

} // namespace

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  bool isWide = __builtin_cpu_supports("avx512f");
  if (!isWide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) {
    std::fprintf(stderr, "error: needs a CPU with AVX2 and FMA\n");
    return 1;
  }
  double best = 0;
  for (int round = 0; round < 25; ++round) {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i)
      workers.emplace_back(isWide ? multiplyAddWide : multiplyAddNarrow);
    for (std::thread &worker : workers)
      worker.join();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    double flops = 2.0 * (isWide ? 16 : 8) * kAccumulators * kSteps * threads;
    best = std::max(best, flops / seconds.count());
  }
  std::printf("%.1f\n", best / 1e9);
  return 0;
}
