"""Assembles the code of artifacts once more with no features but those that they name.

    check_instructions.py FOLDER MODEL...

SPDX-License-Identifier: Apache-2.0
"""

import json
import pathlib
import platform
import re
import subprocess
import sys

CPUS = ["x86-64-v3", "skylake-avx512", "icelake-server", "sapphirerapids", "znver4"]


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True,
                          **options).stdout


def disassemble(artifact, folder):
    """The instructions of an artifact, without jumps, whose targets have no names."""
    data = artifact.read_bytes()
    library = folder / "code.so"
    library.write_bytes(data[data.index(b"\x7fELF"):])
    lines = []
    for line in run("llvm-objdump", "-d", "--no-show-raw-insn", library).splitlines():
        instruction = re.match(r"\s*[0-9a-f]+:\s+([^<#]+)", line)
        if instruction and not re.match(r"(j|call)", instruction[1]):
            lines.append(instruction[1].strip())
    return lines


def check(folder, model, cpu):
    artifact = folder / f"{model}.udnn"
    run("udnn-compile", folder / f"{model}.onnx", f"--cpu={cpu}", "-o", artifact)
    info = json.loads(run("udnn-run", artifact, "--info", "--json"))
    features = info["programs"][0]["device_features"]
    instructions = disassemble(artifact, folder)
    assert instructions, f"{model} for {cpu}: no code"
    # The GNU assembler's names; LLVM's assembler takes any instruction.
    names = [re.sub(r"^(avx512)(vnni|bf16|fp16)", r"\1_\2", feature) for feature in features]
    assembled = subprocess.run(
        ["as", "-o", folder / "code.o", "-march=" + "+".join(["generic64", *names])],
        input="\n".join(instructions) + "\n", capture_output=True, text=True)
    assert not assembled.returncode, f"{model} for {cpu}: {assembled.stderr[:500]}"


if platform.machine() == "x86_64":
    for name in sys.argv[2:]:
        for cpu in CPUS:
            check(pathlib.Path(sys.argv[1]), name, cpu)
