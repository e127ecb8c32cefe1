"""Times whole networks with udnn and with ONNX Runtime, alternating in one process.

    bench/cpu_vs_onnxruntime.py [NETWORK...] [--threads 2] [--batch 1] [--layers] [--json FILE]

A network is one of test/models, or an ONNX file whose inputs and outputs are f32 (their unknown
sizes: --compile-options=--dim=N=1), which is fed standard normal numbers.

Both sides have the same number of threads and the same input. A round runs each side for a fifth of
a second, after a pause in which the other side's workers stop spinning. Printed are medians over
all runs, the spread (tenth to ninetieth percentile) and the ratio of the medians. --layers tells
what was chosen for each layer, its time and its share of the machine's rate of multiply-adds.

SPDX-License-Identifier: Apache-2.0
"""

import json
import pathlib
import platform
import re
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import shape_inference

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / "test"), str(REPOSITORY / "test/models")]
import udnn_testing
from calibrate import low_frequency
from check_models import model_file
from make_model import IMAGE, NETWORKS
from udnn_runtime import Program

DEFAULT = ["resnet50", "squeezenet", "densenet121", "alexnet", "vgg19"]
PAUSE = 0.06  # seconds after which ONNX Runtime's idle workers have stopped spinning
STRETCH = 0.2  # seconds that a side runs in each round


def device_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def reference(path, threads):
    """ONNX Runtime with all its optimizations; its other settings are best left as they are."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def stretch(function):
    """Runs the function for a while; returns the milliseconds of each run."""
    function()  # after the pause: caches and clock come back
    times, end = [], time.perf_counter() + STRETCH
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def alternate(sides, rounds):
    """Milliseconds of all runs of each side; rounds start with each side in turn."""
    times = [[] for _ in sides]
    for i in range(rounds):
        for side in (range(len(sides)) if i % 2 == 0 else reversed(range(len(sides)))):
            time.sleep(PAUSE)
            times[side] += stretch(sides[side])
    return times


def summarize(times):
    low, median, high = np.percentile(times, [10, 50, 90])
    return {"median_ms": median, "p10_ms": low, "p90_ms": high, "min_ms": min(times),
            "runs": len(times)}


def layer_flops(path, inputs):
    """The multiply-adds of every convolution and matrix product with constant weights, counted
    twice, by node name."""
    model = onnx.load(path)
    for value in model.graph.input:
        if value.name in inputs:
            for dim, size in zip(value.type.tensor_type.shape.dim, inputs[value.name].shape):
                dim.dim_value = size
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    graph = shape_inference.infer_shapes(model).graph
    shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim]
              for v in [*graph.value_info, *graph.output]}
    weights = {t.name: list(t.dims) for t in graph.initializer}
    flops = {}
    for node in graph.node:
        if node.op_type not in ("Conv", "Gemm") or node.input[1] not in weights or \
                node.output[0] not in shapes:
            continue
        weight, outputs = weights[node.input[1]], np.prod(shapes[node.output[0]])
        summed = np.prod(weight[1:]) if node.op_type == "Conv" else \
            np.prod(weight) / shapes[node.output[0]][-1]
        flops[node.name] = 2.0 * outputs * summed
    return flops


def profile_layers(program, flops, peak, rounds=20):
    """Per layer: families, milliseconds (medians), GFLOP/s and share of the peak."""
    times = np.median([program.profile() for _ in range(rounds)], axis=0)
    layers = {}
    for (layer, family), milliseconds in zip(program.launches, times):
        row = layers.setdefault(layer, {"layer": layer, "families": [], "ms": 0.0})
        if family not in row["families"]:
            row["families"].append(family)
        row["ms"] += milliseconds
    for row in layers.values():
        words = set(re.split(r"[^\w./-]+", row["layer"]))
        work = sum(count for name, count in flops.items() if name in words)
        if work:
            row["gflops_per_s"] = work / row["ms"] / 1e6
            row["share_of_peak"] = row["gflops_per_s"] / peak
    return list(layers.values())


def print_layers(name, layers):
    total = sum(row["ms"] for row in layers)
    print(f"\n{name}: {len(layers)} layers, {total:.2f} ms")
    print(f"  {'layer':40} {'family':32} {'ms':>8} {'time':>6} {'GFLOP/s':>8} {'of peak':>8}")
    for row in layers:
        rate = f"{row['gflops_per_s']:8.1f} {row['share_of_peak']:8.0%}" \
            if "share_of_peak" in row else ""
        print(f"  {row['layer'][:40]:40} {' '.join(row['families'])[:32]:32} {row['ms']:8.3f} "
              f"{row['ms'] / total:6.1%} {rate}")


def measure(name, tools, arguments, peak):
    """Times one network; returns its row."""
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    is_file = name not in NETWORKS
    path = pathlib.Path(name) if is_file else model_file(name, REPOSITORY / "build/models")
    artifact = work / f"{path.stem}-{arguments.batch}.udnn"
    sizes = [] if is_file else [f"--dim=N={arguments.batch}"]
    compiled = tools.run("udnn-compile", path, "--target=cpu", "-o", artifact, *sizes,
                         *arguments.compile_options)
    if compiled.code != 0:
        raise SystemExit(f"error: {name} does not compile: {compiled.error}")
    program = Program(tools.folder.parent / "lib/libudnn.so", artifact, arguments.threads)
    session = reference(path, arguments.threads)
    for array in program.inputs.values():
        array[:] = np.random.default_rng(1).standard_normal(array.shape) if is_file else \
            low_frequency((arguments.batch, *IMAGE), 1)
    feeds = {input: array.copy() for input, array in program.inputs.items()}

    program.run()
    error = max(np.abs(program.outputs[output.name] - expected).max() / np.abs(expected).max()
                for output, expected in zip(session.get_outputs(), session.run(None, feeds)))
    udnn, other = alternate([program.run, lambda: session.run(None, feeds)], arguments.rounds)
    row = {"network": path.stem if is_file else name, "batch": arguments.batch, "udnn": summarize(udnn),
           "onnxruntime": summarize(other), "ratio": np.median(other) / np.median(udnn),
           "relative_error": float(error), "arena_bytes": program.info.arena_bytes}
    if arguments.layers or arguments.json:
        row["layers"] = profile_layers(program, layer_flops(path, program.inputs), peak)
    return row


def format_side(side):
    return f"{side['median_ms']:9.2f} {side['p10_ms']:8.2f} - {side['p90_ms']:6.2f}"


def main():
    parser = udnn_testing.parser(__doc__.splitlines()[0], "bench")
    parser.add_argument("networks", nargs="*", metavar="NETWORK",
                        help=f"an ONNX file, or one of {', '.join(NETWORKS)} "
                        f"(default: {' '.join(DEFAULT)})")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--layers", action="store_true", help="print a table of layers")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--compile-options", type=str.split, default=[],
                        help="more options for udnn-compile, in one word")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.networks
               if name not in NETWORKS and not pathlib.Path(name).is_file()]
    if unknown:
        parser.error(f"no such network or file: {', '.join(unknown)}")
    tools = udnn_testing.Tools(arguments.tools)
    peak = float(subprocess.run([tools.folder / "udnn-fma-peak", str(arguments.threads)],
                                capture_output=True, check=True, text=True).stdout)
    print(f"{device_name()}, {arguments.threads} threads, batch {arguments.batch}, "
          f"multiply-add peak {peak:.0f} GFLOP/s, ONNX Runtime {onnxruntime.__version__}")
    print(f"{'network':17} {'udnn ms':>9} {'10 - 90 %':>17} {'ORT ms':>9} {'10 - 90 %':>17} "
          f"{'ratio':>6}  error", flush=True)
    rows = []
    for name in arguments.networks or DEFAULT:
        row = measure(name, tools, arguments, peak)
        rows.append(row)
        print(f"{row['network']:17} {format_side(row['udnn'])} {format_side(row['onnxruntime'])} "
              f"{row['ratio']:6.2f}  {row['relative_error']:.1e}", flush=True)
    if arguments.layers:
        for row in rows:
            print_layers(row["network"], row["layers"])
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "device": device_name(), "threads": arguments.threads, "peak_gflops_per_s": peak,
            "onnxruntime": onnxruntime.__version__, "rows": rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
