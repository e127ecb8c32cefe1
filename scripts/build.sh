#!/usr/bin/env bash
# Configures and builds udnn in build/ (or $UDNN_BUILD), warnings as errors. Arguments go to CMake.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
build="${UDNN_BUILD:-build}"

echo "build: configuring $build"
cmake -G Ninja -S . -B "$build" -DUDNN_WERROR=ON "$@" --log-level=WARNING
echo "build: compiling in $build (a first build takes up to 30 minutes on 2 cores)"
NINJA_STATUS='[%f/%t %es] ' ninja -C "$build"
echo "build: programs are in $build/bin"
