/*===- kernels.c - code for the runtime's tests -----------------------------===*\
|*
|* What the compiler would generate: kernels with the runtime's calling
|* convention, built into a shared library that tests put into artifacts.
|*
|* SPDX-License-Identifier: Apache-2.0
|*
\*===----------------------------------------------------------------------===*/

#include <math.h>
#include <stdint.h>

/** Per task one element: y = sqrt(x) + c. Arguments x, c, y. */
void sqrt_add(void *const *arguments, int64_t begin, int64_t end) {
  const float *x = arguments[0], *c = arguments[1];
  float *y = arguments[2];
  for (int64_t i = begin; i < end; ++i)
    y[i] = sqrtf(x[i]) + c[i];
}

/** Per task one element: y = x * factor. Arguments x, y, factor (an integer). */
void scale(void *const *arguments, int64_t begin, int64_t end) {
  const float *x = arguments[0];
  float *y = arguments[1];
  int64_t factor = (int64_t)arguments[2];
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] * (float)factor;
}

/** Per task: y = x by way of the worker's scratch memory, a thousand times. Arguments x, y,
    scratch. */
void by_scratch(void *const *arguments, int64_t begin, int64_t end) {
  const float *x = arguments[0];
  float *y = arguments[1];
  volatile float *scratch = arguments[2];
  for (int64_t i = begin; i < end; ++i) {
    for (int n = 0; n < 1000; ++n)
      scratch[n % 16] = x[i];
    y[i] = scratch[i % 16];
  }
}

/** Per task: counts how often it ran. Argument: one counter per task. */
void count(void *const *arguments, int64_t begin, int64_t end) {
  int32_t *counters = arguments[0];
  for (int64_t i = begin; i < end; ++i)
    ++counters[i];
}

/** Nothing at all. */
void nothing(void *const *arguments, int64_t begin, int64_t end) {
  (void)arguments, (void)begin, (void)end;
}
