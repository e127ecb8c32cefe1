#!/usr/bin/env bash
# Installs, builds and runs all tests; then those of the parts without MLIR once more under the
# address and undefined behaviour sanitizers. Arguments go to ctest, such as --label-exclude models.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/build.sh
UDNN_BUILD=build-sanitize scripts/build.sh -DUDNN_RUNTIME_ONLY=ON -DUDNN_SANITIZE=ON

failed=()
echo "check: tests of the sanitized build"
ctest --test-dir build-sanitize --output-on-failure --no-tests=error -j2 || failed+=(build-sanitize)
echo "check: tests"
ctest --test-dir build --output-on-failure --no-tests=error -j2 "$@" || failed+=(build)

if ((${#failed[@]} == 0)); then
  echo "check: all tests passed; those that need a GPU are skipped where there is none"
else
  echo "check: tests failed in ${failed[*]}" >&2
  exit 1
fi
