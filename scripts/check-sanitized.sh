#!/usr/bin/env bash
# Builds everything, compiler included, under the address and undefined behaviour sanitizers and
# runs the fast tests. Takes about twice as long as a normal build.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
UDNN_BUILD=build-sanitize-all scripts/build.sh -DUDNN_SANITIZE=ON

# Debian's libMLIR is not instrumented: containers that cross its border would be reported as
# overflowing, and allocations that it keeps for the life of the process as leaks.
export ASAN_OPTIONS="detect_container_overflow=0:detect_leaks=0:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
exec ctest --test-dir build-sanitize-all --output-on-failure --no-tests=error -j2 \
  --label-exclude 'models|conformance' "$@"
