"""Broken ONNX files: each function makes one and returns it; the pattern is what the error names.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from models import *

CASES = []


def broken(expected, *options):
    """Registers a function that returns a model (or its bytes); `options` go to udnn-compile."""
    def register(function):
        CASES.append((function.__name__, function, expected, options))
        return function
    return register


ONE = "--dim=N=1"


# The file itself.

@broken("empty|graph")
def empty_file():
    return b""


@broken("model.onnx|protobuf|parse", ONE)
def text_file():
    return b"this is not a model, it is a sentence that ends here\n"


@broken("model.onnx|truncated|parse", ONE)
def truncated_to_a_third():
    data = network().SerializeToString()
    return data[:len(data) // 3]


@broken("model.onnx|truncated|parse", ONE)
def truncated_by_one_byte():
    return network().SerializeToString()[:-1]


@broken("graph")
def no_graph():
    m = network()
    m.ClearField("graph")
    return m


@broken("opset|operator set", ONE)
def no_opset():
    m = network()
    del m.opset_import[:]
    return m


@broken("opset.*999", ONE)
def opset_too_new():
    m = network()
    m.opset_import[0].version = 999
    return m


@broken("opset.*3", ONE)
def opset_too_old():
    m = network()
    m.opset_import[0].version = 3
    return m


# The graph.

@broken("cycle|before", ONE)
def cycle():
    m = network()
    node(m, "conv").input[0] = "r"
    return m


@broken("cycle|before", ONE)
def node_reads_itself():
    m = network()
    node(m, "relu").input[0] = "r"
    return m


@broken("'v'", ONE)
def missing_initializer():
    m = network()
    m.graph.initializer.remove(tensor(m, "v"))
    return m


@broken("'nowhere'", ONE)
def unknown_output():
    m = network()
    m.graph.output[0].name = "nowhere"
    return m


@broken("'r'", ONE)
def value_defined_twice():
    m = network()
    m.graph.node.append(helper.make_node("Sigmoid", ["c"], ["r"], "again"))
    return m


@broken("'w'", ONE)
def initializer_defined_twice():
    m = network()
    m.graph.initializer.append(tensor(m, "w"))
    return m


@broken("Frobnicate", ONE)
def unknown_operator():
    m = network()
    node(m, "relu").op_type = "Frobnicate"
    return m


@broken("com.example", ONE)
def unknown_domain():
    m = network()
    node(m, "relu").domain = "com.example"
    m.opset_import.append(helper.make_opsetid("com.example", 1))
    return m


@broken("com.example|relu", ONE)
def domain_without_opset():
    m = network()
    node(m, "relu").domain = "com.example"
    return m


@broken("conv", ONE)
def too_few_inputs():
    m = network()
    del node(m, "conv").input[1:]
    return m


@broken("relu", ONE)
def too_many_inputs():
    m = network()
    node(m, "relu").input.extend(["b", "d"])
    return m


@broken("relu|output|'r'", ONE)
def no_output_of_node():
    m = network()
    del node(m, "relu").output[:]
    return m


@broken("recurs|loop|cycle|itself", ONE)
def function_calls_itself():
    body = helper.make_function(
        "local", "Loop", ["a"], ["b"], [helper.make_node("Loop", ["a"], ["b"], domain="local")],
        [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])
    m = network()
    node(m, "relu").op_type, node(m, "relu").domain = "Loop", "local"
    m.functions.append(body)
    m.opset_import.append(helper.make_opsetid("local", 1))
    return m


@broken("If|condition")
def condition_not_known():
    branch = helper.make_graph([helper.make_node("Constant", [], ["k"], value_float=1.0)], "branch",
                               [], [value("k", [])])
    return model([helper.make_node("If", ["x"], ["y"], "node", then_branch=branch,
                                   else_branch=branch)],
                 [value("x", [], TensorProto.BOOL)], [value("y", [])])


# Tensors.

@broken("'w'", ONE)
def raw_data_too_short():
    m = network()
    tensor(m, "w").raw_data = tensor(m, "w").raw_data[:-4]
    return m


@broken("'w'", ONE)
def raw_data_too_long():
    m = network()
    tensor(m, "w").raw_data += b"\0\0\0\0"
    return m


@broken("'w'", ONE)
def negative_dimension_of_tensor():
    m = network()
    tensor(m, "w").dims[0] = -16
    return m


@broken("'w'", ONE)
def huge_dimensions_of_tensor():
    m = network()
    tensor(m, "w").dims[:] = [1 << 40, 1 << 40, 3, 3]
    return m


@broken("'w'", ONE)
def tensor_without_type():
    m = network()
    tensor(m, "w").data_type = 0
    return m


@broken("'w'", ONE)
def tensor_of_unknown_type():
    m = network()
    tensor(m, "w").data_type = 77
    return m


@broken("conv|'w'", ONE)
def filter_of_other_type():
    m = network()
    w = tensor(m, "w")
    w.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(w).astype(np.float64), "w"))
    return m


@broken("conv", ONE)
def filter_of_other_rank():
    m = network()
    tensor(m, "w").dims[:] = [16, 27]
    return m


@broken("conv", ONE)
def filter_of_other_channels():
    m = network()
    tensor(m, "w").CopyFrom(weight("w", 16, 5, 3, 3))
    return m


@broken("conv|'b'", ONE)
def bias_of_other_size():
    m = network()
    tensor(m, "b").CopyFrom(weight("b", 15))
    return m


@broken("gemm", ONE)
def gemm_sizes_that_differ():
    m = network()
    tensor(m, "v").CopyFrom(weight("v", 5, 17))
    return m


@broken("string|type")
def strings():
    return single("Identity", ["x"], shape=(2,), element=TensorProto.STRING)


@broken("complex|type")
def complex_numbers():
    return single("Identity", ["x"], shape=(2,), element=TensorProto.COMPLEX64)


# Attributes and shapes.

@broken("stride")
def stride_of_zero():
    return single("MaxPool", ["x"], kernel_shape=[2, 2], strides=[0, 1])


@broken("kernel|window")
def window_of_zero():
    return single("MaxPool", ["x"], kernel_shape=[0, 2])


@broken("kernel|window|size|smaller|output")
def window_larger_than_input():
    return single("AveragePool", ["x"], kernel_shape=[99, 99])


@broken("pad")
def pads_of_wrong_count():
    return single("MaxPool", ["x"], kernel_shape=[2, 2], pads=[1, 1])


@broken("kernel_shape|attribute")
def attribute_of_wrong_type():
    return single("MaxPool", ["x"], kernel_shape=[2.0, 2.0])


@broken("kernel_shape")
def attribute_missing():
    return single("MaxPool", ["x"])


@broken("group")
def group_of_zero():
    m = network(1)
    node(m, "conv").attribute.append(helper.make_attribute("group", 0))
    return m


@broken("group")
def groups_that_do_not_divide():
    m = network(1)
    node(m, "conv").attribute.append(helper.make_attribute("group", 2))
    return m


@broken("auto_pad")
def unknown_auto_pad():
    return single("MaxPool", ["x"], kernel_shape=[2, 2], auto_pad="SAME_SOMEHOW")


@broken("axis")
def axis_out_of_range():
    return single("Softmax", ["x"], axis=4)


@broken("perm")
def permutation_with_repetition():
    return single("Transpose", ["x"], perm=[0, 1, 1, 3])


@broken("node|Reshape")
def reshape_to_other_count():
    return single("Reshape", ["x", "s"], initializers=[constant("s", [5, 5])])


@broken("node|Reshape")
def reshape_with_two_unknowns():
    return single("Reshape", ["x", "s"], initializers=[constant("s", [-1, -1])])


@broken("node|Concat")
def concat_of_other_shapes():
    return single("Concat", ["x", "k"], initializers=[weight("k", 1, 4, 6, 5)], axis=1)


@broken("node|broadcast")
def shapes_that_do_not_broadcast():
    return single("Add", ["x", "k"], initializers=[weight("k", 5)])


@broken("node|split")
def split_that_does_not_add_up():
    return single("Split", ["x", "s"], ["y", "z"], initializers=[constant("s", [1, 2])], axis=1)


@broken("node|squeeze|axes")
def squeeze_of_larger_dimension():
    return single("Squeeze", ["x", "a"], initializers=[constant("a", [1])])


@broken("node|matmul", )
def matmul_sizes_that_differ():
    return single("MatMul", ["x", "k"], initializers=[weight("k", 5, 3)])


@broken("block")
def blocks_that_do_not_divide():
    return single("DepthToSpace", ["x"], blocksize=3)


@broken("node|Expand|broadcast")
def expand_to_other_shape():
    return single("Expand", ["x", "s"], initializers=[constant("s", [1, 5, 6, 6])])


@broken("node|Tile|repeat")
def tile_of_wrong_count():
    return single("Tile", ["x", "r"], initializers=[constant("r", [2, 2])])


@broken("node.*TiB")
def broadcast_to_huge_size():
    return single("Add", ["x", "k"], shape=(1 << 30, 1), initializers=[weight("k", 1, 2048)])


@broken("node.*TiB")
def concat_to_huge_size():
    return single("Concat", ["x"] * 5, shape=(1 << 36,), axis=0)


@broken("node.*TiB")
def resize_to_huge_size():
    return single("Resize", ["x", "", "s"],
                  initializers=[constant("s", [1, 1, 1e8, 1e8], np.float32)])


@broken("constant.*GiB")
def huge_constant_as_output():
    return model([helper.make_node("ConstantOfShape", ["s"], ["y"], "node"),
                  helper.make_node("Relu", ["x"], ["z"], "relu")],
                 [value("x", [4])], [value("y", None), value("z", None)],
                 [constant("s", [1 << 35])])


@broken("constant")
def huge_constant_as_operand():
    return model([helper.make_node("ConstantOfShape", ["s"], ["c"], "node"),
                  helper.make_node("ReduceMax", ["c"], ["m"], "max"),
                  helper.make_node("Add", ["x", "m"], ["y"], "add")],
                 [value("x", [4])], [value("y", None)], [constant("s", [1 << 35])])


@broken("constant")
def huge_constant_as_shape():
    element = numpy_helper.from_array(np.array([1], np.int64))
    return model([helper.make_node("ConstantOfShape", ["s"], ["c"], "node", value=element),
                  helper.make_node("Reshape", ["x", "c"], ["y"], "reshape")],
                 [value("x", [1])], [value("y", None)], [constant("s", [1 << 30])])


@broken("kernel_shape.*1073741824|1073741824.*kernel_shape")
def huge_window():
    return single("MaxPool", ["x"], kernel_shape=[1 << 40, 1 << 40], dilations=[1 << 40, 1 << 40])


@broken("1073741824")
def huge_dilated_window():
    return single("MaxPool", ["x"], kernel_shape=[1 << 30, 2], dilations=[1 << 30, 1],
                  auto_pad="SAME_UPPER")


@broken("strides.*1073741824|1073741824.*strides")
def huge_stride():
    return single("ConvTranspose", ["x", "w"], initializers=[weight("w", 4, 4, 2, 2)],
                  strides=[1 << 40, 1 << 40])


@broken("group")
def huge_number_of_groups():
    return single("Conv", ["x", "w"], initializers=[weight("w", 4, 1, 1, 1)], group=1 << 62)


@broken("pads")
def huge_negative_padding():
    pads = [0, 0, -(1 << 63), 0, 0, 0, (1 << 63) - 1, 0]
    return single("Pad", ["x", "p"], initializers=[constant("p", pads)])


@broken("range")
def endless_range():
    numbers = [constant(name, number, np.float32)
               for name, number in (("s", 0), ("l", -np.inf), ("d", 0))]
    return single("Range", ["s", "l", "d"], initializers=numbers)


@broken("memory|large|overflow|bytes|size")
def tile_to_huge_size():
    return single("Tile", ["x", "r"], initializers=[constant("r", [1 << 40, 1 << 40, 1, 1])])


# Dimensions that are bound by options.

@broken(r"'N'.*--dim|--dim.*N")
def unbound_dimension():
    return network()


@broken("'M'", ONE, "--dim=M=3")
def unknown_dimension():
    return network()


@broken("N", "--dim=N=-2")
def negative_dimension():
    return network()


@broken("N", "--dim=N=two")
def dimension_not_a_number():
    return network()


@broken("large|bytes|overflow|memory", "--dim=N=4611686018427387904")
def huge_dimension():
    return network()


@broken("N", ONE, "--dim=N=2")
def dimension_bound_twice():
    return network()


@broken("'x'|static", "--shape=x=1x4x8x8")
def static_dimension_overridden():
    return network()


@broken("rank|'x'", "--shape=x=1x3x8")
def shape_of_other_rank():
    return network()


@broken("'z'", "--shape=z=1x3x8x8")
def shape_of_unknown_input():
    return network()


@broken("N", "--dim=N=2", "--shape=x=1x3x8x8")
def shape_and_dimension_that_differ():
    return network()


@broken("shape|freeze|'shape'|example-data")
def shape_from_an_input():
    return reshape()
