"""Casts floats of all sizes to all integer types, as constants and at run time.

    check_casts.py FOLDER

SPDX-License-Identifier: Apache-2.0
"""

import math
import pathlib
import platform
import secrets
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

FOLDER = pathlib.Path(sys.argv[1])
SEED = secrets.randbelow(1 << 30)
# Vectors of all widths and a remainder.
COUNT = 16 * 8 + 7
FLOATS = {"float": TensorProto.FLOAT, "double": TensorProto.DOUBLE, "half": TensorProto.FLOAT16,
          "bfloat": TensorProto.BFLOAT16}
INTEGERS = {"int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int16": TensorProto.INT16,
            "uint16": TensorProto.UINT16, "int32": TensorProto.INT32, "uint32": TensorProto.UINT32,
            "int64": TensorProto.INT64, "uint64": TensorProto.UINT64}


def signed(value, width):
    """The integer that a conversion of an x86 processor gives."""
    fits = math.isfinite(value) and abs(value) < 2.0 ** (width - 1)
    return int(value) if fits else -(1 << (width - 1))


def expected(value, name):
    width = int(name.lstrip("uint"))
    if name == "uint64":
        upper = value >= 2.0 ** 63
        result = signed(value - 2.0 ** 63, 64) + (1 << 63) if upper else signed(value, 64)
    else:
        result = signed(value, 64 if width == 64 or name == "uint32" else 32)
    result %= 1 << width
    return result - (1 << width) if name[0] == "i" and result >> (width - 1) else result


def draw(random):
    values = random.choice([-1, 1], COUNT) * 2.0 ** random.uniform(-3, 70, COUNT)
    edges = [math.nan, math.inf, -math.inf, -0.0, -0.9, 1e30, -1e30]
    for bits in (7, 8, 15, 16, 31, 32, 63, 64):
        edges += [2.0 ** bits, -(2.0 ** bits), 2.0 ** bits * (1 - 2 ** -8), -(2.0 ** bits) * 1.01 - 1]
    values[random.permutation(COUNT)[:len(edges)]] = edges
    return values


def make_tensor(name, kind, values):
    """A tensor proto, and the values that it holds as double."""
    if kind == "bfloat":
        bits = values.astype(np.float32).view(np.uint32) >> 16
        tensor = helper.make_tensor(name, FLOATS[kind], [COUNT], bits.astype(np.uint16).tobytes(), raw=True)
        return tensor, (bits << 16).astype(np.uint32).view(np.float32).astype(np.float64)
    with np.errstate(over="ignore"):
        array = values.astype({"float": np.float32, "double": np.float64, "half": np.float16}[kind])
    tensor = helper.make_tensor(name, FLOATS[kind], [COUNT], array.tobytes(), raw=True)
    return tensor, array.astype(np.float64)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")


def check(kind, random):
    tensor, values = make_tensor("x", kind, draw(random))
    (FOLDER / "x.pb").write_bytes(tensor.SerializeToString())
    constant = onnx.TensorProto()
    constant.CopyFrom(tensor)
    constant.name = "c"
    nodes = [helper.make_node("Cast", [source], [f"{source}_{name}"], to=to)
             for source in "xc" for name, to in INTEGERS.items()]
    outputs = [(f"{source}_{name}", name) for source in "xc" for name in INTEGERS]
    graph = helper.make_graph(
        nodes, "casts", [helper.make_tensor_value_info("x", FLOATS[kind], [COUNT])],
        [helper.make_tensor_value_info(key, INTEGERS[name], [COUNT]) for key, name in outputs], [constant])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8),
              FOLDER / "casts.onnx")
    for cpu in ("native", "x86-64") if platform.machine() == "x86_64" else ("native",):
        run("udnn-compile", FOLDER / "casts.onnx", f"--cpu={cpu}", "-o", FOLDER / "casts.udnn")
        run("udnn-run", FOLDER / "casts.udnn", f"--input=x={FOLDER / 'x.pb'}", "--output-dir", FOLDER)
        for i, (key, name) in enumerate(outputs):
            wanted = np.array([expected(value, name) for value in values], name)
            np.testing.assert_array_equal(np.load(FOLDER / f"output_{i}.npy"), wanted,
                                          err_msg=f"{kind} to {key} for {cpu}, seed {SEED}")


def main():
    random = np.random.default_rng(SEED)
    for kind in FLOATS:
        check(kind, random)


if __name__ == "__main__":
    main()
