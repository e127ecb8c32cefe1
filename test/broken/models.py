"""The small sound models that broken ones are made from.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def value(name, shape, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def weight(name, *shape):
    values = np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)
    return numpy_helper.from_array(values, name)


def constant(name, values, element=np.int64):
    return numpy_helper.from_array(np.array(values, element), name)


def model(nodes, inputs, outputs, initializers=(), opset=17, **options):
    graph = helper.make_graph(nodes, "main", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8,
                             **options)


def network(batch="N"):
    """Convolution "conv", ReLU, global pooling, Flatten and Gemm "gemm": x[batch, 3, 8, 8] to y."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1],
                         kernel_shape=[3, 3]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"),
        helper.make_node("Flatten", ["p"], ["f"], "flatten"),
        helper.make_node("Gemm", ["f", "v", "d"], ["y"], "gemm", transB=1),
    ]
    return model(nodes, [value("x", [batch, 3, 8, 8])], [value("y", [batch, 5])],
                 [weight("w", 16, 3, 3, 3), weight("b", 16), weight("v", 5, 16), weight("d", 5)])


def single(op, inputs, outputs=("y",), shape=(1, 4, 6, 6), result=None, initializers=(), opset=17,
           element=TensorProto.FLOAT, **attributes):
    """A model of one node, named "node", that reads "x" and initializers."""
    node = helper.make_node(op, list(inputs), list(outputs), "node", **attributes)
    return model([node], [value("x", shape, element)],
                 [value(name, result, element) for name in outputs], initializers, opset)


def reshape():
    """A model whose input "shape" decides shapes, so that it has to be frozen."""
    return model([helper.make_node("Reshape", ["x", "shape"], ["y"], "reshape")],
                 [value("x", [4, 6]), value("shape", [2], TensorProto.INT64)],
                 [value("y", None)])


def tensor(model_, name):
    return next(t for t in model_.graph.initializer if t.name == name)


def node(model_, name):
    return next(n for n in model_.graph.node if n.name == name)


def save(model_, path):
    path.write_bytes(model_.SerializeToString())


def save_data_set(folder, inputs, outputs=()):
    """Writes an ONNX test data set of (name, array) pairs."""
    folder.mkdir()
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for i, (name, array) in enumerate(arrays):
            data = numpy_helper.from_array(array, name).SerializeToString()
            (folder / f"{kind}_{i}.pb").write_bytes(data)


__all__ = ["TensorProto", "constant", "helper", "model", "network", "node", "numpy_helper", "onnx",
           "reshape", "save", "save_data_set", "single", "tensor", "value", "weight"]
