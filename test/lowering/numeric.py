"""Runs primitives through convert-dnn-to-linalg and mlir-runner and compares with numpy in float64.

Every case draws its tensors with a fresh seed, which is printed when it fails.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i32": np.int32, "i64": np.int64}
LOWERING = [
    "--convert-dnn-to-linalg",
    "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
    "--scf-forall-to-for", "--convert-linalg-to-loops", "--memref-expand", "--expand-strided-metadata", "--lower-affine",
    "--arith-expand", "--convert-scf-to-cf", "--convert-math-to-llvm", "--convert-math-to-libm",
    "--finalize-memref-to-llvm", "--convert-func-to-llvm", "--convert-arith-to-llvm", "--convert-cf-to-llvm",
    "--convert-index-to-llvm", "--convert-ub-to-llvm", "--reconcile-unrealized-casts",
]


def tensor_type(array, name):
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + name + ">"


def literal(array, name):
    """The array as a dense attribute, by its bytes."""
    array = np.ascontiguousarray(array, TYPES[name])
    return f'dense<"0x{array.tobytes().hex().upper()}"> : {tensor_type(array, name)}'


class Case:
    """One primitive: MLIR text with {inputs} already defined as %0, %1, ..., and what it must give."""

    def __init__(self, name, inputs, text, expected, tolerance=1e-5):
        self.name, self.inputs, self.text, self.expected, self.tolerance = name, inputs, text, expected, tolerance

    def module(self):
        """Calls the primitive on constants and prints every result as f64."""
        lines = ["func.func private @printF64(f64)", "func.func private @printNewline()", "func.func @main() {"]
        for i, (array, kind) in enumerate(self.inputs):
            lines.append(f"  %{i} = arith.constant {literal(array, kind)}")
        lines += ["  " + line for line in self.text.strip().splitlines()]
        for i, (array, kind) in enumerate(self.expected):
            lines += self.print_loop(f"%r{i}" if len(self.expected) > 1 else "%r", array, kind, i)
        return "\n".join(lines + ["  return", "}"]) + "\n"

    @staticmethod
    def print_loop(value, array, kind, number):
        flat = f"%flat{number}"
        groups = "[[" + ", ".join(map(str, range(array.ndim))) + "]]" if array.ndim else "[]"
        source = tensor_type(array, kind)
        lines = [f"  %n{number} = arith.constant {array.size} : index", f"  %z{number} = arith.constant 0 : index",
                 f"  %s{number} = arith.constant 1 : index",
                 f"  {flat} = tensor.collapse_shape {value} {groups} : {source} into tensor<{array.size}x{kind}>",
                 f"  scf.for %i = %z{number} to %n{number} step %s{number} {{",
                 f"    %element = tensor.extract {flat}[%i] : tensor<{array.size}x{kind}>"]
        if kind.startswith("i"):
            lines.append(f"    %d = arith.sitofp %element : {kind} to f64")
        elif kind == "f64":
            lines.append("    %zero = arith.constant -0.0 : f64")
            lines.append("    %d = arith.addf %element, %zero : f64")
        else:
            lines.append(f"    %d = arith.extf %element : {kind} to f64")
        return lines + ["    func.call @printF64(%d) : (f64) -> ()", "    func.call @printNewline() : () -> ()", "  }"]

    def run(self, options, before=()):
        """Runs the passes `before`, lowers and runs; says what differs, or None."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "case.mlir")
            with open(path, "w") as file:
                file.write(self.module())
            lowered = subprocess.run([options.opt, path, *before] + LOWERING, capture_output=True, text=True)
            if lowered.returncode:
                return f"lowering failed: {lowered.stderr[:2000]}"
            runner = subprocess.run(
                [os.path.join(options.llvm, "bin", "mlir-runner"), "-e", "main", "--entry-point-result=void", "-O1",
                 f"--shared-libs={options.llvm}/lib/libmlir_c_runner_utils.so"],
                input=lowered.stdout, capture_output=True, text=True)
        if runner.returncode:
            return f"run failed: {runner.stderr[:2000]}"
        values = np.array([float(line) for line in runner.stdout.split()])
        if values.size != sum(array.size for array, _ in self.expected):
            return f"expects {sum(array.size for array, _ in self.expected)} values, got {values.size}"
        start = 0
        for array, kind in self.expected:
            got, want = values[start:start + array.size], np.asarray(array, np.float64).ravel()
            start += array.size
            # Lanes that the dialect leaves unspecified are marked by negative infinity.
            known = ~np.isneginf(want) if kind.startswith("f") else np.ones(want.shape, bool)
            scale = max(1.0, np.max(np.abs(want[np.isfinite(want)]), initial=0))
            wrong = ~(np.isclose(got, want, rtol=self.tolerance, atol=self.tolerance * scale, equal_nan=True)) & known
            if wrong.any():
                i = int(np.flatnonzero(wrong)[0])
                return f"{wrong.sum()} of {want.size} differ; element {i}: got {got[i]}, expected {want[i]}"
        return None


# Layouts: a layout turns a logical [n, c, spatial...] array into its physical form.


def dims_text(layout, channels, rank, letters="nc"):
    first, second = letters
    spatial = [str(i) for i in range(rank)]
    if layout == "plain":
        return "[" + ", ".join([first, second] + spatial) + "]"
    if layout == "last":
        return "[" + ", ".join([first] + spatial + [second]) + "]"
    block = int(layout)
    tail = f" = {channels}" if channels % block else ""
    return "[" + ", ".join([first, second + tail] + spatial + [f"{block}{second}"]) + "]"


def to_physical(array, layout, fill=np.nan):
    if layout == "plain":
        return array
    if layout == "last":
        return np.moveaxis(array, 1, -1)
    block = int(layout)
    padded = np.full((array.shape[0], -(-array.shape[1] // block) * block) + array.shape[2:], fill, array.dtype)
    padded[:, : array.shape[1]] = array
    shape = (array.shape[0], padded.shape[1] // block, block) + array.shape[2:]
    return np.moveaxis(padded.reshape(shape), 2, -1)


def list_text(values):
    return "[" + ", ".join(map(str, values)) + "]"


def conv_reference(x, w, strides, pads, dilations, groups, sizes):
    """Convolution in float64 by the definition; result cut to `sizes`."""
    rank = len(strides)
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0)] + [(pads[i], pads[rank + i]) for i in range(rank)])
    n, k = x.shape[0], w.shape[0]
    result = np.zeros((n, k) + tuple(sizes))
    per_group = w.shape[1]
    for g in range(groups):
        xs, ws = x[:, g * per_group:(g + 1) * per_group], w[g * k // groups:(g + 1) * k // groups].astype(np.float64)
        for tap in itertools.product(*(range(s) for s in w.shape[2:])):
            window = xs[(slice(None), slice(None)) + tuple(
                slice(t * d, t * d + (o - 1) * s + 1, s) for t, d, o, s in zip(tap, dilations, sizes, strides))]
            result[:, g * k // groups:(g + 1) * k // groups] += np.einsum(
                "nc...,kc->nk...", window, ws[(slice(None), slice(None)) + tap])
    return result


def conv_size(size, window, stride, before, after, dilation):
    return (size + before + after - (window - 1) * dilation - 1) // stride + 1


def conv_cases(rng):
    settings = [  # n, c, k, spatial, window, strides, pads, dilations, groups, type, layouts
        (2, 3, 5, (6, 7), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1, "f32", ("plain", "plain")),
        (1, 4, 6, (9, 8), (3, 2), (2, 1), (0, 0, 0, 0), (1, 2), 1, "f32", ("plain", "plain")),
        (1, 4, 6, (9, 8), (3, 2), (2, 3), (2, 0, 1, 1), (2, 1), 2, "f64", ("plain", "last")),
        (1, 6, 6, (7, 7), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 6, "f32", ("4", "4")),
        (1, 10, 13, (5, 5), (3, 3), (2, 2), (1, 1, 0, 0), (1, 1), 1, "f32", ("8", "8")),
        (1, 3, 9, (8,), (4,), (2,), (1, 2), (1,), 3, "f32", ("last", "4")),
        (1, 2, 3, (4, 5, 3), (2, 2, 3), (1, 2, 1), (0, 1, 1, 1, 0, 1), (1, 1, 1), 1, "f16", ("plain", "plain")),
        (1, 8, 8, (4, 4), (1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1, "f16", ("8", "plain")),
    ]
    for number, (n, c, k, spatial, window, strides, pads, dilations, groups, kind, layouts) in enumerate(settings):
        rank = len(spatial)
        x = rng.standard_normal((n, c) + spatial).astype(TYPES[kind])
        w = rng.standard_normal((k, c // groups) + window).astype(TYPES[kind])
        b = rng.standard_normal(k).astype(TYPES[kind])
        sizes = [conv_size(spatial[i], window[i], strides[i], pads[i], pads[rank + i], dilations[i]) for i in range(rank)]
        y = conv_reference(x, w, strides, pads, dilations, groups, sizes)
        y = np.maximum(y + b.reshape((1, k) + (1,) * rank), 0)
        px, py = to_physical(x, layouts[0]), to_physical(y, layouts[1], fill=-np.inf)
        accumulator = "f64" if kind == "f64" else "f32"
        letters = [f"d{i}" for i in range(py.ndim)]
        channel = {"plain": "d1", "last": letters[-1]}.get(layouts[1], f"d1 * {layouts[1]} + {letters[-1]}")
        extend = "%v = arith.addf %acc, %bias : f32" if kind != "f16" else \
            "%wide = arith.extf %bias : f16 to f32\n%v = arith.addf %acc, %wide : f32"
        extend = extend.replace("f32", accumulator)
        narrow = "" if kind != "f16" else "%out = arith.truncf %relu : f32 to f16"
        text = f"""
%e = tensor.empty() : {tensor_type(py, kind)}
%r = dnn.conv ins(%0 {dims_text(layouts[0], c, rank)}, %1 {dims_text("plain", 0, rank, "kc")} : {tensor_type(px, kind)}, {tensor_type(w, kind)})
  outs(%e {dims_text(layouts[1], k, rank)} : {tensor_type(py, kind)})
  strides {list_text(strides)} pads {list_text(pads)} dilations {list_text(dilations)} groups {groups} accumulator {accumulator}
  epilogue(%2 : tensor<{k}x{kind}> by affine_map<({", ".join(letters)}) -> ({channel})>) {{
^bb0(%acc: {accumulator}, %bias: {kind}):
  {extend}
  %zero = arith.constant 0.0 : {accumulator}
  %relu = arith.maximumf %v, %zero : {accumulator}
  {narrow}
  dnn.yield {"%out" if narrow else "%relu"} : {kind}
}}"""
        yield Case(f"conv_{number}_{kind}_{layouts[0]}_{layouts[1]}", [(px, kind), (w, kind), (b, kind)], text,
                   [(py, kind)], 2e-3 if kind == "f16" else 1e-5)

    # A filter blocked in both channels with tails, and accumulation onto the init.
    x, w = rng.standard_normal((1, 5, 4, 4)), rng.standard_normal((6, 5, 3, 3))
    init = rng.standard_normal((1, 6, 2, 2))
    y = conv_reference(x, w, (1, 1), (0, 0, 0, 0), (1, 1), 1, (2, 2)) + init
    pw = np.full((2, 2, 3, 3, 4, 4), np.nan)
    for k, c in itertools.product(range(6), range(5)):
        pw[k // 4, c // 4, :, :, c % 4, k % 4] = w[k, c]
    yield Case("conv_blocked_filter_accumulate", [(x, "f32"), (pw, "f32"), (init, "f32")], f"""
%r = dnn.conv ins(%0 [n, c, 0, 1], %1 [k = 6, c = 5, 0, 1, 4c, 4k] : tensor<1x5x4x4xf32>, tensor<2x2x3x3x4x4xf32>)
  outs(%2 [n, c, 0, 1] : tensor<1x6x2x2xf32>) strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
  accumulator f32 accumulate""", [(y, "f32")])


def conv_transpose_cases(rng):
    settings = [  # c, k, spatial, window, strides, pads, dilations, groups, extra, layout
        (3, 4, (3, 4), (2, 2), (2, 2), (0, 0, 0, 0), (1, 1), 1, 0, "plain"),
        (4, 6, (4, 3), (3, 3), (2, 1), (1, 1, 1, 0), (1, 2), 2, 1, "4"),
        (2, 2, (5,), (4,), (3,), (1, 2), (1,), 1, 0, "last"),
    ]
    for number, (c, k, spatial, window, strides, pads, dilations, groups, extra, layout) in enumerate(settings):
        rank = len(spatial)
        x = rng.standard_normal((1, c) + spatial)
        w = rng.standard_normal((c, k // groups) + window)
        sizes = [strides[i] * (spatial[i] - 1) + (window[i] - 1) * dilations[i] + 1 - pads[i] - pads[rank + i] + extra
                 for i in range(rank)]
        y = np.zeros((1, k) + tuple(sizes))
        for p in itertools.product(*(range(s) for s in spatial)):
            for r in itertools.product(*(range(s) for s in window)):
                q = [p[i] * strides[i] + r[i] * dilations[i] - pads[i] for i in range(rank)]
                if any(v < 0 or v >= s for v, s in zip(q, sizes)):
                    continue
                for ci in range(c):
                    g = ci // (c // groups)
                    ks = slice(g * k // groups, (g + 1) * k // groups)
                    y[(0, ks) + tuple(q)] += x[(0, ci) + p] * w[(ci, slice(None)) + r]
        px, py = to_physical(x, layout), to_physical(y, layout, fill=-np.inf)
        yield Case(f"conv_transpose_{number}", [(px, "f32"), (w, "f32")], f"""
%e = tensor.empty() : {tensor_type(py, "f32")}
%r = dnn.conv_transpose ins(%0 {dims_text(layout, c, rank)}, %1 {dims_text("plain", 0, rank, "ck")} : {tensor_type(px, "f32")}, {tensor_type(w, "f32")})
  outs(%e {dims_text(layout, k, rank)} : {tensor_type(py, "f32")})
  strides {list_text(strides)} pads {list_text(pads)} dilations {list_text(dilations)} groups {groups} accumulator f32""",
                   [(py, "f32")])


def matmul_cases(rng):
    a, b = rng.standard_normal((2, 3, 4, 5)), rng.standard_normal((6, 5))
    yield Case("matmul_broadcast_transposed", [(a, "f32"), (b, "f32")], """
%e = tensor.empty() : tensor<2x3x4x6xf32>
%r = dnn.matmul ins(%0, %1 : tensor<2x3x4x5xf32>, tensor<6x5xf32>) outs(%e : tensor<2x3x4x6xf32>)
  transpose_rhs accumulator f32""", [(a @ b.T, "f32")])
    a, b = rng.integers(-128, 128, (7, 3)), rng.integers(-128, 128, (7, 4))
    for unsigned in ("", "unsigned"):
        mask = (lambda v: v & 255) if unsigned else (lambda v: v)
        yield Case(f"matmul_i8_{unsigned or 'signed'}", [(a, "i8"), (b, "i8")], f"""
%e = tensor.empty() : tensor<3x4xi32>
%r = dnn.matmul ins(%0, %1 : tensor<7x3xi8>, tensor<7x4xi8>) outs(%e : tensor<3x4xi32>) transpose_lhs {unsigned}
  accumulator i32""", [(mask(a).T @ mask(b), "i32")])


def pool_positions(spatial, sizes, window, strides, pads, dilations):
    for p in itertools.product(*(range(s) for s in sizes)):
        taps = []
        for r in itertools.product(*(range(s) for s in window)):
            q = tuple(p[i] * strides[i] + r[i] * dilations[i] - pads[i] for i in range(len(spatial)))
            taps.append(q)
        yield p, taps


def pool_cases(rng):
    settings = [  # spatial, sizes, window, strides, pads, dilations, layout
        ((7, 6), (3, 3), (3, 2), (2, 2), (0, 0, 0, 0), (1, 1), "plain"),
        ((7, 6), (4, 4), (3, 3), (2, 2), (1, 1, 1, 2), (1, 1), "4"),
        ((8,), (6,), (2,), (1,), (1, 1), (4,), "last"),
        ((4, 4, 4), (2, 2, 2), (3, 3, 3), (2, 2, 2), (1, 0, 1, 0, 1, 0), (1, 1, 1), "plain"),
    ]
    for number, (spatial, sizes, window, strides, pads, dilations, layout) in enumerate(settings):
        rank, c = len(spatial), 5
        x = rng.integers(-4, 5, (2, c) + spatial).astype(np.float64)
        x[0, 1][(0,) * rank] = np.nan
        best = np.full((2, c) + sizes, -np.inf)
        where = {order: np.full((2, c) + sizes, -1) for order in "CF"}
        mean = {flag: np.zeros((2, c) + sizes) for flag in (False, True)}
        clean = np.nan_to_num(x)
        for p, taps in pool_positions(spatial, sizes, window, strides, pads, dilations):
            inside = [q for q in taps if all(0 <= v < s for v, s in zip(q, spatial))]
            padded = [q for q in taps if all(-pads[i] <= q[i] < spatial[i] + pads[rank + i] for i in range(rank))]
            for image, channel in itertools.product(range(2), range(c)):
                values = [x[(image, channel) + q] for q in inside]
                first = next((i for i, v in enumerate(values) if np.isnan(v)), None)
                first = int(np.argmax(values)) if first is None else first
                best[(image, channel) + p] = values[first]
                for order in "CF":
                    flat = np.ravel_multi_index(inside[first], spatial, order=order)
                    where[order][(image, channel) + p] = (image * c + channel) * np.prod(spatial) + flat
                total = sum(clean[(image, channel) + q] for q in inside)
                mean[False][(image, channel) + p] = total / len(inside)
                mean[True][(image, channel) + p] = total / len(padded)
        dims = dims_text(layout, c, rank)
        attributes = (f"dims {dims} window {list_text(window)} strides {list_text(strides)} pads {list_text(pads)} "
                      f"dilations {list_text(dilations)}")
        px, py = to_physical(x, layout), to_physical(best, layout, fill=-np.inf)
        types = f"{tensor_type(py, 'f32')}"
        yield Case(f"max_pool_{number}", [(px, "f32")], f"""
%e = tensor.empty() : {types}
%r = dnn.max_pool ins(%0 : {tensor_type(px, "f32")}) outs(%e : {types}) {attributes} -> {types}""", [(py, "f32")])
        if layout == "plain" or layout == "last":
            for order, flag in (("C", ""), ("F", "column_major")):
                pi = to_physical(where[order], layout)
                both = f"{types}, {tensor_type(pi, 'i64')}"
                yield Case(f"max_pool_indices_{order}_{number}", [(px, "f32")], f"""
%e = tensor.empty() : {types}
%f = tensor.empty() : {tensor_type(pi, "i64")}
%r0, %r1 = dnn.max_pool ins(%0 : {tensor_type(px, "f32")}) outs(%e, %f : {both}) {attributes} {flag} -> {both}""",
                           [(py, "f32"), (pi, "i64")])
        for include, flag in ((False, ""), (True, "count_include_pad")):
            pm, pc = to_physical(mean[include], layout, fill=-np.inf), to_physical(clean, layout, fill=0)
            yield Case(f"avg_pool_{number}_{flag or 'exclude'}", [(pc, "f32")], f"""
%e = tensor.empty() : {types}
%r = dnn.avg_pool ins(%0 : {tensor_type(px, "f32")}) outs(%e : {types}) {attributes} {flag}""", [(pm, "f32")])
    x = rng.integers(-128, 128, (1, 2, 4, 4))
    for unsigned in ("", "unsigned"):
        y = (x & 255 if unsigned else x).reshape(1, 2, 2, 2, 2, 2).max((3, 5)).astype(np.uint8).view(np.int8)
        yield Case(f"max_pool_i8_{unsigned or 'signed'}", [(x, "i8")], f"""
%e = tensor.empty() : tensor<1x2x2x2xi8>
%r = dnn.max_pool ins(%0 : tensor<1x2x4x4xi8>) outs(%e : tensor<1x2x2x2xi8>) dims [n, c, 0, 1] window [2, 2]
  strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] {unsigned} -> tensor<1x2x2x2xi8>""", [(y, "i8")])


def norm_cases(rng):
    x = rng.standard_normal((3, 4, 5)) * 20
    for dimension in range(3):
        e = np.exp(x - x.max(dimension, keepdims=True))
        y = e / e.sum(dimension, keepdims=True)
        for name, want in (("softmax", y), ("log_softmax", np.log(y))):
            yield Case(f"{name}_{dimension}", [(x, "f32")], f"""
%e = tensor.empty() : tensor<3x4x5xf32>
%r = dnn.{name} ins(%0 : tensor<3x4x5xf32>) outs(%e : tensor<3x4x5xf32>) dimension {dimension}""", [(want, "f32")])
    x = rng.standard_normal((2, 6, 3, 4)) * 3 + 1
    vectors = [rng.standard_normal(6) for _ in range(3)] + [rng.random(6) + 0.1]
    scale, bias, mean, variance = (v.reshape(1, 6, 1, 1) for v in vectors)
    batch = (x - mean) / np.sqrt(variance + 1e-3) * scale + bias
    axes = (2, 3)
    instance = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-3) * scale + bias
    lrn = np.zeros_like(x)
    for c in range(6):
        window = x[:, max(0, c - 1):c + 3] ** 2
        lrn[:, c] = x[:, c] / (1.5 + 0.2 / 4 * window.sum(1)) ** 0.75
    vector = ", ".join(["tensor<6xf32>"] * 4)
    for layout in ("plain", "last", "4"):
        px, dims = to_physical(x, layout, fill=0), dims_text(layout, 6, 2)
        kind = tensor_type(px, "f32")
        inputs = [(px, "f32")] + [(v, "f32") for v in vectors]
        yield Case(f"batch_norm_{layout}", inputs, f"""
%e = tensor.empty() : {kind}
%r = dnn.batch_norm ins(%0, %1, %2, %3, %4 : {kind}, {vector}) outs(%e : {kind}) dims {dims} epsilon 1.0e-03""",
                   [(to_physical(batch, layout, fill=-np.inf), "f32")])
        yield Case(f"instance_norm_{layout}", inputs, f"""
%e = tensor.empty() : {kind}
%r = dnn.instance_norm ins(%0, %1, %2 : {kind}, tensor<6xf32>, tensor<6xf32>) outs(%e : {kind}) dims {dims} epsilon 1.0e-03""",
                   [(to_physical(instance, layout, fill=-np.inf), "f32")])
        yield Case(f"lrn_{layout}", inputs, f"""
%e = tensor.empty() : {kind}
%r = dnn.lrn ins(%0 : {kind}) outs(%e : {kind}) dims {dims} size 4 alpha 2.0e-01 beta 7.5e-01 bias 1.5""",
                   [(to_physical(lrn, layout, fill=-np.inf), "f32")])
    x = rng.standard_normal((2, 3, 4, 5)) + 5
    for dimension in range(4):
        axes = tuple(range(dimension, 4))
        scale, bias = rng.standard_normal(x.shape[dimension:]), rng.standard_normal((1,) * (3 - dimension) + (5,))
        m, inverse = x.mean(axes, keepdims=True), 1 / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
        kinds = [tensor_type(v, "f32") for v in (x, scale, bias, m)]
        yield Case(f"layer_norm_{dimension}", [(x, "f32"), (scale, "f32"), (bias, "f32")], f"""
%e = tensor.empty() : {kinds[0]}
%f = tensor.empty() : {kinds[3]}
%g = tensor.empty() : {kinds[3]}
%r0, %r1, %r2 = dnn.layer_norm ins(%0, %1, %2 : {kinds[0]}, {kinds[1]}, {kinds[2]})
  outs(%e, %f, %g : {kinds[0]}, {kinds[3]}, {kinds[3]}) dimension {dimension} epsilon 1.0e-05
  -> {kinds[0]}, {kinds[3]}, {kinds[3]}""", [((x - m) * inverse * scale + bias, "f32"), (m, "f32"), (inverse, "f32")])


def resize_coordinate(mode, y, scale, size, result_size, roi):
    length = scale * size
    if mode == "align_corners":
        return 0.0 if length == 1 else y * (size - 1) / (length - 1)
    if mode == "asymmetric":
        return y / scale
    if mode == "tf_half_pixel_for_nn":
        return (y + 0.5) / scale
    if mode == "tf_crop_and_resize":
        if length == 1:
            return (roi[0] + roi[1]) * (size - 1) / 2
        return roi[0] * (size - 1) + y * (roi[1] - roi[0]) * (size - 1) / (length - 1)
    offset = size / 2 * (1 - result_size / length) if mode == "half_pixel_symmetric" else 0
    if mode == "pytorch_half_pixel" and length == 1:
        return 0.0
    return offset + (y + 0.5) / scale - 0.5


def resize_weights(interpolation, mode, nearest, scale, size, result_size, roi):
    """The matrix [result_size, size] that resamples one dimension; NaN rows where outside."""
    if scale == 1 and size == result_size and mode != "tf_crop_and_resize":
        return np.eye(size)
    matrix = np.zeros((result_size, size))
    rounding = {"floor": np.floor, "ceil": np.ceil, "round_prefer_floor": lambda v: np.ceil(v - 0.5),
                "round_prefer_ceil": lambda v: np.floor(v + 0.5)}[nearest]
    for y in range(result_size):
        x = resize_coordinate(mode, y, scale, size, result_size, roi)
        if mode == "tf_crop_and_resize" and not 0 <= x <= size - 1:
            matrix[y] = np.nan
        elif interpolation == "nearest":
            matrix[y, int(np.clip(rounding(x), 0, size - 1))] = 1
        else:
            low = int(np.floor(x))
            matrix[y, np.clip(low, 0, size - 1)] += 1 - (x - low)
            matrix[y, np.clip(low + 1, 0, size - 1)] += x - low
    return matrix


def resize_cases(rng):
    modes = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
             "tf_crop_and_resize", "tf_half_pixel_for_nn"]
    settings = [(m, "linear", "floor", (7, 3)) for m in modes[:6]]
    settings += [(m, "nearest", n, s) for m, n, s in zip(
        modes * 2, ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"] * 4,
        [(8, 10), (2, 1), (7, 3), (12, 5), (8, 15), (3, 9), (4, 4)] * 2)]
    settings += [("asymmetric", "nearest", "floor", (8, 10)), ("half_pixel", "nearest", "round_prefer_floor", (8, 10))]
    x = rng.standard_normal((1, 2, 4, 5))
    roi = [0, 0, 0.2, -0.1, 1, 1, 0.9, 1.2]
    for number, (mode, interpolation, nearest, sizes) in enumerate(settings):
        scales = [sizes[0] / 4, sizes[1] / 5]
        matrices = [resize_weights(interpolation, mode, nearest, s, n, r, (roi[2 + i], roi[6 + i]))
                    for i, (s, n, r) in enumerate(zip(scales, (4, 5), sizes))]
        y = np.einsum("nchw,ph,qw->ncpq", x, *matrices)
        y[np.isnan(y)] = -3.5
        extra = f"roi {list_text(map(float, roi))} extrapolation -3.5" if mode == "tf_crop_and_resize" else ""
        kind = tensor_type(y, "f32")
        yield Case(f"resize_{number}_{mode}_{interpolation}_{nearest}", [(x, "f32")], f"""
%e = tensor.empty() : {kind}
%r = dnn.resize ins(%0 : tensor<1x2x4x5xf32>) outs(%e : {kind}) {interpolation} {mode} {nearest}
  scales {list_text([1.0, 1.0] + scales)} {extra}""", [(y, "f32")])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True, help="udnn-opt")
    parser.add_argument("--llvm", required=True, help="folder of LLVM")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4), "little")
    rng = np.random.default_rng(seed)
    failed, count = 0, 0
    for make in (conv_cases, conv_transpose_cases, matmul_cases, pool_cases, norm_cases, resize_cases):
        for case in make(rng):
            if options.filter not in case.name:
                continue
            count += 1
            message = case.run(options)
            if message:
                failed += 1
                print(f"FAILED {case.name} (seed {seed}): {message}", flush=True)
    if not count:
        parser.error(f"no case is named like '{options.filter}'")
    print(f"{count - failed} of {count} passed, seed {seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
