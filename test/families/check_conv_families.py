"""Runs small convolutions once per kernel family and compares with ONNX Runtime.

    check_conv_families.py [--seed S] [--tools build/bin]

A family restricted by --families takes a case when the report names it for the convolution; what
falls to cpu.generic in its place is compared as well, but is not the family's. A family that takes
no case at all fails.

SPDX-License-Identifier: Apache-2.0
"""

import json
import pathlib
import secrets
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import udnn_testing

FAMILIES = ("cpu.direct_conv", "cpu.winograd", "cpu.depthwise_conv", "cpu.im2col_conv",
            "cpu.generic")
TOLERANCE = 5e-5  # of the largest value of the reference
NODE = "conv"


class Case:
    """A convolution of `input` (n, c, spatial) with `filters` filters of size `window`.

    `then` lists what follows: "bias", "residual" (an input of the result's shape is added), "relu".
    `constant` says whether the filters are constants or an input."""

    def __init__(self, name, input, filters, window, strides=None, pads=None, dilations=None,
                 groups=1, then=(), constant=True):
        rank = len(window)
        self.name, self.input, self.groups, self.then = name, input, groups, then
        self.weights = (filters, input[1] // groups, *window)
        self.strides, self.dilations = strides or [1] * rank, dilations or [1] * rank
        self.pads = pads or [0] * 2 * rank
        self.constant = constant
        sizes = [(size + self.pads[i] + self.pads[rank + i] - (window[i] - 1) * self.dilations[i] - 1)
                 // self.strides[i] + 1 for i, size in enumerate(input[2:])]
        self.output = (input[0], filters, *sizes)


ALL = ("bias", "residual", "relu")
CASES = (
    Case("line", (2, 16, 37), 24, (3,), pads=[1, 1], then=("bias", "relu")),
    Case("line, stride, dilation, tails", (1, 13, 50), 19, (5,), strides=[2], pads=[3, 1],
         dilations=[2], then=("bias",)),
    Case("few channels", (1, 3, 37, 41), 16, (7, 7), strides=[2, 2], pads=[3, 3, 3, 3],
         then=("bias", "relu")),
    Case("3x3", (1, 16, 15, 17), 32, (3, 3), pads=[1, 1, 1, 1], then=ALL),
    Case("3x3, many channels", (2, 64, 9, 9), 64, (3, 3), pads=[1, 1, 1, 1], then=ALL),
    Case("3x3, tails, uneven pads", (1, 21, 13, 11), 35, (3, 3), pads=[2, 0, 1, 1], then=ALL),
    Case("1x1", (3, 24, 7, 10), 40, (1, 1), then=("residual",)),
    Case("1x1, stride", (1, 40, 15, 9), 17, (1, 1), strides=[2, 2], then=("bias", "relu")),
    Case("3x5, dilation, uneven pads", (1, 16, 18, 19), 16, (3, 5), pads=[2, 1, 0, 3],
         dilations=[2, 3], then=("bias",)),
    Case("groups", (1, 64, 10, 11), 128, (3, 3), pads=[1, 1, 1, 1], groups=4, then=ALL),
    Case("groups of few channels", (1, 12, 9, 9), 18, (3, 3), strides=[2, 1], pads=[1, 0, 0, 1],
         groups=3, then=("bias",)),
    Case("depthwise", (2, 24, 17, 16), 24, (3, 3), pads=[1, 1, 1, 1], groups=24, then=ALL),
    Case("depthwise, stride, tails", (1, 19, 14, 15), 19, (5, 5), strides=[2, 2], pads=[2, 1, 2, 2],
         groups=19, then=("bias", "relu")),
    Case("depthwise, dilation", (1, 16, 20, 13), 16, (3, 3), pads=[2, 2, 2, 2], dilations=[2, 2],
         groups=16),
    Case("volume", (1, 8, 6, 9, 7), 16, (3, 3, 3), strides=[1, 2, 1], pads=[1, 0, 1, 1, 1, 1],
         then=ALL),
    Case("volume, groups, tails", (1, 18, 5, 6, 7), 10, (1, 3, 2), dilations=[1, 2, 1], groups=2,
         then=("bias",)),
    Case("filters from an input", (1, 16, 12, 12), 24, (3, 3), pads=[1, 1, 1, 1], then=("bias",),
         constant=False),
)


def make_model(case, random):
    """The case as a model with seeded weights."""
    def draw(shape, scale=1.0):
        return (random.standard_normal(shape) * scale).astype(np.float32)

    def info(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    weights = draw(case.weights, np.prod(case.weights[1:]) ** -0.5)
    inputs, initializers = [info("x", case.input)], []
    if case.constant:
        initializers.append(numpy_helper.from_array(weights, "w"))
    else:
        inputs.append(info("w", case.weights))
    if "bias" in case.then:
        initializers.append(numpy_helper.from_array(draw(case.output[1]), "b"))
    nodes = [helper.make_node("Conv", ["x", "w"] + ["b"] * ("bias" in case.then), ["y0"], NODE,
                              strides=case.strides, pads=case.pads, dilations=case.dilations,
                              group=case.groups)]
    if "residual" in case.then:
        inputs.append(info("r", case.output))
        nodes.append(helper.make_node("Add", [nodes[-1].output[0], "r"], ["y1"], "add"))
    if "relu" in case.then:
        nodes.append(helper.make_node("Relu", [nodes[-1].output[0]], ["y2"], "relu"))
    graph = helper.make_graph(nodes, "case", inputs, [info(nodes[-1].output[0], case.output)],
                              initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def reference(path, random, folder):
    """Draws inputs, writes them and returns udnn-run's options for them and the right result."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feeds, options = {}, []
    for value in session.get_inputs():
        feeds[value.name] = random.standard_normal(value.shape).astype(np.float32)
        np.save(folder / f"{value.name}.npy", feeds[value.name])
        options.append(f"--input={value.name}={folder / value.name}.npy")
    return options, session.run(None, feeds)[0]


def compile_case(tools, folder, *options):
    """Compiles; returns the family that the report names for the convolution, and a complaint."""
    report = folder / "report.json"
    done = tools.run("udnn-compile", folder / "model.onnx", "--target=cpu", *options,
                     f"--report={report}", "-o", folder / "model.udnn")
    if done.code != 0:
        return None, f"udnn-compile: {done.error}"
    layers = json.loads(report.read_text())["targets"][0]["layers"]
    return next((layer["family"] for layer in layers if layer["name"] == NODE), None), None


def run_case(tools, folder, inputs, expected):
    """Runs what was compiled; returns a complaint or None."""
    output = folder / "output_0.npy"
    output.unlink(missing_ok=True)
    done = tools.run("udnn-run", folder / "model.udnn", *inputs, "--threads=3", "--output-dir",
                     folder)
    if done.code != 0:
        return f"udnn-run: {done.error}"
    error = np.abs(np.load(output) - expected).max() / np.abs(expected).max()
    return None if error <= TOLERANCE else f"differs by {error:.2g} of the largest value"


def check_forced(tools, folder, family, takes):
    """Forcing the family on the node gives that family, or an error where it does not take it."""
    forced, complaint = compile_case(tools, folder, f"--force-family={NODE}={family}")
    if takes:
        return complaint or (None if forced == family else f"forced, but {forced} ran")
    expected = f"no kernel family can run '{NODE}'"
    if complaint and expected in complaint:
        return None
    return f"expects an error with \"{expected}\" when forced, got {complaint or forced}"


def check_case(tools, case, folder, seed, taken):
    """Prints the row of a case, adds it to the families that took it and returns the complaints."""
    random = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(make_model(case, random), folder / "model.onnx")
    inputs, expected = reference(folder / "model.onnx", random, folder)
    cells, complaints = [], []
    for family in FAMILIES:
        chosen, complaint = compile_case(tools, folder, f"--families={family}")
        if not complaint and chosen not in (family, "cpu.generic"):
            complaint = f"'{chosen}' runs '{NODE}'"
        complaint = complaint or run_case(tools, folder, inputs, expected)
        complaint = complaint or check_forced(tools, folder, family, chosen == family)
        if complaint:
            complaints.append(f"{case.name}: --families={family}: {complaint}")
        elif chosen == family:
            taken[family].append(case.name)
        cells.append("FAILED" if complaint else "passed" if chosen == family else "-")
    print(f"{case.name:30} " + " ".join(f"{cell:18}" for cell in cells), flush=True)
    return complaints


def main():
    parser = udnn_testing.parser(__doc__.splitlines()[0], "families")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 30),
                        help="seed of weights and inputs (default: a fresh one)")
    arguments = parser.parse_args()
    tools = udnn_testing.Tools(arguments.tools)
    print(f"weights and inputs have seed {arguments.seed}")
    print(f"{'case':30} " + " ".join(f"{family:18}" for family in FAMILIES))
    taken = {family: [] for family in FAMILIES}
    complaints = []
    for i, case in enumerate(CASES):
        complaints += check_case(tools, case, arguments.work / f"case{i}", arguments.seed + i, taken)
    for family, names in taken.items():
        print(f"{family} took {len(names)} of {len(CASES)} cases")
        if not names:
            complaints.append(f"{family} took no case")
    print("\n".join(complaints) or "all passed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
