#!/usr/bin/env bash
# Installs, builds and runs the demo: reads a line of text in a picture with a compiled model.
# Arguments go to the demo, such as --image FILE or --text 'words to draw'.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/build.sh
exec .venv/bin/python3 scripts/demo.py --tools "${UDNN_BUILD:-build}/bin" "$@"
