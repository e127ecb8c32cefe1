"""Scales a model with random weights so that activations keep their spread on data.

A twin of the model normalizes after every convolution, Gemm and batch normalization with the
statistics of the data itself, so one run yields the statistics of all layers in order. They become
the batch normalization's mean and variance, or are folded into the weights where there is none.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

EPSILON = 1e-6  # added to a variance where the model itself says nothing

def low_frequency(shape, seed, block=28):
    """A picture, or a batch of them, of constant blocks: what it shows survives pooling."""
    random = np.random.default_rng(seed)
    coarse = [max(2, -(-size // block)) for size in shape[2:]]
    blocks = random.standard_normal((*shape[:2], *coarse)).astype(np.float32)
    for axis, size in enumerate(shape[2:], start=2):
        index = np.arange(size) * blocks.shape[axis] // size
        blocks = np.take(blocks, index, axis=axis)
    return np.ascontiguousarray(blocks)


class _Twin:
    """The copy of a model that measures as it runs."""

    def __init__(self, model):
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.nodes = []
        self.measured = {}  # node's output -> names of its mean and variance

    def add(self, op, inputs, **attributes):
        output = f"calibrate_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def scalar(self, value):
        return self.add("Constant", [], value=numpy_helper.from_array(np.array([value], np.float32)))

    def normalize(self, node, value, mean_axes, variance_axes, epsilon):
        """Nodes that take mean and variance over those axes out of `value`; returns the result."""
        mean = self.add("ReduceMean", [value], axes=mean_axes, keepdims=1)
        difference = self.add("Sub", [value, mean])
        square = self.add("Mul", [difference, difference])
        variance = self.add("ReduceMean", [square], axes=variance_axes, keepdims=1)
        deviation = self.add("Sqrt", [self.add("Add", [variance, self.scalar(epsilon)])])
        self.measured[node.output[0]] = mean, variance
        return self.add("Div", [difference, deviation])

    def per_channel(self, name, rank):
        """The vector `name` with `rank` - 2 dimensions of size one behind it."""
        shape = np.array([-1] + [1] * (rank - 2), np.int64)
        return self.add("Reshape", [name, self.add(
            "Constant", [], value=numpy_helper.from_array(shape))])


def _attribute(node, name, default):
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def _is_normalized(graph, node):
    """Whether the convolution's only reader is a batch normalization."""
    readers = [other for other in graph.node if node.output[0] in other.input]
    return len(readers) == 1 and readers[0].op_type == "BatchNormalization"


def _measure(model, feeds):
    """Runs the twin; returns each calibrated node's output with its mean and variance."""
    twin = _Twin(model)
    for node in model.graph.node:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        result = None
        if node.op_type == "BatchNormalization":
            flat = twin.normalize(node, node.input[0], [0, 2, 3], [0, 2, 3],
                                  _attribute(node, "epsilon", 1e-5))
            scaled = twin.add("Mul", [flat, twin.per_channel(node.input[1], 4)])
            result = [scaled, twin.per_channel(node.input[2], 4)]
        elif node.op_type in ("Conv", "Gemm") and len(node.input) == 3 \
                and not _is_normalized(model.graph, node):
            if node.op_type == "Conv":
                copy.input.pop()
            else:
                copy.input[2] = twin.scalar(0)
            copy.output[0] = f"raw_{node.output[0]}"
            twin.nodes.append(copy)
            if node.op_type == "Conv":
                flat = twin.normalize(node, copy.output[0], [0, 2, 3], [0, 2, 3], EPSILON)
                result = [flat, twin.per_channel(node.input[2], 4)]
            else:
                # A few pictures tell little of one feature's spread, so all have one in common.
                flat = twin.normalize(node, copy.output[0], [0], [0, 1], EPSILON)
                result = [flat, node.input[2]]
        if result:
            twin.nodes.append(helper.make_node("Add", result, [node.output[0]]))
        else:
            twin.nodes.append(copy)
    graph = twin.model.graph
    del graph.node[:], graph.output[:], graph.value_info[:]
    graph.node.extend(twin.nodes)
    names = [name for pair in twin.measured.values() for name in pair]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(twin.model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    values = dict(zip(names, session.run(names, feeds)))
    return {output: (values[mean], values[variance])
            for output, (mean, variance) in twin.measured.items()}


def calibrate(model, feeds):
    """Sets statistics, weights and biases of `model` from the batch of data in `feeds`."""
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    views = {node.output[0]: node.input[0] for node in model.graph.node
             if node.op_type == "Reshape" and node.input[0] in initializers}

    def update(name, change):
        value = numpy_helper.to_array(initializers[name])
        value = np.ascontiguousarray(change(value), dtype=np.float32)
        initializers[name].CopyFrom(numpy_helper.from_array(value, name))

    for output, (mean, variance) in _measure(model, feeds).items():
        node = next(node for node in model.graph.node if output == node.output[0])
        if node.op_type == "BatchNormalization":
            update(node.input[3], lambda _: mean.ravel())
            update(node.input[4], lambda _: variance.ravel())
            continue
        deviation = np.sqrt(variance + EPSILON)
        shift = (mean / deviation).ravel()
        update(node.input[2], lambda bias: bias - shift)
        # One factor per output channel, or one for all.
        factor = deviation.reshape(-1, *([1] * (mean.ndim - 1))) if deviation.size > 1 else \
            deviation.ravel()
        update(views.get(node.input[1], node.input[1]), lambda weight: weight / factor)
