"""Writes the small ONNX models of the tests of udnn-compile into a folder.

SPDX-License-Identifier: Apache-2.0
"""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def write(name, nodes, inputs, outputs, weights=()):
    """Saves a graph; inputs and outputs are (name, shape) pairs of floats."""
    value = lambda pair: helper.make_tensor_value_info(pair[0], TensorProto.FLOAT, pair[1])
    graph = helper.make_graph(
        nodes, name, [value(i) for i in inputs], [value(o) for o in outputs],
        [numpy_helper.from_array(array, n) for n, array in weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save(model, folder / f"{name}.onnx")


write("relu", [helper.make_node("Relu", ["x"], ["y"], name="relu_1")], [("x", ["N", 4])],
      [("y", ["N", 4])])

# Outputs that are an input, a constant, a view, and the same value twice; a concatenation.
write(
    "outputs",
    [
        helper.make_node("Relu", ["x"], ["r"], name="relu_1"),
        helper.make_node("Neg", ["x"], ["n"], name="neg_1"),
        helper.make_node("Identity", ["x"], ["same"], name="same_1"),
        helper.make_node("Identity", ["w"], ["constant"], name="constant_1"),
        helper.make_node("Flatten", ["r"], ["flat"], name="flat_1"),
        helper.make_node("Identity", ["r"], ["again"], name="again_1"),
        helper.make_node("Concat", ["n", "r", "x"], ["joined"], name="joined_1", axis=1),
    ],
    [("x", [2, 3, 5])],
    [("r", [2, 3, 5]), ("same", [2, 3, 5]), ("constant", [7]), ("flat", [2, 15]),
     ("again", [2, 3, 5]), ("joined", [2, 9, 5])],
    [("w", np.arange(7, dtype=np.float32))],
)
