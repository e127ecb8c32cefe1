"""Runs single layers once per kernel family and compares with ONNX Runtime.

    check_families.py [--seed S] [--tools build/bin]

A family restricted by --families takes a case when the report names it for the layer; what falls to
the generic family in its place is compared as well, but is not the family's. A family that takes no
case at all fails. References are computed in float32, whatever the type of the case.

SPDX-License-Identifier: Apache-2.0
"""

import json
import pathlib
import re
import secrets
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import udnn_testing

# Runs no layer of a model but changes of layout, which whole models have between their layers.
NO_LAYERS = "cpu.transform"
# Of the largest value of the reference.
TOLERANCES = {np.float32: 5e-5, np.float16: 2e-3}
TYPES = {np.float32: TensorProto.FLOAT, np.float16: TensorProto.FLOAT16}
NODE = "layer"


class Case:
    """What is tested: a model with one layer called NODE."""

    def __init__(self, name, then, type):
        self.name, self.then, self.type = name, then, type

    def info(self, name, shape, type=None):
        return helper.make_tensor_value_info(name, TYPES[type or self.type], shape)

    def draw(self, random, shape, scale=1.0):
        """Random numbers of the case's type, as that type."""
        return (random.standard_normal(shape) * scale).astype(self.type)

    def make_model(self, nodes, inputs, initializers, bias):
        """Appends bias, residual and activation to the model's nodes."""
        if bias is not None:
            initializers["b"] = bias
        if "residual" in self.then:
            inputs["r"] = self.output
            nodes.append(helper.make_node("Add", [nodes[-1].output[0], "r"], ["y1"], "add"))
        if "relu" in self.then:
            nodes.append(helper.make_node("Relu", [nodes[-1].output[0]], ["y2"], "relu"))
        result = nodes[-1].output[0]

        def make(type):
            graph = helper.make_graph(
                nodes, "case", [self.info(*item, type) for item in inputs.items()],
                [self.info(result, self.output, type)],
                [numpy_helper.from_array(value.astype(type), name)
                 for name, value in initializers.items()])
            return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                     ir_version=8)

        return make(self.type), make(np.float32)


class Window(Case):
    """An operator that looks at a window around each element of `input`, such as pooling."""

    def __init__(self, name, operator, input, output, then=(), **attributes):
        super().__init__(name, then, np.float32)
        self.operator, self.input, self.output = operator, input, output
        self.attributes = attributes

    def make(self, random):
        """The model, twice: it is in float32."""
        node = helper.make_node(self.operator, ["x"], ["y0"], NODE, **self.attributes)
        return self.make_model([node], {"x": self.input}, {}, None)


class Conv(Case):
    """A convolution of `input` (n, c, spatial) with `filters` filters of size `window`.

    `then` lists what follows: "bias", "residual" (an input of the result's shape is added), "relu".
    `constant` says whether the filters are constants or an input."""

    def __init__(self, name, input, filters, window, strides=None, pads=None, dilations=None,
                 groups=1, then=(), constant=True, type=np.float32):
        super().__init__(name, then, type)
        rank = len(window)
        self.input, self.groups = input, groups
        self.weights = (filters, input[1] // groups, *window)
        self.strides, self.dilations = strides or [1] * rank, dilations or [1] * rank
        self.pads = pads or [0] * 2 * rank
        self.constant = constant
        sizes = [(size + self.pads[i] + self.pads[rank + i] - (window[i] - 1) * self.dilations[i] - 1)
                 // self.strides[i] + 1 for i, size in enumerate(input[2:])]
        self.output = (input[0], filters, *sizes)


    def make(self, random):
        """The model and its reference in float32."""
        weights = self.draw(random, self.weights, np.prod(self.weights[1:]) ** -0.5)
        inputs, initializers = {"x": self.input}, {}
        if self.constant:
            initializers["w"] = weights
        else:
            inputs["w"] = self.weights
        bias = self.draw(random, self.output[1]) if "bias" in self.then else None
        node = helper.make_node("Conv", ["x", "w"] + ["b"] * (bias is not None), ["y0"], NODE,
                                strides=self.strides, pads=self.pads, dilations=self.dilations,
                                group=self.groups)
        return self.make_model([node], inputs, initializers, bias)


class Product(Case):
    """A product of matrices: `batch` of m x k and k x n, or one right side for all (`shared`).

    `transposed` holds which sides come transposed; "bias" adds a row vector."""

    def __init__(self, name, m, n, k, batch=(), shared=False, transposed="", then=(),
                 constant=False, type=np.float32):
        super().__init__(name, then, type)
        self.k, self.transposed, self.constant = k, transposed, constant
        self.sides = [(*batch, m, k), (k, n) if shared else (*batch, k, n)]
        self.output = (*batch, m, n)

    def make(self, random):
        """The model and its reference in float32."""
        inputs, initializers, nodes, names = {}, {}, [], []
        for name, shape in zip("xw", self.sides):
            if name in self.transposed:
                shape = (*shape[:-2], shape[-1], shape[-2])
            if name == "w" and self.constant:
                initializers[name] = self.draw(random, shape, self.k ** -0.5)
            else:
                inputs[name] = shape
            names.append(name)
            if name in self.transposed:
                order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
                nodes.append(helper.make_node("Transpose", [name], [name + "t"], perm=order))
                names[-1] = name + "t"
        nodes.append(helper.make_node("MatMul", names, ["y"], NODE))
        bias = None
        if "bias" in self.then:
            bias = self.draw(random, self.output[-1])
            nodes.append(helper.make_node("Add", ["y", "b"], ["y0"], "bias"))
        return self.make_model(nodes, inputs, initializers, bias)


ALL = ("bias", "residual", "relu")
CASES = [
    Conv("line", (2, 16, 37), 24, (3,), pads=[1, 1], then=("bias", "relu")),
    Conv("line, stride, dilation, tails", (1, 13, 50), 19, (5,), strides=[2], pads=[3, 1],
         dilations=[2], then=("bias",)),
    Conv("few channels", (1, 3, 37, 41), 16, (7, 7), strides=[2, 2], pads=[3, 3, 3, 3],
         then=("bias", "relu")),
    Conv("3x3", (1, 16, 15, 17), 32, (3, 3), pads=[1, 1, 1, 1], then=ALL),
    Conv("3x3, many channels", (2, 64, 9, 9), 64, (3, 3), pads=[1, 1, 1, 1], then=ALL),
    Conv("3x3, tails, uneven pads", (1, 21, 13, 11), 35, (3, 3), pads=[2, 0, 1, 1], then=ALL),
    Conv("1x1", (3, 24, 7, 10), 40, (1, 1), then=("residual",)),
    Conv("1x1, stride", (1, 40, 15, 9), 17, (1, 1), strides=[2, 2], then=("bias", "relu")),
    Conv("3x5, dilation, uneven pads", (1, 16, 18, 19), 16, (3, 5), pads=[2, 1, 0, 3],
         dilations=[2, 3], then=("bias",)),
    Conv("groups", (1, 64, 10, 11), 128, (3, 3), pads=[1, 1, 1, 1], groups=4, then=ALL),
    Conv("groups of few channels", (1, 12, 9, 9), 18, (3, 3), strides=[2, 1], pads=[1, 0, 0, 1],
         groups=3, then=("bias",)),
    Conv("depthwise", (2, 24, 17, 16), 24, (3, 3), pads=[1, 1, 1, 1], groups=24, then=ALL),
    Conv("depthwise, stride, tails", (1, 19, 14, 15), 19, (5, 5), strides=[2, 2], pads=[2, 1, 2, 2],
         groups=19, then=("bias", "relu")),
    Conv("depthwise, dilation", (1, 16, 20, 13), 16, (3, 3), pads=[2, 2, 2, 2], dilations=[2, 2],
         groups=16),
    Conv("volume", (1, 8, 6, 9, 7), 16, (3, 3, 3), strides=[1, 2, 1], pads=[1, 0, 1, 1, 1, 1],
         then=ALL),
    Conv("volume, groups, tails", (1, 18, 5, 6, 7), 10, (1, 3, 2), dilations=[1, 2, 1], groups=2,
         then=("bias",)),
    Conv("filters from an input", (1, 16, 12, 12), 24, (3, 3), pads=[1, 1, 1, 1], then=("bias",),
         constant=False),
    Conv("large, to fill a GPU", (2, 64, 56, 56), 256, (3, 3), pads=[1, 1, 1, 1],
         then=("bias", "relu")),
    Product("product", 33, 47, 65, then=("bias",), constant=True),
    Product("product, one row", 1, 1000, 513, then=("bias",), constant=True),
    Product("product, batch", 19, 50, 24, batch=(2, 3), then=("residual",)),
    Product("product, shared right side", 21, 40, 31, batch=(4,), shared=True, constant=True,
            then=ALL),
    Product("product, transposed", 30, 41, 52, transposed="xw"),
    Product("product, batch, transposed", 30, 41, 52, batch=(3,), transposed="w"),
    Product("product, large", 700, 900, 300, then=("bias", "relu"), constant=True),
    Window("largest", "MaxPool", (2, 19, 15, 17), (2, 19, 8, 8), kernel_shape=[3, 3],
           strides=[2, 2], pads=[1, 0, 1, 0]),
    Window("mean", "AveragePool", (1, 16, 13, 12), (1, 16, 13, 12), kernel_shape=[3, 3],
           pads=[1, 1, 1, 1], then=("relu",)),
    Window("mean of all", "GlobalAveragePool", (2, 21, 9, 7), (2, 21, 1, 1)),
    Window("normalization across channels", "LRN", (2, 13, 9, 10), (2, 13, 9, 10), size=5,
           alpha=0.5, beta=0.75, bias=1.5),
    Window("softmax", "Softmax", (5, 7, 33), (5, 7, 33), axis=2),
]
# Tensor cores take only 16-bit types.
CASES += [
    Conv("half: 3x3", (1, 16, 15, 17), 32, (3, 3), pads=[1, 1, 1, 1], then=ALL, type=np.float16),
    Conv("half: tails, uneven pads", (1, 21, 13, 11), 35, (3, 3), pads=[2, 0, 1, 1], then=ALL,
         type=np.float16),
    Conv("half: groups, stride", (2, 32, 10, 11), 48, (3, 3), strides=[2, 1], pads=[1, 1, 1, 1],
         groups=2, then=("bias",), type=np.float16),
    Conv("half: large", (2, 64, 56, 56), 256, (3, 3), pads=[1, 1, 1, 1], then=("bias", "relu"),
         type=np.float16),
    Conv("half: middle", (2, 64, 28, 28), 128, (3, 3), pads=[1, 1, 1, 1], then=("bias", "relu"),
         type=np.float16),
    Product("half: product", 33, 47, 65, then=("bias",), constant=True, type=np.float16),
    Product("half: product, batch, transposed", 30, 41, 52, batch=(3,), transposed="w",
            type=np.float16),
]


def reference(case, model, random, folder):
    """Draws inputs, writes them, and returns udnn-run's options for them and the right result."""
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    feeds, options = {}, []
    for value in session.get_inputs():
        data = case.draw(random, value.shape)
        feeds[value.name] = data.astype(np.float32)
        np.save(folder / f"{value.name}.npy", data)
        options.append(f"--input={value.name}={value.name}.npy")
    return options, session.run(None, feeds)[0]


def compile_case(tools, folder, target, *options, artifact="model.udnn"):
    """Compiles; returns the family that the report names for the layer, and a complaint."""
    report = folder / "report.json"
    done = tools.run("udnn-compile", folder / "model.onnx", f"--target={target}", *options,
                     f"--report={report}", "-o", folder / artifact)
    if done.code != 0:
        return None, f"udnn-compile: {done.error}"
    layers = json.loads(report.read_text())["targets"][0]["layers"]
    return next((layer["family"] for layer in layers if layer["name"] == NODE), None), None


def run_case(tools, case, folder, inputs, expected):
    """Runs what was compiled; returns a complaint or None."""
    output = folder / "output_0.npy"
    output.unlink(missing_ok=True)
    done = tools.run("udnn-run", "model.udnn", *inputs, "--threads=3", "--output-dir=.", cwd=folder)
    if done.code != 0:
        return f"udnn-run: {done.error}"
    error = np.abs(np.load(output).astype(np.float32) - expected).max() / np.abs(expected).max()
    return None if error <= TOLERANCES[case.type] else f"differs by {error:.2g} of the largest value"


def prepare_case(case, folder, name, inputs, expected):
    """Leaves the artifact to be run on another machine."""
    here = folder / name
    here.mkdir(exist_ok=True)
    for file in [*folder.glob("*.npy"), folder / "model.udnn"]:
        (here / file.name).write_bytes(file.read_bytes())
    np.save(here / "expected.npy", expected.astype(case.type))
    output = onnx.load(folder / "model.onnx").graph.output[0].name
    udnn_testing.write_check(here, [["model.udnn", *inputs, f"--expected={output}=expected.npy",
                                     "--rtol=0",
                                     f"--atol={TOLERANCES[case.type] * np.abs(expected).max():.3g}"]])


def find_families(tools, folder, kind):
    """The families that udnn-compile knows for a kind of device: it names them when it is asked for
    one that there is not."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(CASES[0].make(np.random.default_rng(0))[0], folder / "model.onnx")
    _, complaint = compile_case(tools, folder, "cpu", "--families=none")
    families = [name for name in re.findall(r"\b\w+\.\w+", complaint.partition("there are ")[2])
                if name.startswith(f"{kind}.") and name != NO_LAYERS]
    if not families:
        raise SystemExit(f"error: expects the families for '{kind}', got {complaint}")
    return families


def check_forced(tools, folder, target, family, takes):
    """Forcing the family on the node gives that family, or an error where it does not take it."""
    forced, complaint = compile_case(tools, folder, target, f"--force-family={NODE}={family}",
                                     artifact="forced.udnn")
    if takes:
        return complaint or (None if forced == family else f"forced, but {forced} ran")
    expected = f"no kernel family can run '{NODE}'"
    if complaint and expected in complaint:
        return None
    return f"expects an error with \"{expected}\" when forced, got {complaint or forced}"


def check_case(tools, case, folder, arguments, seed, taken):
    """Prints the row of a case, adds it to the families that took it and returns the complaints."""
    random = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    model, exact = case.make(random)
    onnx.save(model, folder / "model.onnx")
    inputs, expected = reference(case, exact, random, folder)
    cells, complaints = [], []
    for family in taken:
        generic = family.split(".")[0] + ".generic"
        chosen, complaint = compile_case(tools, folder, arguments.target, f"--families={family}")
        if not complaint and chosen not in (family, generic):
            complaint = f"'{chosen}' runs '{NODE}'"
        if not complaint and arguments.prepare:
            prepare_case(case, folder, family, inputs, expected)
        elif not complaint:
            complaint = run_case(tools, case, folder, inputs, expected)
        complaint = complaint or check_forced(tools, folder, arguments.target, family,
                                              chosen == family)
        if complaint:
            complaints.append(f"{case.name}: --families={family}: {complaint}")
        elif chosen == family:
            taken[family].append(case.name)
        cells.append("FAILED" if complaint else "passed" if chosen == family else "-")
    print(f"{case.name:32} " + " ".join(f"{cell:18}" for cell in cells), flush=True)
    return complaints


def main():
    parser = udnn_testing.parser(__doc__.splitlines()[0], "families", prepares=True)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 30),
                        help="seed of weights and inputs (default: a fresh one)")
    arguments = parser.parse_args()
    tools = udnn_testing.Tools(arguments.tools)
    folder = arguments.prepare or arguments.work
    families = find_families(tools, arguments.work / "families", arguments.target.split(":")[0])
    print(f"weights and inputs have seed {arguments.seed}")
    print(f"{'case':32} " + " ".join(f"{family:18}" for family in families))
    taken = {family: [] for family in families}
    complaints = []
    for i, case in enumerate(CASES):
        complaints += check_case(tools, case, folder / f"case{i}", arguments,
                                 arguments.seed + i, taken)
    for family, names in taken.items():
        print(f"{family} took {len(names)} of {len(CASES)} cases")
        if not names:
            complaints.append(f"{family} took no case")
    print("\n".join(complaints) or "all passed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
