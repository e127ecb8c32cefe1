#!/usr/bin/env bash
# Compiles test cases for a GPU on a machine that needs none, and lays them with the runtime into a
# folder that test/gpu/check_on_gpu.sh runs on a machine with the GPU (Linux, x86-64, Python, no MLIR).
set -euo pipefail
if [ $# -lt 1 ] || [ "$1" = --help ]; then
  echo "usage: test/gpu/prepare.sh FOLDER [MODEL...]"
  echo "  FOLDER  a new folder for the cases"
  echo "  MODEL   models of test/models (default: those that CUDA is tested with); 'none': no model;"
  echo "          the node tests and the kernel families come too unless models are named"
  echo "environment: TARGET (default cuda:sm_90a), PYTHON (default .venv/bin/python3), BUILD (default build)"
  exit $(($# < 1))
fi
folder=$(realpath -m "$1")
shift
cd "$(dirname "$0")/../.."
target=${TARGET:-cuda:sm_90a} python=${PYTHON:-.venv/bin/python3} build=${BUILD:-build}
models=("$@")
if [ ${#models[@]} -eq 0 ]; then
  models=(squeezenet mobilenet_v2 resnet18 ocr_detect ocr_direction ocr_recognize)
  "$python" test/families/check_families.py --tools "$build/bin" --prepare "$folder/families" --target "$target"
  # What a case was made from stays here.
  find "$folder/families" -mindepth 2 -maxdepth 2 -type f -delete
  "$python" test/conformance/run_node_tests.py --tools "$build/bin" --prepare "$folder/nodes" --target "$target"
  find "$folder/nodes" -name model.onnx -delete
fi
[ "${models[*]}" = none ] ||
  "$python" test/models/check_models.py --tools "$build/bin" --prepare "$folder/models" --target "$target" "${models[@]}"
mkdir -p "$folder/bin"
cp -P "$build"/lib/libudnn.so* "$build/bin/udnn-run" "$folder/bin/"
{
  echo "compiled for $target by: $("$build/bin/udnn-compile" --version | head -n 1)"
  echo "references: ONNX Runtime $("$python" -c 'import onnxruntime; print(onnxruntime.__version__)')"
} > "$folder/versions.txt"
