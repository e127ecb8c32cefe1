"""How lit runs udnn's tests: the tools by their names, %python, %source, and round-trip mode.

`--param roundtrip=1` makes udnn-opt print and parse every module again and compare.

SPDX-License-Identifier: Apache-2.0
"""

import os

import lit.formats

config.name = "udnn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
if lit_config.params.get("roundtrip"):
    config.test_exec_root = os.path.join(config.test_exec_root, "roundtrip")

config.environment["PATH"] = os.pathsep.join(
    [config.udnn_tools, config.llvm_tools, config.environment["PATH"]]
)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [("%python", config.python), ("%source", config.udnn_source)]
if lit_config.params.get("roundtrip"):
    # A tool's name inside a path or a longer word stays as it is.
    config.substitutions.append((r"(?<![-/.\w])udnn-opt(?![-.\w])", "udnn-opt --verify-roundtrip"))
