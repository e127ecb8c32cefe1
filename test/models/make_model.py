"""Writes well-known networks as ONNX files: torchvision's shapes, symbolic batch `N`, seeded weights.

    make_model.py resnet50 -o resnet50.onnx [--seed 1]

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import math
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from calibrate import calibrate, low_frequency

IMAGE = (3, 224, 224)


class Net:
    """Builds a graph node by node. Values are names; `channels` knows how many each has."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.initializers = [], []
        self.channels = {"input": IMAGE[0]}

    def add(self, op, inputs, channels, **attributes):
        output = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        self.channels[output] = channels
        return output

    def parameter(self, value):
        name = f"parameter_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(value.astype(np.float32), name))
        return name

    def normal(self, shape, deviation, mean=0.0):
        values = self.random.standard_normal(shape, dtype=np.float32)
        return self.parameter(values * np.float32(deviation) + np.float32(mean))

    def conv(self, x, channels, kernel, stride=1, padding=0, groups=1, bias=False):
        size = self.channels[x] // groups
        inputs = [x, self.normal((channels, size, kernel, kernel),
                                 math.sqrt(2 / (size * kernel * kernel)))]
        if bias:
            inputs.append(self.normal((channels,), 0.1))
        return self.add("Conv", inputs, channels, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                        pads=[padding] * 4, group=groups)

    def norm(self, x):
        size = self.channels[x]
        statistics = [self.normal((size,), 0.1, 1), self.normal((size,), 0.2),
                      self.parameter(np.zeros(size)), self.parameter(np.ones(size))]
        return self.add("BatchNormalization", [x, *statistics], size, epsilon=1e-5)

    def relu(self, x):
        return self.add("Relu", [x], self.channels[x])

    def relu6(self, x):
        limits = [self.parameter(np.array(0.0)), self.parameter(np.array(6.0))]
        return self.add("Clip", [x, *limits], self.channels[x])

    def conv_relu(self, x, channels, kernel, stride=1, padding=0):
        return self.relu(self.conv(x, channels, kernel, stride, padding, bias=True))

    def max_pool(self, x, kernel, stride, padding=0, ceil_mode=0):
        return self.add("MaxPool", [x], self.channels[x], kernel_shape=[kernel] * 2,
                        strides=[stride] * 2, pads=[padding] * 4, ceil_mode=ceil_mode)

    def average_pool(self, x, kernel, stride):
        return self.add("AveragePool", [x], self.channels[x], kernel_shape=[kernel] * 2,
                        strides=[stride] * 2)

    def global_pool(self, x):
        return self.add("GlobalAveragePool", [x], self.channels[x])

    def flatten(self, x, size):
        return self.add("Flatten", [x], size, axis=1)

    def linear(self, x, size):
        weight = self.normal((size, self.channels[x]), math.sqrt(2 / self.channels[x]))
        return self.add("Gemm", [x, weight, self.normal((size,), 0.1)], size, transB=1)

    def sum(self, x, y):
        return self.add("Add", [x, y], self.channels[x])

    def concat(self, values):
        return self.add("Concat", values, sum(self.channels[v] for v in values), axis=1)

    def model(self, result, classes=1000):
        """The finished model; its scores are named "output"."""
        self.nodes[-1].output[0] = "output"
        assert self.nodes[-1].name == result
        graph = helper.make_graph(
            self.nodes, "main",
            [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", *IMAGE])],
            [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["N", classes])],
            self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def alexnet(net):
    x = net.max_pool(net.conv_relu("input", 64, 11, 4, 2), 3, 2)
    x = net.max_pool(net.conv_relu(x, 192, 5, padding=2), 3, 2)
    for channels in (384, 256, 256):
        x = net.conv_relu(x, channels, 3, padding=1)
    x = net.flatten(net.max_pool(x, 3, 2), 256 * 6 * 6)
    for _ in range(2):
        x = net.relu(net.linear(x, 4096))
    return net.linear(x, 1000)


def _vgg(net, counts):
    x = "input"
    for channels, count in zip((64, 128, 256, 512, 512), counts):
        for _ in range(count):
            x = net.conv_relu(x, channels, 3, padding=1)
        x = net.max_pool(x, 2, 2)
    x = net.flatten(x, 512 * 7 * 7)
    for _ in range(2):
        x = net.relu(net.linear(x, 4096))
    return net.linear(x, 1000)


def vgg16(net):
    return _vgg(net, (2, 2, 3, 3, 3))


def vgg19(net):
    return _vgg(net, (2, 2, 4, 4, 4))


def _basic_block(net, x, width, stride):
    y = net.relu(net.norm(net.conv(x, width, 3, stride, 1)))
    y = net.norm(net.conv(y, width, 3, 1, 1))
    if stride != 1 or net.channels[x] != width:
        x = net.norm(net.conv(x, width, 1, stride))
    return net.relu(net.sum(y, x))


def _bottleneck(net, x, width, stride):
    y = net.relu(net.norm(net.conv(x, width, 1)))
    y = net.relu(net.norm(net.conv(y, width, 3, stride, 1)))
    y = net.norm(net.conv(y, 4 * width, 1))
    if stride != 1 or net.channels[x] != 4 * width:
        x = net.norm(net.conv(x, 4 * width, 1, stride))
    return net.relu(net.sum(y, x))


def _resnet(net, block, counts):
    x = net.relu(net.norm(net.conv("input", 64, 7, 2, 3)))
    x = net.max_pool(x, 3, 2, 1)
    for stage, count in enumerate(counts):
        for i in range(count):
            x = block(net, x, 64 << stage, 2 if stage and not i else 1)
    return net.linear(net.flatten(net.global_pool(x), net.channels[x]), 1000)


def resnet18(net):
    return _resnet(net, _basic_block, (2, 2, 2, 2))


def resnet50(net):
    return _resnet(net, _bottleneck, (3, 4, 6, 3))


def densenet121(net):
    growth = 32
    x = net.relu(net.norm(net.conv("input", 64, 7, 2, 3)))
    x = net.max_pool(x, 3, 2, 1)
    for stage, count in enumerate((6, 12, 24, 16)):
        features = [x]
        for _ in range(count):
            y = net.concat(features) if len(features) > 1 else x
            y = net.conv(net.relu(net.norm(y)), 4 * growth, 1)
            y = net.conv(net.relu(net.norm(y)), growth, 3, 1, 1)
            features.append(y)
        x = net.relu(net.norm(net.concat(features)))
        if stage < 3:
            x = net.average_pool(net.conv(x, net.channels[x] // 2, 1), 2, 2)
    return net.linear(net.flatten(net.global_pool(x), net.channels[x]), 1000)


def _inverted_residual(net, x, channels, stride, expansion):
    y, hidden = x, net.channels[x] * expansion
    if expansion != 1:
        y = net.relu6(net.norm(net.conv(y, hidden, 1)))
    y = net.relu6(net.norm(net.conv(y, hidden, 3, stride, 1, groups=hidden)))
    y = net.norm(net.conv(y, channels, 1))
    return net.sum(x, y) if stride == 1 and net.channels[x] == channels else y


def mobilenet_v2(net):
    x = net.relu6(net.norm(net.conv("input", 32, 3, 2, 1)))
    for expansion, channels, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                               (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                               (6, 320, 1, 1)):
        for i in range(count):
            x = _inverted_residual(net, x, channels, 1 if i else stride, expansion)
    x = net.relu6(net.norm(net.conv(x, 1280, 1)))
    return net.linear(net.flatten(net.global_pool(x), 1280), 1000)


def _fire(net, x, squeeze, expand):
    x = net.conv_relu(x, squeeze, 1)
    return net.concat([net.conv_relu(x, expand, 1), net.conv_relu(x, expand, 3, padding=1)])


def squeezenet(net):
    """SqueezeNet 1.1."""
    x = net.max_pool(net.conv_relu("input", 64, 3, 2), 3, 2, ceil_mode=1)
    for i, (squeeze, expand) in enumerate(((16, 64), (16, 64), (32, 128), (32, 128), (48, 192),
                                           (48, 192), (64, 256), (64, 256))):
        x = _fire(net, x, squeeze, expand)
        if i in (1, 3):
            x = net.max_pool(x, 3, 2, ceil_mode=1)
    return net.flatten(net.global_pool(net.conv_relu(x, 1000, 1)), 1000)


NETWORKS = {function.__name__: function for function in (
    alexnet, vgg16, vgg19, resnet18, resnet50, densenet121, mobilenet_v2, squeezenet)}


def make(name, seed=1):
    """The network `name` with weights that `seed` decides, calibrated on eight pictures."""
    net = Net(seed)
    model = net.model(NETWORKS[name](net))
    calibrate(model, {"input": low_frequency((8, *IMAGE), seed)})
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1, help="seed of the weights (default: 1)")
    arguments = parser.parse_args()
    onnx.save(make(arguments.network, arguments.seed), arguments.output)


if __name__ == "__main__":
    main()
