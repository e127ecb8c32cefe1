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
sets=("$@")
if [ ${#sets[@]} -eq 0 ]; then
  for name in families models nodes; do
    [ -d "$folder/$name" ] && sets+=("$name")
  done
fi
if [ ${#sets[@]} -eq 0 ]; then
  echo "error: $folder holds no cases: write some with test/gpu/prepare.sh" >&2
  exit 1
fi
for name in "${sets[@]}"; do
  echo "== $name"
  verbose=()
  [ "$name" = models ] && verbose=(--verbose --jobs=1)
  # Fails as well for a set that is missing or holds no case.
  python3 "$runPrepared" "$folder/$name" --run "$udnnRun" "${verbose[@]}" --device=cuda:0 || status=1
done
artifact=$(find "$folder/models" -name model.udnn -path '*squeezenet*' 2>/dev/null | sort | head -n 1)
if [ -n "$artifact" ] && command -v compute-sanitizer >/dev/null; then
  echo "== compute-sanitizer memcheck, $(basename "$(dirname "$artifact")")"
  compute-sanitizer --tool memcheck --error-exitcode 1 "$udnnRun" "$artifact" --device=cuda:0 || status=1
fi
exit $status
