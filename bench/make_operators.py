"""Writes ONNX files of one operator each, of sizes as networks have them, to be timed.

    bench/make_operators.py FOLDER
    bench/cpu_vs_onnxruntime.py FOLDER/*.onnx

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Name: operator, shape of its input, attributes, and sizes of its scale and bias.
OPERATORS = {
    "softmax_classes": ("Softmax", [256, 1000], {"axis": -1}, 0),
    "softmax_attention": ("Softmax", [12, 197, 197], {"axis": -1}, 0),
    "softmax_long": ("Softmax", [1, 8, 1024, 1024], {"axis": -1}, 0),
    "softmax_channels": ("Softmax", [1, 21, 256, 256], {"axis": 1}, 0),
    "log_softmax": ("LogSoftmax", [256, 1000], {"axis": -1}, 0),
    "layer_norm": ("LayerNormalization", [8, 197, 768], {"axis": -1}, 768),
    "instance_norm": ("InstanceNormalization", [1, 64, 112, 112], {}, 64),
    "reduce_mean": ("ReduceMean", [1, 256, 56, 56], {"axes": [2, 3]}, 0),
    "reduce_max": ("ReduceMax", [256, 1000], {"axes": [-1]}, 0),
    "reduce_sum": ("ReduceSum", [512, 512], {"keepdims": 0}, 0),
}


def make(operator, shape, attributes, size):
    random = np.random.default_rng(0)
    vectors = [numpy_helper.from_array(random.random(size, np.float32), name)
               for name in (["scale", "bias"] if size else [])]
    node = helper.make_node(operator, ["x", *(v.name for v in vectors)], ["y"], **attributes)
    graph = helper.make_graph(
        [node], operator, [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], vectors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model)


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit("usage: bench/make_operators.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, description in OPERATORS.items():
        onnx.save(make(*description), folder / f"{name}.onnx")


if __name__ == "__main__":
    main()
