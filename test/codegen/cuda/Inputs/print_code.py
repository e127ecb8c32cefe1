"""Prints the CUDA code of the modules on standard input: the text of PTX, the first bytes of a cubin.

SPDX-License-Identifier: Apache-2.0
"""

import re
import sys

# The bytes of a resource begin with their alignment.
ALIGNMENT = 4

for blob in re.findall(r'\bcode_cuda(?:_\d+)?: "0x([0-9A-F]+)"', sys.stdin.read()):
    code = bytes.fromhex(blob)[ALIGNMENT:]
    print(code[:4] if code.startswith(b"\x7fELF") else code.decode())
