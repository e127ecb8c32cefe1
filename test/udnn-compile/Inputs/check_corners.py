"""Compiles and runs small models of corner cases and compares with what they must give.

    check_corners.py FOLDER

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(sys.argv[1])
X = np.array([[2, 3, 5], [7, 11, 13]], np.float32)
NO_AXES = np.array([], np.int64)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


# Parts of concatenations that are too long for bufferization to look at as a whole.
PARTS = [f"e{i}" for i in range(70)]
SUMS = [node("Add", [PARTS[i - 1] if i else "x", "x"], [PARTS[i]]) for i in range(70)]
MULTIPLES = [X * (i + 2) for i in range(70)]

# Name, nodes from x to the results, constants, and the results.
CASES = [
    ("sum over no axes, broadcast",
     [node("ReduceSum", ["x", "a"], ["s"], noop_with_empty_axes=1), node("Expand", ["s", "to"], ["y"])],
     {"a": NO_AXES, "to": np.array([4, 2, 3])}, {"y": np.broadcast_to(X, (4, 2, 3))}),
    ("product over no axes, twice",
     [node("ReduceProd", ["x", "a"], ["s"], noop_with_empty_axes=1),
      node("ReduceL1", ["s", "a"], ["y"], noop_with_empty_axes=1)],
     {"a": NO_AXES}, {"y": X}),
    ("mean of a scalar, broadcast",
     [node("ReduceSum", ["x"], ["s"], keepdims=0), node("ReduceMean", ["s"], ["m"]),
      node("Expand", ["m", "to"], ["y"])],
     {"to": np.array([5])}, {"y": np.full(5, X.sum(), np.float32)}),
    ("a part without elements",
     [node("Split", ["x", "sizes"], ["y", "z"], axis=1)],
     {"sizes": np.array([3, 0])}, {"y": X, "z": X[:, 3:]}),
    ("parts without elements, joined",
     [node("Split", ["x", "sizes"], ["a", "b"], axis=0), node("Concat", ["b", "x", "b"], ["y"], axis=0),
      node("Concat", ["b", "b"], ["z"], axis=1)],
     {"sizes": np.array([2, 0])}, {"y": X, "z": np.zeros((0, 6), np.float32)}),
    ("all cut off, then padded",
     [node("Pad", ["x", "p", "v"], ["y"])],
     {"p": np.array([-2, 0, 3, 1]), "v": np.array(7, np.float32)},
     {"y": np.full((3, 4), 7, np.float32)}),
    ("a long concatenation and some of its parts",
     SUMS + [node("Concat", PARTS[::-1] + ["x"], ["y"], axis=1)],
     {}, {"y": np.concatenate(MULTIPLES[::-1] + [X], 1), "e5": MULTIPLES[5]}),
    ("a long concatenation that grows",
     SUMS + [node("Concat", PARTS[:35], ["y"], axis=0), node("Concat", ["y"] + PARTS[35:], ["z"], axis=0),
             node("Neg", ["y"], ["w"])],
     {}, {"y": np.concatenate(MULTIPLES[:35]), "z": np.concatenate(MULTIPLES),
          "w": -np.concatenate(MULTIPLES[:35])}),
    ("long concatenations in one another",
     SUMS + [node("Concat", PARTS, ["a"], axis=1), node("Concat", ["a", "a"], ["y"], axis=0)],
     {}, {"y": np.concatenate([np.concatenate(MULTIPLES, 1)] * 2)}),
    ("one tensor, 200 times",
     [node("Concat", ["x"] * 200, ["y"], axis=1)], {}, {"y": np.tile(X, (1, 200))}),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")


def main():
    for number, (name, nodes, constants, expected) in enumerate(CASES):
        here = FOLDER / str(number)
        here.mkdir(parents=True, exist_ok=True)
        graph = helper.make_graph(
            nodes, "case", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
            [helper.make_tensor_value_info(key, TensorProto.FLOAT, value.shape)
             for key, value in expected.items()],
            [numpy_helper.from_array(value, key) for key, value in constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                                    ir_version=8), here / "model.onnx")
        np.save(here / "x.npy", X)
        run("udnn-compile", here / "model.onnx", "-o", here / "model.udnn")
        run("udnn-run", here / "model.udnn", f"--input=x={here / 'x.npy'}", "--output-dir", here)
        for i, value in enumerate(expected.values()):
            np.testing.assert_array_equal(np.load(here / f"output_{i}.npy"), value, err_msg=name)


if __name__ == "__main__":
    main()
