"""Writes the small ONNX models of the tests of udnn-compile, with data for one, into a folder.

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
x = np.random.default_rng().standard_normal((3, 4)).astype(np.float32)
x[0, :2] = -1, 1
np.save(folder / "relu_x.npy", x)
np.save(folder / "relu_y.npy", np.maximum(x, 0))

# A convolution whose result is in blocks of channels, and back in order at the end.
write("conv", [helper.make_node("Conv", ["x", "w"], ["y"], name="conv_1", pads=[1, 1, 1, 1])],
      [("x", [1, 16, 8, 8])], [("y", [1, 16, 8, 8])],
      [("w", np.random.default_rng().standard_normal((16, 16, 3, 3)).astype(np.float32))])

write("same", [helper.make_node("Identity", ["x"], ["y"], name="same_1")], [("x", [3, 4])],
      [("y", [3, 4])])

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

# No images, and nothing to sum up or to pad.
write(
    "empty",
    [
        helper.make_node("Conv", ["x", "filter"], ["conv"], name="conv_1", pads=[1, 1, 1, 1]),
        helper.make_node("MaxPool", ["conv"], ["pool"], name="pool_1", kernel_shape=[2, 2]),
        helper.make_node("Softmax", ["pool"], ["softmax"], name="softmax_1", axis=1),
        helper.make_node("Gemm", ["a", "b", "bias"], ["gemm"], name="gemm_1"),
        helper.make_node("Pad", ["a", "pads", "value"], ["pad"], name="pad_1"),
    ],
    [("x", ["N", 16, 20, 20]), ("a", [1024, "K"]), ("b", ["K", 1024])],
    [("softmax", ["N", 16, 19, 19]), ("gemm", [1024, 1024]), ("pad", None)],
    [("filter", np.ones((16, 16, 3, 3), np.float32)), ("bias", np.arange(1024, dtype=np.float32)),
     ("pads", np.array([0, 2, 0, 1])), ("value", np.array(5, np.float32))],
)

# A node with two outputs.
write(
    "split",
    [
        helper.make_node("Split", ["x"], ["a", "b"], name="split_1", axis=0),
        helper.make_node("Relu", ["a"], ["relu"], name="relu_1"),
        helper.make_node("Neg", ["b"], ["neg"], name="neg_1"),
    ],
    [("x", [4])],
    [("relu", [2]), ("neg", [2])],
)

write("matmul", [helper.make_node("MatMul", ["x", "w"], ["y"], name="matmul_1")], [("x", [3, 64])],
      [("y", [3, 64])], [("w", np.arange(4096, dtype=np.float32).reshape(64, 64))])
