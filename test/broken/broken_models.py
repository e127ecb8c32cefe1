"""Broken ONNX files: each function makes one and returns it; the pattern
is what its error says.

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

@broken("expects an ONNX model, got a file without a graph")
def empty_file():
    return b""


@broken(r"the file is damaged: cannot be parsed behind byte 1\b", ONE)
def text_file():
    return b"this is not a model, it is a sentence that ends here\n"


@broken(r"the file is damaged: cannot be parsed behind byte \d{3}\b", ONE)
def truncated_to_a_third():
    data = network().SerializeToString()
    return data[:len(data) // 3]


@broken(r"the file is damaged: cannot be parsed behind byte \d{4}\b", ONE)
def truncated_by_one_byte():
    return network().SerializeToString()[:-1]


@broken("expects an ONNX model, got a file without a graph")
def no_graph():
    m = network()
    m.ClearField("graph")
    return m


@broken("expects an operator set for the domain '' among the imports, got none", ONE)
def no_opset():
    m = network()
    del m.opset_import[:]
    return m


@broken("opset 999 is not supported", ONE)
def opset_too_new():
    m = network()
    m.opset_import[0].version = 999
    return m


@broken("opset 3 is not supported", ONE)
def opset_too_old():
    m = network()
    m.opset_import[0].version = 3
    return m


# The graph.

@broken("'conv' .*depends on its own output", ONE)
def cycle():
    m = network()
    node(m, "conv").input[0] = "r"
    return m


@broken("'relu' .*depends on its own output", ONE)
def node_reads_itself():
    m = network()
    node(m, "relu").input[0] = "r"
    return m


@broken("'gemm' .*expects a definition of value 'v'", ONE)
def missing_initializer():
    m = network()
    m.graph.initializer.remove(tensor(m, "v"))
    return m


@broken("expects a definition of the output 'nowhere'", ONE)
def unknown_output():
    m = network()
    m.graph.output[0].name = "nowhere"
    return m


@broken("'again' .*expects one definition of value 'r', got another one", ONE)
def value_defined_twice():
    m = network()
    m.graph.node.append(helper.make_node("Sigmoid", ["c"], ["r"], "again"))
    return m


@broken("expects one initializer named 'w', got two", ONE)
def initializer_defined_twice():
    m = network()
    m.graph.initializer.append(tensor(m, "w"))
    return m


@broken("'relu' .*operator 'Frobnicate' of domain 'ai.onnx' is not supported", ONE)
def unknown_operator():
    m = network()
    node(m, "relu").op_type = "Frobnicate"
    return m


@broken("'relu' .*operator 'Relu' of domain 'com.example' is not supported", ONE)
def unknown_domain():
    m = network()
    node(m, "relu").domain = "com.example"
    m.opset_import.append(helper.make_opsetid("com.example", 1))
    return m


@broken("expects an operator set for the domain 'com.example' among the imports", ONE)
def domain_without_opset():
    m = network()
    node(m, "relu").domain = "com.example"
    return m


@broken("'conv' .*expects 2 to 3 inputs, got 1", ONE)
def too_few_inputs():
    m = network()
    del node(m, "conv").input[1:]
    return m


@broken("'relu' .*expects 1 inputs, got 3", ONE)
def too_many_inputs():
    m = network()
    node(m, "relu").input.extend(["b", "d"])
    return m


@broken("'pool' .*expects a definition of value 'r'", ONE)
def no_output_of_node():
    m = network()
    del node(m, "relu").output[:]
    return m


@broken("'relu/Loop/.*functions call each other deeper than 64", ONE)
def function_calls_itself():
    body = helper.make_function(
        "local", "Loop", ["a"], ["b"], [helper.make_node("Loop", ["a"], ["b"], domain="local")],
        [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])
    m = network()
    node(m, "relu").op_type, node(m, "relu").domain = "Loop", "local"
    m.functions.append(body)
    m.opset_import.append(helper.make_opsetid("local", 1))
    return m


@broken(r"'node' .*expects input 0 \('x'\) to be known when the model is compiled")
def condition_not_known():
    branch = helper.make_graph([helper.make_node("Constant", [], ["k"], value_float=1.0)], "branch",
                               [], [value("k", [])])
    return model([helper.make_node("If", ["x"], ["y"], "node", then_branch=branch,
                                   else_branch=branch)],
                 [value("x", [], TensorProto.BOOL)], [value("y", [])])


# Tensors.

@broken("'w': expects 1728 bytes of raw data, got 1724", ONE)
def raw_data_too_short():
    m = network()
    tensor(m, "w").raw_data = tensor(m, "w").raw_data[:-4]
    return m


@broken("'w': expects 1728 bytes of raw data, got 1732", ONE)
def raw_data_too_long():
    m = network()
    tensor(m, "w").raw_data += b"\0\0\0\0"
    return m


@broken(r"'w': expects dimensions of 0 or more .*got \[-16,", ONE)
def negative_dimension_of_tensor():
    m = network()
    tensor(m, "w").dims[0] = -16
    return m


@broken(r"'w': expects dimensions .*whose product fits, got \[1099511627776,", ONE)
def huge_dimensions_of_tensor():
    m = network()
    tensor(m, "w").dims[:] = [1 << 40, 1 << 40, 3, 3]
    return m


@broken("'w': element type 'undefined' is not supported", ONE)
def tensor_without_type():
    m = network()
    tensor(m, "w").data_type = 0
    return m


@broken("'w': element type 'number 77' is not supported", ONE)
def tensor_of_unknown_type():
    m = network()
    tensor(m, "w").data_type = 77
    return m


@broken("'conv' .*expects a filter of the input's type float, got double", ONE)
def filter_of_other_type():
    m = network()
    w = tensor(m, "w")
    w.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(w).astype(np.float64), "w"))
    return m


@broken("'conv' .*expects a filter of rank 4, got 2", ONE)
def filter_of_other_rank():
    m = network()
    tensor(m, "w").dims[:] = [16, 27]
    return m


@broken("'conv' .*3 channels to fit a filter of 16 x 5 channels", ONE)
def filter_of_other_channels():
    m = network()
    tensor(m, "w").CopyFrom(weight("w", 16, 5, 3, 3))
    return m


@broken("'conv' .*expects a bias of 16 x 'f32', got 'tensor<15xf32>'", ONE)
def bias_of_other_size():
    m = network()
    tensor(m, "b").CopyFrom(weight("b", 15))
    return m


@broken("'gemm' .*summed dimension 16 of input 0 .*got 17", ONE)
def gemm_sizes_that_differ():
    m = network()
    tensor(m, "v").CopyFrom(weight("v", 5, 17))
    return m


@broken("'x': element type 'string' is not supported")
def strings():
    return single("Identity", ["x"], shape=(2,), element=TensorProto.STRING)


@broken("'x': element type 'complex64' is not supported")
def complex_numbers():
    return single("Identity", ["x"], shape=(2,), element=TensorProto.COMPLEX64)


# Attributes and shapes.

@broken("'node' .*values from 1 to 1073741824 in attribute 'strides', got 0")
def stride_of_zero():
    return single("MaxPool", ["x"], kernel_shape=[2, 2], strides=[0, 1])


@broken("'node' .*values from 1 to 1073741824 in attribute 'kernel_shape', got 0")
def window_of_zero():
    return single("MaxPool", ["x"], kernel_shape=[0, 2])


@broken(r"'node' .*expects a window of at most 6\b.*got 99")
def window_larger_than_input():
    return single("AveragePool", ["x"], kernel_shape=[99, 99])


@broken("'node' .*expects 4 values in attribute 'pads', got 2")
def pads_of_wrong_count():
    return single("MaxPool", ["x"], kernel_shape=[2, 2], pads=[1, 1])


@broken("'node' .*attribute 'kernel_shape' of kind ints, got floats")
def attribute_of_wrong_type():
    return single("MaxPool", ["x"], kernel_shape=[2.0, 2.0])


@broken("'node' .*expects 2 values in attribute 'kernel_shape', got 0")
def attribute_missing():
    return single("MaxPool", ["x"])


@broken("'conv' .*expects from 1 to 16 groups, got 0")
def group_of_zero():
    m = network(1)
    node(m, "conv").attribute.append(helper.make_attribute("group", 0))
    return m


@broken("'conv' .*3 channels to fit .* in 2 groups")
def groups_that_do_not_divide():
    m = network(1)
    node(m, "conv").attribute.append(helper.make_attribute("group", 2))
    return m


@broken("'node' .*expects auto_pad NOTSET, .*got 'SAME_SOMEHOW'")
def unknown_auto_pad():
    return single("MaxPool", ["x"], kernel_shape=[2, 2], auto_pad="SAME_SOMEHOW")


@broken("'node' .*expects an axis of 4 dimensions, got 4")
def axis_out_of_range():
    return single("Softmax", ["x"], axis=4)


@broken(r"'node' .*expects a permutation of 4 dimensions, got \[0, 1, 1, 3\]")
def permutation_with_repetition():
    return single("Transpose", ["x"], perm=[0, 1, 1, 3])


@broken(r"'node' .*cannot reshape 144 elements to \[5, 5\]")
def reshape_to_other_count():
    return single("Reshape", ["x", "s"], initializers=[constant("s", [5, 5])])


@broken("'node' .*expects at most one -1 in the shape")
def reshape_with_two_unknowns():
    return single("Reshape", ["x", "s"], initializers=[constant("s", [-1, -1])])


@broken("'node' .*but for dimension 1, got 'tensor<1x4x6x5xf32>'")
def concat_of_other_shapes():
    return single("Concat", ["x", "k"], initializers=[weight("k", 1, 4, 6, 5)], axis=1)


@broken(r"'node' .*cannot broadcast shapes \[1, 4, 6, 6\] and \[5\]")
def shapes_that_do_not_broadcast():
    return single("Add", ["x", "k"], initializers=[weight("k", 5)])


@broken(r"'node' .*parts that add up to 4, got \[1, 2\]")
def split_that_does_not_add_up():
    return single("Split", ["x", "s"], ["y", "z"], initializers=[constant("s", [1, 2])], axis=1)


@broken("'node' .*expects dimension 1 to have size 1, got 4")
def squeeze_of_larger_dimension():
    return single("Squeeze", ["x", "a"], initializers=[constant("a", [1])])


@broken("'node' .*summed dimension 6 of input 0 .*got 5")
def matmul_sizes_that_differ():
    return single("MatMul", ["x", "k"], initializers=[weight("k", 5, 3)])


@broken("'node' .*expects channels that divide by 9, got 4")
def blocks_that_do_not_divide():
    return single("DepthToSpace", ["x"], blocksize=3)


@broken(r"'node' .*cannot broadcast shapes \[1, 4, 6, 6\] and \[1, 5, 6, 6\]")
def expand_to_other_shape():
    return single("Expand", ["x", "s"], initializers=[constant("s", [1, 5, 6, 6])])


@broken("'node' .*expects 4 repeats, got 2")
def tile_of_wrong_count():
    return single("Tile", ["x", "r"], initializers=[constant("r", [2, 2])])


@broken(r"'node' .*of at most 1\.00 TiB")
def broadcast_to_huge_size():
    return single("Add", ["x", "k"], shape=(1 << 30, 1), initializers=[weight("k", 1, 2048)])


@broken(r"'node' .*of at most 1\.00 TiB")
def concat_to_huge_size():
    return single("Concat", ["x"] * 5, shape=(1 << 36,), axis=0)


@broken(r"'node' .*of at most 1\.00 TiB")
def resize_to_huge_size():
    return single("Resize", ["x", "", "s"],
                  initializers=[constant("s", [1, 1, 1e8, 1e8], np.float32)])


@broken("expects a constant with a known value of at most 8 GiB, got 'tensor<34359738368xf32>'")
def huge_constant_as_output():
    return model([helper.make_node("ConstantOfShape", ["s"], ["y"], "node"),
                  helper.make_node("Relu", ["x"], ["z"], "relu")],
                 [value("x", [4])], [value("y", None), value("z", None)],
                 [constant("s", [1 << 35])])


@broken("expects a constant with a known value of at most 8 GiB")
def huge_constant_as_operand():
    return model([helper.make_node("ConstantOfShape", ["s"], ["c"], "node"),
                  helper.make_node("ReduceMax", ["c"], ["m"], "max"),
                  helper.make_node("Add", ["x", "m"], ["y"], "add")],
                 [value("x", [4])], [value("y", None)], [constant("s", [1 << 35])])


@broken("'reshape' .*cannot read the constant of input 1")
def huge_constant_as_shape():
    element = numpy_helper.from_array(np.array([1], np.int64))
    return model([helper.make_node("ConstantOfShape", ["s"], ["c"], "node", value=element),
                  helper.make_node("Reshape", ["x", "c"], ["y"], "reshape")],
                 [value("x", [1])], [value("y", None)], [constant("s", [1 << 30])])


@broken("values from 1 to 1073741824 in attribute 'kernel_shape', got 1099511627776")
def huge_window():
    return single("MaxPool", ["x"], kernel_shape=[1 << 40, 1 << 40], dilations=[1 << 40, 1 << 40])


@broken("'node' .*expects a dilated window of at most 1073741824 elements")
def huge_dilated_window():
    return single("MaxPool", ["x"], kernel_shape=[1 << 30, 2], dilations=[1 << 30, 1],
                  auto_pad="SAME_UPPER")


@broken("values from 1 to 1073741824 in attribute 'strides', got 1099511627776")
def huge_stride():
    return single("ConvTranspose", ["x", "w"], initializers=[weight("w", 4, 4, 2, 2)],
                  strides=[1 << 40, 1 << 40])


@broken("'node' .*expects from 1 to 4 groups, got 4611686018427387904")
def huge_number_of_groups():
    return single("Conv", ["x", "w"], initializers=[weight("w", 4, 1, 1, 1)], group=1 << 62)


@broken("'node' .*expects pads from -1099511627776 to 1099511627776, got -")
def huge_negative_padding():
    pads = [0, 0, -(1 << 63), 0, 0, 0, (1 << 63) - 1, 0]
    return single("Pad", ["x", "p"], initializers=[constant("p", pads)])


@broken(r"'node' .*expects a delta other than 0 and a range of at most 1\.00 TiB")
def endless_range():
    numbers = [constant(name, number, np.float32)
               for name, number in (("s", 0), ("l", -np.inf), ("d", 0))]
    return single("Range", ["s", "l", "d"], initializers=numbers)


@broken("'node' .*expects repeats from 0 to 2147483647, got 1099511627776")
def tile_to_huge_size():
    return single("Tile", ["x", "r"], initializers=[constant("r", [1 << 40, 1 << 40, 1, 1])])


# Dimensions that are bound by options.

@broken(r"have dimensions without a size:\n.*'x': \[N, 3, 8, 8\]")
def unbound_dimension():
    return network()


@broken("no symbolic dimension 'M'; it has 'N'", ONE, "--dim=M=3")
def unknown_dimension():
    return network()


@broken("--dim expects a size of 0 or more, got 'N=-2'", "--dim=N=-2")
def negative_dimension():
    return network()


@broken("--dim expects a size of 0 or more, got 'N=two'", "--dim=N=two")
def dimension_not_a_number():
    return network()


@broken(r"'x' of shape \[4611686018427387904, 3, 8, 8\] is too large",
        "--dim=N=4611686018427387904")
def huge_dimension():
    return network()


@broken("'N' is 1 in one place, but --dim makes it 2", ONE, "--dim=N=2")
def dimension_bound_twice():
    return network()


@broken(r"'x' the shape \[1, 4, 8, 8\], but the model declares \[\?, 3, 8, 8\]",
        "--shape=x=1x4x8x8")
def static_dimension_overridden():
    return network()


@broken(r"'x' the shape \[1, 3, 8\], but the model declares \[\?, 3, 8, 8\]", "--shape=x=1x3x8")
def shape_of_other_rank():
    return network()


@broken("the model has no input 'z'; its inputs are 'x'", "--shape=z=1x3x8x8")
def shape_of_unknown_input():
    return network()


@broken("'N' is 2 in one place, but the shape of input 'x' makes it 1", "--dim=N=2",
        "--shape=x=1x3x8x8")
def shape_and_dimension_that_differ():
    return network()


@broken(r"'reshape' .*expects input 1 \('shape'\) to be known .*--freeze shape=FILE")
def shape_from_an_input():
    return reshape()
