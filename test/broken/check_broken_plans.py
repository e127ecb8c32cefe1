"""Edits the numbers of plans and devices: each must compile, or end in an error; a crash, a module
that compiles for ever, or one for the CPU that computes something else is a failure.

The plans are those of two small networks with layers for all families, for the CPU and for a GPU.
Every parameter is tried with numbers that no plan has; the other integers at random.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import pathlib
import random
import re
import secrets
import shutil
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import udnn_testing
from check_broken_inputs import INTERNAL
from models import helper, model, save, value, weight

VALUES = [0, -1, 1, 1 << 31, 1 << 62]
STAGES = ["--dnn-select-pipeline", "--dnn-memory-pipeline", "--dnn-codegen-pipeline"]
# The attributes, and the integers in them: not the widths in type names.
ATTRIBUTE = re.compile(r"#dnn\.device<[^>]*>|plan <pieces = .*?\]> ins")
INTEGER = re.compile(r"(?<![\w.+\"-])-?\d+(?=[ ,>c\]])")
PARAMETERS = re.compile(r"parameters = \{.*?\}")


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], name=output, **attributes)


def convolutions():
    """Convolutions for every family, and pooling between them."""
    return model([
        node("Conv", "x w1", "stem", pads=[1] * 4, strides=[2, 2]), node("Relu", "stem", "relu"),
        node("Conv", "relu w2", "winograd", pads=[1] * 4), node("LRN", "winograd", "lrn", size=5),
        node("Conv", "lrn w3", "im2col", pads=[1] * 4),
        node("MaxPool", "im2col", "pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
        node("Conv", "pool w4", "depthwise", pads=[1] * 4, group=32),
        node("Conv", "depthwise w5", "pointwise"),
    ], [value("x", [1, 3, 32, 32])], [value("pointwise", [1, 24, 8, 8])],
        [weight("w1", 16, 3, 3, 3), weight("w2", 16, 16, 3, 3), weight("w3", 32, 16, 3, 3),
         weight("w4", 32, 1, 3, 3), weight("w5", 24, 32, 1, 1)])


def others():
    """Products, normalizations, transpositions and what only the generic families run."""
    return model([
        node("MatMul", "x w1", "product"), node("MatMul", "product product", "square"),
        node("Softmax", "square", "softmax"), node("Transpose", "softmax", "transposed", perm=[0, 2, 1]),
        node("Sin", "transposed", "sin"), node("LayerNormalization", "sin w2 w3", "y"),
        node("ReduceMax", "y", "z", axes=[1], keepdims=0),
    ], [value("x", [2, 24, 10])], [value("y", [2, 24, 24]), value("z", [2, 24])],
        [weight("w1", 10, 24), weight("w2", 24), weight("w3", 24)])


PLANS = [("convolutions", convolutions, ["--target=cpu", "--force-family=im2col=cpu.im2col_conv"]),
         ("others", others, ["--target=cpu"]),
         ("cuda", others, ["--target=cuda:sm_80"])]


class Plan:
    """The file of a plan, whose constants lie in a file beside it, and the options of udnn-run that
    compare outputs with those of this plan; none where it is for another device than the CPU."""

    def __init__(self, path):
        self.path, self.text, self.comparison = path, path.read_text(), []

    def expect(self, folder, names):
        """Takes the outputs in a folder as those of this plan."""
        files = [folder / f"output_{i}.npy" for i in range(len(names))]
        # Another order of additions moves small elements by a part of the large ones.
        scale = min(np.abs(np.load(file)).max() for file in files)
        self.comparison = ["--rtol=0", f"--atol={1e-4 * scale}"]
        self.comparison += [f"--expected={name}={file}" for name, file in zip(names, files)]


def compile_and_run(tools, plan, *options):
    """Compiles a plan for the CPU and runs it with the usual random inputs."""
    artifact = plan.with_suffix(".udnn")
    result = tools.run("udnn-compile", plan, "-o", artifact, timeout=60)
    if result.code == 0:
        result = tools.run("udnn-run", artifact, *options, timeout=60)
    artifact.unlink(missing_ok=True)
    return result


def make_plan(tools, folder, name, function, options):
    network = function()
    save(network, folder / f"{name}.onnx")
    path = folder / f"{name}.mlir"
    done = tools.run("udnn-compile", folder / f"{name}.onnx", *options, "--compile-to=plan", "-o", path)
    if done.code != 0:
        raise SystemExit(f"error: {name} cannot be planned: {done.error}")
    plan = Plan(path)
    if "--target=cpu" in options:
        done = compile_and_run(tools, path, f"--output-dir={folder / name}")
        if done.code != 0:
            raise SystemExit(f"error: {name} cannot be run: {done.error}")
        plan.expect(folder / name, [output.name for output in network.graph.output])
    return plan


def get_edits(text, rng, others_count):
    """Spans of integers and what to put there: all parameters of a kind once, and some others."""
    seen, edits, rest = set(), [], []
    for attribute in ATTRIBUTE.finditer(text):
        for number in INTEGER.finditer(attribute[0]):
            begin, end = attribute.start() + number.start(), attribute.start() + number.end()
            is_parameter = any(span.start() < number.start() < span.end()
                               for span in PARAMETERS.finditer(attribute[0]))
            family = re.search(r'family = "([^"]*)"', attribute[0])
            key = family and (family[1], attribute[0][:number.start()].split()[-2])
            kinds = [(begin, end, new) for new in VALUES]
            if is_parameter and key not in seen:
                seen.add(key)
                edits += kinds
            elif not is_parameter:
                rest += kinds
    return edits + rng.sample(rest, min(others_count, len(rest)))


def run_edit(tools, plan, number, edit):
    begin, end, new = edit
    text = plan.text
    path = plan.path.with_name(f"{plan.path.stem}_{number}.mlir")
    path.write_text(text[:begin] + str(new) + text[end:])
    constants = plan.path.with_name(plan.path.name + ".constants")
    if constants.exists():
        shutil.copyfile(constants, path.with_name(path.name + ".constants"))
    result = tools.run("udnn-opt", path, *STAGES, "-o", "/dev/null", timeout=60)
    found = []
    if result.code not in (0, 1):
        found.append(result.error)
    if INTERNAL.search(result.err):
        found.append("an internal failure shows through")
    if result.code == 1 and "error: " not in result.err:
        found.append("no error is printed")
    if result.code == 0 and plan.comparison:
        result = compile_and_run(tools, path, *plan.comparison)
        # The runtime refuses sizes that no machine has.
        if result.code not in (0, 1) or "MISMATCH" in result.out:
            found.append(f"compiles, but does not compute the same: {result.error}")
    place = text[max(0, begin - 60):begin].replace("\n", " ")
    return f"{path.name}: {place}{new}", found


def main():
    parser = udnn_testing.parser(__doc__.splitlines()[0], "broken_plans")
    parser.add_argument("--others", type=int, default=40,
                        help="edits of integers that are no parameters, for each plan (default: 40)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 30),
                        help="seed of their choice (default: a fresh one)")
    arguments = parser.parse_args()
    tools, work = udnn_testing.Tools(arguments.tools), arguments.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    rng = random.Random(arguments.seed)
    jobs = []
    for name, function, options in PLANS:
        plan = make_plan(tools, work, name, function, options)
        edits = get_edits(plan.text, rng, arguments.others)
        jobs += [(tools, plan, number, edit) for number, edit in enumerate(edits)]
    print(f"{len(jobs)} edited plans; the choice has seed {arguments.seed}", flush=True)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(udnn_testing.cpus()) as pool:
        for name, found in pool.map(lambda job: run_edit(*job), jobs):
            failures += bool(found)
            if found:
                print(f"{name}: {'; '.join(found)}", flush=True)
    print(f"{len(jobs)} edited plans, {failures} failed")
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
