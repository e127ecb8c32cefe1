#!/usr/bin/env bash
# Installs, builds and runs the demo: reads a line of text in a picture with a compiled model.
# Arguments go to the demo, such as --image FILE or --text 'words to draw'.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

"$root/scripts/install.sh"
"$root/scripts/build.sh"
exec "$root/.venv/bin/python3" "$root/scripts/demo.py" --tools "$root/${UDNN_BUILD:-build}/bin" "$@"
