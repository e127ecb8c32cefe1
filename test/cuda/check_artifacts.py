"""Compiles models for the CPU and two GPUs and checks the artifacts, without running them on a GPU.

    check_artifacts.py [--tools build/bin]

One artifact per model holds all three programs. Every program has to list its launches in the same
form, layers have to be served by the families that are meant for them, and ptxas, where there is
one, has to take all PTX. Exit code 77 says that there is no ptxas: only the rest was checked.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import udnn_testing

SKIPPED = 77
LIGHT = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
TARGETS = ("cpu", "cuda:sm_90a", "cuda:sm_80")
FAMILIES = {"cuda.implicit_gemm", "cuda.generic"}


def half_network():
    """A network of float16: convolutions, batched product, and what follows them."""
    random = np.random.default_rng(1)

    def weight(name, *shape):
        return numpy_helper.from_array(random.standard_normal(shape).astype(np.float16), name)

    def value(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT16, shape)

    pads = dict(pads=[1, 1, 1, 1], kernel_shape=[3, 3])
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], "conv", strides=[2, 2], **pads),
        helper.make_node("Relu", ["c1"], ["r1"], "relu"),
        helper.make_node("Conv", ["r1", "w2", "b2"], ["c2"], "conv_residual", **pads),
        helper.make_node("Add", ["c2", "r1"], ["a"], "residual"),
        helper.make_node("Conv", ["a", "w3"], ["c3"], "conv_groups", group=2, **pads),
        helper.make_node("Sigmoid", ["c3"], ["s"], "sigmoid"),
        helper.make_node("MaxPool", ["s"], ["p"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("MatMul", ["p", "m"], ["q"], "matmul"),
        helper.make_node("Add", ["q", "b4"], ["z"], "matmul_bias"),
        helper.make_node("Softmax", ["z"], ["y"], "softmax", axis=-1),
    ]
    weights = [weight("w1", 128, 32, 3, 3), weight("b1", 128), weight("w2", 128, 128, 3, 3),
               weight("b2", 128), weight("w3", 256, 64, 3, 3), weight("m", 28, 96),
               weight("b4", 96)]
    graph = helper.make_graph(nodes, "half", [value("x", [4, 32, 112, 112])],
                              [value("y", [4, 256, 28, 96])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


MODELS = ("light_squeezenet", "light_shufflenet", "half")
# Layers that tensor cores have to compute.
TENSOR_CORES = {"half": ["conv", "conv_residual", "conv_groups", "matmul"]}


def programs_of(tools, artifact):
    result = tools.run("udnn-run", "--info", "--json", artifact)
    assert result.code == 0, result.error
    return json.loads(result.out)["programs"]


def check_programs(programs, has_ptxas):
    """What is wrong with the list of programs."""
    found = []
    formats = [program["code_format"] for program in programs]
    expected = ["elf", "cubin" if has_ptxas else "ptx", "ptx"]
    if formats != expected:
        found.append(f"the code is {formats} instead of {expected}")
    keys = {tuple(launch) for program in programs for launch in program["launches"]}
    if len(keys) != 1:
        found.append(f"launches are listed in {len(keys)} forms: {keys}")
    layers = [{launch["layer"] for launch in program["launches"]} for program in programs]
    if missing := layers[1] - layers[0]:
        found.append(f"layers only for CUDA: {sorted(missing)}")
    if layers[1] != layers[2]:
        found.append("the two GPUs run different layers")
    for program in programs[1:]:
        for launch in program["launches"]:
            threads, name = np.prod(launch["block"]), launch["layer"]
            if launch["family"] not in FAMILIES:
                found.append(f"layer '{name}' has family {launch['family']}")
            if threads % 32 or threads > 1024 or min(launch["grid"]) < 1 or max(
                    launch["grid"][1:]) > 65535:
                found.append(f"layer '{name}' has grid {launch['grid']}, block {launch['block']}")
    return found


def check_choice(report, layers):
    """What is wrong with the families and their parameters."""
    found = []
    for target in report["targets"][1:]:
        chosen = {layer["name"]: layer for layer in target["layers"]}
        for name in layers:
            layer = chosen.get(name, {"family": "none", "parameters": ""})
            if layer["family"] != "cuda.implicit_gemm" or '"mma"' not in layer["parameters"]:
                found.append(f"layer '{name}' for {target['target']} is computed by "
                             f"{layer['family']} {layer['parameters']}")
    return found


def check_code(artifact, ptxas, folder):
    """Finds the PTX in the artifact and assembles it."""
    data = artifact.read_bytes()
    texts = re.findall(rb"//\n// Generated by LLVM NVPTX Back-End[^\0]+", data)
    expected = 1 if ptxas else 2
    if len(texts) != expected:
        return [f"{len(texts)} texts of PTX in the artifact instead of {expected}"]
    found = []
    for i, text in enumerate(texts):
        arch = re.search(rb"^\.target (\w+)", text, re.MULTILINE)[1].decode()
        # A thread's own memory is slow; none of these models needs any.
        if b".local" in text:
            found.append(f"PTX for {arch} uses local memory")
        path = folder / f"{artifact.stem}_{arch}.ptx"
        path.write_bytes(text)
        if ptxas:
            # sm_80 is assembled for a later architecture as well, as drivers do.
            for gpu in dict.fromkeys((arch, "sm_90")):
                done = subprocess.run([ptxas, "--gpu-name", gpu, path, "--output-file", os.devnull],
                                      capture_output=True, text=True)
                if done.returncode:
                    found.append(f"ptxas fails for {gpu}: {done.stdout}{done.stderr}")
    return found


def check(name, tools, ptxas, folder):
    path = LIGHT / f"{name}.onnx"
    if not path.exists():
        path = folder / f"{name}.onnx"
        onnx.save(half_network(), path)
    artifact, report = folder / f"{name}.udnn", folder / f"{name}.json"
    done = tools.run("udnn-compile", path, f"--target={','.join(TARGETS)}", f"--report={report}",
                     "-o", artifact)
    if done.code != 0:
        return [done.error]
    programs = programs_of(tools, artifact)
    counts = [sum(launch["family"] == "cuda.implicit_gemm" for launch in program["launches"])
              for program in programs]
    print(f"{name}: {len(programs[1]['launches'])} launches, {counts[1]} of cuda.implicit_gemm")
    return (check_programs(programs, bool(ptxas)) + check_code(artifact, ptxas, folder)
            + check_choice(json.loads(report.read_text()), TENSOR_CORES.get(name, [])))


def main():
    arguments = udnn_testing.parser(__doc__.splitlines()[0], "cuda").parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    tools = udnn_testing.Tools(arguments.tools)
    ptxas = udnn_testing.find_ptxas()
    failures = 0
    for name in MODELS:
        for problem in check(name, tools, ptxas, arguments.work):
            failures += 1
            print(f"{name}: {problem}")
    if failures:
        return 1
    if not ptxas:
        print("no ptxas was found (CUDA_HOME, PATH, /usr/local/cuda, the Python package "
              "nvidia-cuda-nvcc-cu12): nothing was assembled")
        return SKIPPED
    print(f"assembled by {ptxas}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
