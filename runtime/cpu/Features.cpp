//===- Features.cpp - what the host CPU can do ----------------------------===//
//
// The compiler's table of features where it has one, CPUID for the rest.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Features.h"

using namespace udnn;

#if defined(__x86_64__)
#include <cpuid.h>

namespace {
struct CPUIDBit {
  const char *name;
  unsigned leaf, subleaf;
  /// 0 to 3: eax, ebx, ecx, edx.
  unsigned reg, bit;
};
} // namespace

/// Features that `__builtin_cpu_supports` does not know, from Intel's and AMD's manuals.
static constexpr CPUIDBit kCPUIDBits[] = {
    {"64bit", 0x80000001, 0, 3, 29},
    {"cx8", 1, 0, 3, 8},
    {"cx16", 1, 0, 2, 13},
    {"crc32", 1, 0, 2, 20},
    {"fxsr", 1, 0, 3, 24},
    {"sahf", 0x80000001, 0, 2, 0},
    {"invpcid", 7, 0, 1, 10},
    {"rdpru", 0x80000008, 0, 1, 4},
    {"sha512", 7, 1, 0, 0},
    {"sm3", 7, 1, 0, 1},
    {"sm4", 7, 1, 0, 2},
    {"raoint", 7, 1, 0, 3},
    {"cmpccxadd", 7, 1, 0, 7},
    {"amx-fp16", 7, 1, 0, 21},
    {"avxifma", 7, 1, 0, 23},
    {"movrs", 7, 1, 0, 31},
    {"avxvnniint8", 7, 1, 3, 4},
    {"avxneconvert", 7, 1, 3, 5},
    {"amx-complex", 7, 1, 3, 8},
    {"avxvnniint16", 7, 1, 3, 10},
    {"prefetchi", 7, 1, 3, 14},
    {"usermsr", 7, 1, 3, 15},
    {"avx10.1", 7, 1, 3, 19},
    // All of Intel's APX stands behind one bit.
    {"ccmp", 7, 1, 3, 21},
    {"cf", 7, 1, 3, 21},
    {"egpr", 7, 1, 3, 21},
    {"ndd", 7, 1, 3, 21},
    {"nf", 7, 1, 3, 21},
    {"ppx", 7, 1, 3, 21},
    {"push2pop2", 7, 1, 3, 21},
    {"zu", 7, 1, 3, 21},
    {"amx-fp8", 0x1e, 1, 0, 4},
    {"amx-tf32", 0x1e, 1, 0, 6},
    {"amx-avx512", 0x1e, 1, 0, 7},
    {"amx-movrs", 0x1e, 1, 0, 8},
    // The version of AVX10 is a number; 2 and 3 have this bit.
    {"avx10.2", 0x24, 0, 1, 1},
};

static bool hasCPUIDBit(const CPUIDBit &bit) {
  unsigned regs[4];
  if (!__get_cpuid_count(bit.leaf, bit.subleaf, &regs[0], &regs[1], &regs[2], &regs[3]))
    return false;
  return regs[bit.reg] >> bit.bit & 1;
}

bool runtime::hasCPUFeature(const std::string &name) {
  __builtin_cpu_init();
#define FEATURE(NAME)                                                                              \
  if (name == NAME)                                                                                \
    return __builtin_cpu_supports(NAME) != 0;
  FEATURE("adx")
  FEATURE("aes")
  FEATURE("amx-bf16")
  FEATURE("amx-int8")
  FEATURE("amx-tile")
  FEATURE("avx")
  FEATURE("avx2")
  FEATURE("avx512bf16")
  FEATURE("avx512bitalg")
  FEATURE("avx512bw")
  FEATURE("avx512cd")
  FEATURE("avx512dq")
  FEATURE("avx512f")
  FEATURE("avx512fp16")
  FEATURE("avx512ifma")
  FEATURE("avx512vbmi")
  FEATURE("avx512vbmi2")
  FEATURE("avx512vl")
  FEATURE("avx512vnni")
  FEATURE("avx512vp2intersect")
  FEATURE("avx512vpopcntdq")
  FEATURE("avxvnni")
  FEATURE("bmi")
  FEATURE("bmi2")
  FEATURE("cldemote")
  FEATURE("clflushopt")
  FEATURE("clwb")
  FEATURE("clzero")
  FEATURE("cmov")
  FEATURE("enqcmd")
  FEATURE("f16c")
  FEATURE("fma")
  FEATURE("fma4")
  FEATURE("fsgsbase")
  FEATURE("gfni")
  FEATURE("hreset")
  FEATURE("kl")
  FEATURE("lwp")
  FEATURE("lzcnt")
  FEATURE("mmx")
  FEATURE("movbe")
  FEATURE("movdir64b")
  FEATURE("movdiri")
  FEATURE("mwaitx")
  FEATURE("pclmul")
  FEATURE("pconfig")
  FEATURE("pku")
  FEATURE("popcnt")
  FEATURE("prfchw")
  FEATURE("ptwrite")
  FEATURE("rdpid")
  FEATURE("rdrnd")
  FEATURE("rdseed")
  FEATURE("rtm")
  FEATURE("serialize")
  FEATURE("sgx")
  FEATURE("sha")
  FEATURE("shstk")
  FEATURE("sse")
  FEATURE("sse2")
  FEATURE("sse3")
  FEATURE("sse4.1")
  FEATURE("sse4.2")
  FEATURE("sse4a")
  FEATURE("ssse3")
  FEATURE("tbm")
  FEATURE("tsxldtrk")
  FEATURE("uintr")
  FEATURE("vaes")
  FEATURE("vpclmulqdq")
  FEATURE("waitpkg")
  FEATURE("wbnoinvd")
  FEATURE("widekl")
  FEATURE("xop")
  FEATURE("xsave")
  FEATURE("xsavec")
  FEATURE("xsaveopt")
  FEATURE("xsaves")
#undef FEATURE
  for (const CPUIDBit &bit : kCPUIDBits)
    if (name == bit.name)
      return hasCPUIDBit(bit);
  return false;
}

#else

// Other architectures: the loader refuses code of another machine, and finer features have no
// portable query.
bool runtime::hasCPUFeature(const std::string &) { return true; }

#endif
