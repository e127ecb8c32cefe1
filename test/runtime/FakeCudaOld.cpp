//===- FakeCudaOld.cpp - a CUDA driver that is too old --------------------===//
//
// A libcuda.so.1 that lacks all functions but one.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"))) int cuInit(unsigned) { return 0; }
