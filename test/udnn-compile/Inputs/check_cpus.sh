# Compiles models for all levels of x86-64, and compares those that this processor can run with the
# code for itself: check_cpus.sh FOLDER MODEL...
#
# SPDX-License-Identifier: Apache-2.0

cd "$1"
shift
[ "$(uname -m)" = x86_64 ] || exit 0
for model; do
  udnn-compile $model.onnx -o native.udnn > /dev/null
  udnn-run native.udnn --input x=random:7 --output-dir native > /dev/null
  for cpu in x86-64 x86-64-v2 x86-64-v3 x86-64-v4 znver3 skylake-avx512; do
    udnn-compile $model.onnx --cpu=$cpu -o $cpu.udnn > /dev/null
    [ $cpu = x86-64 ] || [ $cpu = x86-64-v2 ] || continue
    udnn-run $cpu.udnn --input x=random:7 --expected y=native/output_0.npy \
      --expected f=native/output_1.npy --rtol 1e-2 > /dev/null
  done
done
