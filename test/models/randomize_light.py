"""Puts seeded random weights into the `light` models of the onnx package and removes the softmax.

The package stores their weights as constants of one value, under which a wrong layout goes
unnoticed; and a softmax hides what the scores say.

    randomize_light.py light_resnet50 -o resnet50.onnx [--seed 1]

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import math
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from calibrate import calibrate, low_frequency

FOLDER = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
NAMES = sorted(path.stem for path in FOLDER.glob("light_*.onnx"))


def _shapes(graph):
    """The shapes of all parameters: float initializers and filled constants."""
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    shapes = {name: list(tensor.dims) for name, tensor in initializers.items()
              if tensor.data_type == TensorProto.FLOAT}
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            shapes[node.output[0]] = numpy_helper.to_array(initializers[node.input[0]]).tolist()
    return shapes


def _roles(graph):
    """What each parameter is for: the operator that reads it and at which place."""
    views = {node.output[0]: node.input[0] for node in graph.node
             if node.op_type in ("Unsqueeze", "Reshape")}
    roles = {}
    for node in graph.node:
        if node.output[0] in views:
            continue
        for place, name in enumerate(node.input):
            roles.setdefault(views.get(name, name), (node.op_type, place))
    return roles


def _values(random, shape, role):
    """Random values that suit the role, or None where the parameter is to stay."""
    op, place = role
    normal = random.standard_normal(shape, dtype=np.float32)
    if op in ("Conv", "Gemm") and place == 1:
        return normal * np.float32(math.sqrt(2 / max(1, math.prod(shape[1:]))))
    if (op, place) in (("Mul", 1), ("BatchNormalization", 1)):
        return 1 + normal * np.float32(0.1)
    if (op, place) in (("Conv", 2), ("Gemm", 2), ("Add", 1), ("BatchNormalization", 2)):
        return normal * np.float32(0.1)
    if op == "BatchNormalization":
        return np.full(shape, place == 4, np.float32)  # mean 0, variance 1
    return None


def _set_batch(graph, data, batch):
    """Sets the batch, which these models state in their input and wherever they reshape."""
    data.type.tensor_type.shape.dim[0].dim_value = batch
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    parameters = {name for name, tensor in initializers.items()
                  if tensor.data_type == TensorProto.FLOAT}
    for node in graph.node:
        if node.op_type == "Reshape" and node.input[0] not in parameters:
            shape = numpy_helper.to_array(initializers[node.input[1]]).copy()
            shape[0] = batch
            initializers[node.input[1]].CopyFrom(numpy_helper.from_array(shape, node.input[1]))


def _remove_softmax(graph):
    last = graph.node[-1]
    if last.op_type == "Softmax":
        shape = graph.output[0].type.tensor_type.shape
        scores = onnx.ValueInfoProto()
        scores.CopyFrom(helper.make_tensor_value_info(
            last.input[0], TensorProto.FLOAT, [dim.dim_value for dim in shape.dim]))
        graph.output[0].CopyFrom(scores)
        graph.node.pop()


def randomize(name, seed=1):
    """The light model `name` with random weights that `seed` decides, calibrated on eight pictures."""
    model = onnx.load(FOLDER / f"{name}.onnx")
    graph, random = model.graph, np.random.default_rng(seed)
    shapes, roles = _shapes(graph), _roles(graph)
    fresh = {}
    for parameter, shape in shapes.items():
        values = _values(random, shape, roles.get(parameter, ("", 0)))
        if values is not None:
            fresh[parameter] = numpy_helper.from_array(np.ascontiguousarray(values), parameter)

    filled = [node for node in graph.node if node.op_type == "ConstantOfShape"
              and node.output[0] in fresh]
    gone = {node.input[0] for node in filled} | set(fresh)
    kept = [tensor for tensor in graph.initializer if tensor.name not in gone]
    inputs = [value for value in graph.input if value.name not in gone]
    nodes = [node for node in graph.node if node not in filled]
    del graph.initializer[:], graph.input[:], graph.node[:]
    graph.initializer.extend([*kept, *fresh.values()])
    # These old files list every initializer among the inputs.
    graph.input.extend([*inputs, *(helper.make_tensor_value_info(
        key, TensorProto.FLOAT, list(tensor.dims)) for key, tensor in fresh.items())])
    graph.node.extend(nodes)
    _remove_softmax(graph)

    stored = {tensor.name for tensor in graph.initializer}
    data = next(value for value in graph.input if value.name not in stored)
    shape = [dim.dim_value for dim in data.type.tensor_type.shape.dim]
    _set_batch(graph, data, 8)
    calibrate(model, {data.name: low_frequency([8, *shape[1:]], seed)})
    _set_batch(graph, data, shape[0])
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=NAMES)
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1, help="seed of the weights (default: 1)")
    arguments = parser.parse_args()
    onnx.save(randomize(arguments.model, arguments.seed), arguments.output)


if __name__ == "__main__":
    main()
