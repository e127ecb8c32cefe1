#!/usr/bin/env bash
# Runs on a machine with an NVIDIA GPU what test/gpu/prepare.sh wrote on one that builds udnn.
# Prints the device, the versions, and for every set of cases how many passed; exits with 1 after a
# failure.
set -uo pipefail
if [ $# -lt 1 ] || [ "$1" = --help ]; then
  echo "usage: test/gpu/check_on_gpu.sh FOLDER [SET...]"
  echo "  FOLDER  what test/gpu/prepare.sh wrote"
  echo "  SET     families, models or nodes (default: those that FOLDER holds)"
  exit $(($# < 1))
fi
folder=$(realpath "$1")
shift
export LD_LIBRARY_PATH=$folder/bin${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
runPrepared=$(dirname "$0")/../run_prepared.py
udnnRun=$folder/bin/udnn-run
status=0

echo "date: $(date -u +%F)"
nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader |
  sed 's/^/device, driver, compute capability: /'
"$udnnRun" --version | sed 's/^/udnn-run: /'
cat "$folder/versions.txt"
for set in "${@:-families models nodes}"; do
  for name in $set; do
    [ -d "$folder/$name" ] || continue
    echo "== $name"
    verbose=()
    [ "$name" = models ] && verbose=(--verbose --jobs=1)
    python3 "$runPrepared" "$folder/$name" --run "$udnnRun" "${verbose[@]}" --device=cuda:0 || status=1
  done
done
artifact=$(find "$folder/models" -name model.udnn -path '*squeezenet*' 2>/dev/null | sort | head -n 1)
if [ -n "$artifact" ] && command -v compute-sanitizer >/dev/null; then
  echo "== compute-sanitizer memcheck, $(basename "$(dirname "$artifact")")"
  compute-sanitizer --tool memcheck --error-exitcode 1 "$udnnRun" "$artifact" --device=cuda:0 || status=1
fi
exit $status
