"""Tiles primitives by the transform dialect, runs the tiles and compares with numpy in float64.

The cases are those of numeric.py, tiled along every dimension of the result that the primitive allows, sums that are
tiled along what is summed, and chains that are fused into tiles of their last primitive. Tensors and tile sizes are
drawn with a fresh seed, which is printed when a case fails.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

import numeric
from numeric import Case

# Why a primitive may refuse to be tiled along a dimension of its result. Any other reason fails the test.
REFUSALS = {
    "conv": ["a block of channels stays whole", "an operand is not read at a linear position of it", "the last block of channels is partly filled",
             "blocked channels of a grouped convolution stay whole", "expects parts of one group"],
    "conv_transpose": ["a block of channels stays whole", "the last block of channels is partly filled",
                       "the spatial dimensions of a transposed convolution stay whole",
                       "channels of a grouped transposed convolution stay whole"],
    "matmul": [],
    "max_pool": ["a block of channels stays whole", "the last block of channels is partly filled",
                 "indices count the elements of the whole input"],
    "avg_pool": ["a block of channels stays whole", "the last block of channels is partly filled",
                 "too many tiles read padding that does not count"],
    "softmax": ["a normalized dimension stays whole"],
    "log_softmax": ["a normalized dimension stays whole"],
    "batch_norm": ["a block of channels stays whole", "the last block of channels is partly filled"],
    "instance_norm": ["a block of channels stays whole", "the last block of channels is partly filled",
                      "a normalized dimension stays whole"],
    "layer_norm": ["a normalized dimension stays whole"],
    "lrn": ["a block of channels stays whole", "the last block of channels is partly filled",
            "a normalized dimension stays whole"],
    "resize": ["a resampled dimension stays whole"],
}


def schedule(primitive, tiles, kind):
    """A transform script that tiles the primitive; trailing loops without an entry stay whole."""
    loops = sum(tile != 0 for tile in tiles)
    any_op = "!transform.any_op"
    many = kind != "forall"
    handles = f"%l:{loops}" if many else "%l"
    results = ", ".join([any_op] * (1 + (loops if many else 1)))
    transform = "fuse" if kind == "fuse" else f"tile_using_{kind}"
    return f"""module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: {any_op} {{transform.readonly}}) {{
    %op = transform.structured.match ops{{["dnn.{primitive}"]}} in %root : ({any_op}) -> {any_op}
    %t, {handles} = transform.structured.{transform} %op tile_sizes {list(tiles)} : ({any_op}) -> ({results})
    transform.yield
  }}
}}
"""


class Tiler:
    """Tiles a case's primitive and runs it."""

    def __init__(self, options, folder):
        self.options = options
        self.path = os.path.join(folder, "case.mlir")
        self.schedule = os.path.join(folder, "schedule.mlir")
        self.passes = [f"--transform-preload-library=transform-library-paths={self.schedule}",
                       "--transform-interpreter"]

    def tile(self, case, primitive, tiles, kind):
        """What udnn-opt says against the tiles, or None."""
        with open(self.path, "w") as file:
            file.write(case.module())
        with open(self.schedule, "w") as file:
            file.write(schedule(primitive, tiles, kind))
        done = subprocess.run([self.options.opt, self.path, *self.passes, "-o", os.devnull], capture_output=True, text=True)
        return done.stderr if done.returncode else None

    def tile_what_is_allowed(self, case, primitive, tiles, kind):
        """Drops the tiles that are refused for a permitted reason. Returns the rest and what went wrong."""
        tiles = list(tiles)
        while any(tiles):
            message = self.tile(case, primitive, tiles, kind)
            if message is None:
                return tiles, None
            refusal = re.search(r"cannot be tiled along loop (\d+): (.*)", message)
            if not refusal or not any(refusal.group(2).startswith(r) for r in REFUSALS[primitive]):
                return tiles, f"tiling failed: {message[:2000]}"
            tiles[int(refusal.group(1))] = 0
        return tiles, None

    def run(self, case):
        return case.run(self.options, self.passes)


def sum_cases(rng):
    """Sums onto the init, with the tiles of their loops."""
    settings = [  # c, k, spatial, window, strides, pads, dilations, groups, tiles
        (4, 6, (7, 6), (3, 2), (1, 2), (1, 1, 1, 0), (2, 1), 1, (0, 4, 0, 3, 3, 1, 1)),
        (4, 6, (9, 8), (3, 3), (2, 1), (3, 0, 4, 2), (1, 2), 1, (0, 2, 1, 3, 1, 2, 3)),
        (8, 4, (6, 6), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 2, (0, 1, 2, 3, 2, 1, 0)),
        (8, 8, (6, 6), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 4, (0, 4, 3, 2, 0, 3, 1)),
        (2, 2, (3,), (2,), (1,), (5, 5), (1,), 1, (0, 0, 2, 1, 1)),
    ]
    for number, (c, k, spatial, window, strides, pads, dilations, groups, tiles) in enumerate(settings):
        rank = len(spatial)
        sizes = tuple(numeric.conv_size(spatial[i], window[i], strides[i], pads[i], pads[rank + i], dilations[i])
                      for i in range(rank))
        x, w = rng.standard_normal((1, c) + spatial), rng.standard_normal((k, c // groups) + window)
        init = rng.standard_normal((1, k) + sizes)
        y = numeric.conv_reference(x, w, strides, pads, dilations, groups, sizes) + init
        dims, filter_dims = (numeric.dims_text("plain", 0, rank, letters) for letters in ("nc", "kc"))
        kinds = [numeric.tensor_type(array, "f32") for array in (x, w, y)]
        yield tiles, Case(f"conv_sum_{number}", [(x, "f32"), (w, "f32"), (init, "f32")], f"""
%r = dnn.conv ins(%0 {dims}, %1 {filter_dims} : {kinds[0]}, {kinds[1]}) outs(%2 {dims} : {kinds[2]})
  strides {list(strides)} pads {list(pads)} dilations {list(dilations)} groups {groups} accumulator f32 accumulate""",
                          [(y, "f32")])
    a, b = rng.standard_normal((2, 6, 8)), rng.standard_normal((2, 8, 4))
    init = rng.standard_normal((2, 6, 4))
    yield (1, 3, 2, 4), Case("matmul_sum", [(a, "f32"), (b, "f32"), (init, "f32")], """
%r = dnn.matmul ins(%0, %1 : tensor<2x6x8xf32>, tensor<2x8x4xf32>) outs(%2 : tensor<2x6x4xf32>)
  accumulator f32 accumulate""", [(a @ b + init, "f32")])


def chain_cases(rng, draw):
    """Two padded convolutions and a padded average, fused into tiles of the average."""
    for number in range(4):
        size, k = draw.randint(6, 11), 4
        half = numeric.conv_size(size, 3, 2, 1, 1, 1)
        x = rng.standard_normal((1, 3, size, 7))
        w, v = rng.standard_normal((k, 3, 3, 3)), rng.standard_normal((k, k // 2, 3, 3))
        b = rng.standard_normal(k)
        middle = numeric.conv_reference(x, w, (1, 1), (1, 1, 1, 1), (1, 1), 1, (size, 7))
        middle = np.maximum(middle + b.reshape(1, k, 1, 1), 0)
        y = numeric.conv_reference(middle, v, (2, 1), (1, 1, 1, 1), (1, 1), 2, (half, 7))
        z = np.zeros_like(y)
        for p, taps in numeric.pool_positions((half, 7), (half, 7), (3, 3), (1, 1), (1, 1), (1, 1)):
            inside = [q for q in taps if 0 <= q[0] < half and 0 <= q[1] < 7]
            z[(0, slice(None)) + p] = np.mean([y[(0, slice(None)) + q] for q in inside], axis=0)
        kinds = [numeric.tensor_type(array, "f32") for array in (x, w, middle, v, y)]
        window = "pads [1, 1, 1, 1] dilations [1, 1]"
        text = f"""
%e0 = tensor.empty() : {kinds[2]}
%e1 = tensor.empty() : {kinds[4]}
%y0 = dnn.conv ins(%0 [n, c, 0, 1], %1 [k, c, 0, 1] : {kinds[0]}, {kinds[1]}) outs(%e0 [n, c, 0, 1] : {kinds[2]})
  strides [1, 1] {window} groups 1 accumulator f32 epilogue(%3 : tensor<{k}xf32> by affine_map<(n, c, h, w) -> (c)>) {{
^bb0(%acc: f32, %bias: f32):
  %v = arith.addf %acc, %bias : f32
  %zero = arith.constant 0.0 : f32
  %relu = arith.maximumf %v, %zero : f32
  dnn.yield %relu : f32
}}
%y1 = dnn.conv ins(%y0 [n, c, 0, 1], %2 [k, c, 0, 1] : {kinds[2]}, {kinds[3]}) outs(%e1 [n, c, 0, 1] : {kinds[4]})
  strides [2, 1] {window} groups 2 accumulator f32
%r = dnn.avg_pool ins(%y1 : {kinds[4]}) outs(%e1 : {kinds[4]}) dims [n, c, 0, 1] window [3, 3] strides [1, 1] {window}"""
        tiles = (0, draw.choice([0, 2]), draw.randint(1, half), draw.choice([0, 7]))
        yield tiles, Case(f"chain_{number}", [(x, "f32"), (w, "f32"), (v, "f32"), (b, "f32")], text, [(z, "f32")], 1e-4)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True, help="udnn-opt")
    parser.add_argument("--llvm", required=True, help="folder of LLVM")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--filter", default="")
    parser.add_argument("--verbose", action="store_true", help="print the tiles of every case")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4), "little")
    rng, draw = np.random.default_rng(seed), random.Random(seed)
    cases = [(tiles, case, "for", False) for tiles, case in sum_cases(rng)]
    cases += [(tiles, case, "fuse", False) for tiles, case in chain_cases(rng, draw)]
    for make in (numeric.conv_cases, numeric.conv_transpose_cases, numeric.matmul_cases, numeric.pool_cases,
                 numeric.norm_cases, numeric.resize_cases):
        for case in make(rng):
            tiles = [draw.randint(0, size) for size in case.expected[0][0].shape]
            cases.append((tiles, case, draw.choice(["for", "forall"]), True))
    failed, tiled = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        tiler = Tiler(options, folder)
        for tiles, case, kind, may_refuse in cases:
            if options.filter not in case.name:
                continue
            primitive = re.findall(r"= dnn\.(\w+)", case.text)[-1]
            if may_refuse:
                tiles, message = tiler.tile_what_is_allowed(case, primitive, tiles, kind)
            else:
                message = tiler.tile(case, primitive, tiles, kind)
            if options.verbose:
                print(case.name, list(tiles), flush=True)
            if not message and any(tiles):
                tiled[primitive] = tiled.get(primitive, 0) + 1
                message = tiler.run(case)
            if message:
                failed += 1
                print(f"FAILED {case.name}, tiles {list(tiles)} (seed {seed}): {message}", flush=True)
    missing = sorted(set(REFUSALS) - set(tiled)) if not options.filter else []
    if missing:
        print(f"FAILED no case was tiled of {', '.join(missing)}")
    print(f"{sum(tiled.values())} tiled, {failed} failed, seed {seed}")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
