"""Broken commands, data and artifacts: each function prepares files in a folder and returns the
command; the pattern is what the error names.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import pathlib

import numpy as np

from models import *

CASES = []


class Bench:
    """A folder that holds a sound model (`model.onnx`) and its artifact (`sound.udnn`)."""

    def __init__(self, folder, tools, sound):
        self.folder, self.tools, self.sound = folder, tools, sound

    def __truediv__(self, name):
        return self.folder / name

    def model(self, model_, name="model.onnx"):
        save(model_, self / name)
        return self / name

    def array(self, values, name="input.npy"):
        np.save(self / name, values)
        return self / name

    def compile(self, *options, model_=None):
        """The command that compiles a sound model with more options."""
        path = self.model(network(1) if model_ is None else model_)
        return ["udnn-compile", path, "--target=cpu", "-o", self / "out.udnn", *options]

    def run(self, *options):
        return ["udnn-run", self.artifact(), *options]

    def compile_for_cuda(self, *options, target="cuda:sm_80"):
        """The command that compiles a sound model for a GPU."""
        return ["udnn-compile", self.model(network(1)), f"--target={target}", "-o",
                self / "out.udnn", *options]

    def cuda_artifact(self):
        """An artifact that holds code for a GPU only."""
        compiled = self.tools.run(*self.compile_for_cuda())
        assert compiled.code == 0, compiled.err
        return (self / "out.udnn").rename(self / "cuda.udnn")

    def artifact(self, change=bytes):
        """A copy of the sound artifact, its bytes changed."""
        (self / "broken.udnn").write_bytes(change(self.sound))
        return self / "broken.udnn"


def has_driver():
    """True where programs can run on a GPU or fail in the driver itself."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def broken(expected):
    def register(function):
        CASES.append((function.__name__, function, expected))
        return function
    return register


# External data.

def external(bench, location, length=None, offset=None):
    """The network with its filter in a file of its own."""
    m = network(1)
    w = tensor(m, "w")
    data = w.raw_data
    w.ClearField("raw_data")
    w.data_location = TensorProto.EXTERNAL
    for key, text in (("location", location), ("offset", offset), ("length", length)):
        if text is not None:
            w.external_data.add(key=key, value=str(text))
    return bench.compile(model_=m), data


@broken("weights.bin")
def external_data_missing(bench):
    return external(bench, "weights.bin")[0]


@broken("weights.bin|'w'")
def external_data_short(bench):
    command, data = external(bench, "weights.bin")
    (bench / "weights.bin").write_bytes(data[:-10])
    return command


@broken("weights.bin|'w'")
def external_data_shorter_than_it_says(bench):
    command, data = external(bench, "weights.bin", length=len(tensor(network(), "w").raw_data),
                             offset=64)
    (bench / "weights.bin").write_bytes(data)
    return command


@broken("weights.bin|'w'")
def external_data_with_negative_offset(bench):
    command, data = external(bench, "weights.bin", offset=-16)
    (bench / "weights.bin").write_bytes(data)
    return command


@broken("weights.bin|'w'")
def external_data_with_huge_offset(bench):
    command, data = external(bench, "weights.bin", offset=(1 << 64) - 16)
    (bench / "weights.bin").write_bytes(data)
    return command


@broken("folder|outside|leaves")
def external_data_above_the_folder(bench):
    command, data = external(bench, "../weights.bin")
    (bench.folder.parent / "weights.bin").write_bytes(data)
    return command


@broken("folder|outside|leaves|absolute")
def external_data_by_absolute_path(bench):
    command, data = external(bench, bench.folder.parent / "weights.bin")
    (bench.folder.parent / "weights.bin").write_bytes(data)
    return command


@broken("folder|outside|leaves")
def external_data_through_a_link(bench):
    command, data = external(bench, "link.bin")
    (bench.folder.parent / "weights.bin").write_bytes(data)
    (bench / "link.bin").symlink_to(bench.folder.parent / "weights.bin")
    return command


@broken("folder|file|read|data")
def external_data_is_a_folder(bench):
    command, _ = external(bench, "data")
    (bench / "data").mkdir()
    return command


# Commands of the compiler.

@broken("nothing.onnx")
def compile_missing_file(bench):
    return ["udnn-compile", bench / "nothing.onnx", "--target=cpu", "-o", bench / "out.udnn"]


@broken("directory|folder|file")
def compile_folder(bench):
    (bench / "model.onnx").mkdir()
    return ["udnn-compile", bench / "model.onnx", "--target=cpu", "-o", bench / "out.udnn"]


@broken("frobnicate")
def compile_unknown_option(bench):
    return bench.compile("--frobnicate=1")


@broken("abacus")
def compile_unknown_target(bench):
    return ["udnn-compile", bench.model(network(1)), "--target=abacus", "-o", bench / "out.udnn"]


@broken("'cuda:sm_90a'.*got 'cuda:sm_999'")
def compile_unknown_gpu(bench):
    return bench.compile_for_cuda(target="cuda:sm_999")


@broken("'cuda:sm_80'.*got 'cuda:sm_70'")
def compile_old_gpu(bench):
    return bench.compile_for_cuda(target="cuda:sm_70")


@broken("architecture.*got 'cuda'")
def compile_gpu_without_architecture(bench):
    return bench.compile_for_cuda(target="cuda")


@broken("got 'cuda:sm_999'")
def compile_one_unknown_of_two_targets(bench):
    return bench.compile_for_cuda(target="cpu,cuda:sm_999")


@broken("'cpu' twice")
def compile_target_twice(bench):
    return bench.compile_for_cuda(target="cpu,cuda:sm_80,cpu")


@broken("one target with --compile-to, got 2")
def compile_two_targets_to_a_stage(bench):
    return bench.compile_for_cuda("--compile-to=plan", target="cpu,cuda:sm_80")


@broken("'pool'.*no convolution and no matrix product")
def compile_forced_gpu_family_that_cannot(bench):
    return bench.compile_for_cuda("--force-family=pool=cuda.implicit_gemm")


@broken("'conv'.*'cuda'")
def compile_forced_cpu_family_for_a_gpu(bench):
    return bench.compile_for_cuda("--force-family=conv=cpu.direct_conv")


@broken("z80")
def compile_unknown_cpu(bench):
    return bench.compile("--cpu=z80")


@broken("workspace-limit")
def compile_workspace_not_a_size(bench):
    return bench.compile("--workspace-limit=much")


@broken("workspace-limit")
def compile_negative_workspace(bench):
    return bench.compile("--workspace-limit=-5MiB")


@broken("nonsense")
def compile_unknown_family(bench):
    return bench.compile("--families=nonsense")


@broken("nonsense")
def compile_unknown_forced_family(bench):
    return bench.compile("--force-family=conv=nonsense")


@broken("nobody")
def compile_forced_family_of_unknown_node(bench):
    return bench.compile("--force-family=nobody=cpu.generic")


@broken("nobody")
def compile_unknown_marked_output(bench):
    return bench.compile("--mark-output=nobody")


@broken("halfway")
def compile_to_unknown_stage(bench):
    return bench.compile("--compile-to=halfway")


@broken("missing/out.udnn")
def compile_into_missing_folder(bench):
    return ["udnn-compile", bench.model(network(1)), "--target=cpu", "-o",
            bench / "missing/out.udnn"]


@broken("out.udnn|directory")
def compile_onto_a_folder(bench):
    (bench / "out.udnn").mkdir()
    return bench.compile()


@broken("/dev/full|space|write")
def compile_to_full_device(bench):
    return ["udnn-compile", bench.model(network(1)), "--target=cpu", "-o", "/dev/full"]


@broken("nowhere")
def compile_missing_example_data(bench):
    return bench.compile(f"--example-data={bench / 'nowhere'}")


@broken("'x'|shape")
def compile_example_of_other_shape(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 4, 8, 8), np.float32))])
    return bench.compile(f"--example-data={bench / 'data'}")


@broken("'x'|type")
def compile_example_of_other_type(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 3, 8, 8), np.float64))])
    return bench.compile(f"--example-data={bench / 'data'}")


@broken("input_0.pb")
def compile_truncated_example(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 3, 8, 8), np.float32))])
    path = bench / "data/input_0.pb"
    path.write_bytes(path.read_bytes()[:50])
    return bench.compile(f"--example-data={bench / 'data'}")


@broken("'q'")
def compile_freeze_unknown_input(bench):
    return bench.compile(f"--freeze=q={bench.array(np.zeros(3))}")


@broken("nothing.npy")
def compile_freeze_missing_file(bench):
    return bench.compile(f"--freeze=x={bench / 'nothing.npy'}")


# Artifacts.

def flip(position):
    """Changes one bit at a position, given as a number or a share of the size."""
    def change(data):
        data = bytearray(data)
        index = int(position * len(data)) if isinstance(position, float) else position
        data[index] ^= 0x10
        return bytes(data)
    return change


@broken("nothing.udnn")
def run_missing_file(bench):
    return ["udnn-run", bench / "nothing.udnn"]


@broken("broken.udnn|header|short|empty|truncated")
def run_empty_artifact(bench):
    return ["udnn-run", bench.artifact(lambda data: b"")]


@broken("udnn|magic|artifact")
def run_text(bench):
    return ["udnn-run", bench.artifact(lambda data: b"no artifact at all, " * 500)]


@broken("truncated|short|size|ends|beyond")
def run_artifact_cut_in_header(bench):
    return ["udnn-run", bench.artifact(lambda data: data[:20])]


@broken("truncated|short|size|ends|beyond")
def run_artifact_cut_in_half(bench):
    return ["udnn-run", bench.artifact(lambda data: data[:len(data) // 2])]


@broken("truncated|short|size|ends|beyond|digest")
def run_artifact_cut_by_a_page(bench):
    return ["udnn-run", bench.artifact(lambda data: data[:-4096])]


@broken("udnn|magic|artifact")
def run_artifact_with_other_magic(bench):
    return ["udnn-run", bench.artifact(flip(0))]


@broken("version")
def run_artifact_of_other_version(bench):
    return ["udnn-run", bench.artifact(flip(8))]


@broken("digest|damaged|corrupt|metadata|checksum")
def run_artifact_with_damaged_metadata(bench):
    def change(data):
        index = data.index(b"conv")  # a name that only the metadata holds
        return data[:index] + b"k" + data[index + 1:]
    return ["udnn-run", bench.artifact(change)]


@broken("digest|damaged|corrupt|checksum")
def run_artifact_with_damaged_constants(bench):
    def change(data):
        values = numpy_helper.to_array(tensor(network(), "d")).tobytes()
        index = data.index(values[:16])
        return data[:index] + b"\1\2\3\4" + data[index + 4:]
    return ["udnn-run", bench.artifact(change)]


@broken("digest|damaged|corrupt|checksum")
def run_artifact_with_damaged_code(bench):
    def change(data):
        index = data.index(b"\x7fELF") + 200
        return data[:index] + bytes([data[index] ^ 0xff]) + data[index + 1:]
    return ["udnn-run", bench.artifact(change)]


@broken("cpu|feature|processor|instruction|amx")
def run_artifact_of_another_cpu(bench):
    if "amx_fp16" in pathlib.Path("/proc/cpuinfo").read_text():
        return None
    bench.tools.run(*bench.compile("--cpu=graniterapids"))
    (bench / "out.udnn").rename(bench / "other.udnn")
    return ["udnn-run", bench / "other.udnn"]


# Data for a sound artifact.

@broken("'x'|shape")
def run_input_of_other_shape(bench):
    return bench.run(f"--input=x={bench.array(np.zeros((1, 3, 8, 9), np.float32))}")


@broken("'x'|rank|shape")
def run_input_of_other_rank(bench):
    return bench.run(f"--input=x={bench.array(np.zeros((192,), np.float32))}")


@broken("'x'|type")
def run_input_of_other_type(bench):
    return bench.run(f"--input=x={bench.array(np.zeros((1, 3, 8, 8), np.int32))}")


@broken("'q'")
def run_unknown_input(bench):
    return bench.run(f"--input=q={bench.array(np.zeros((1, 3, 8, 8), np.float32))}")


@broken("nothing.npy")
def run_missing_input(bench):
    return bench.run(f"--input=x={bench / 'nothing.npy'}")


@broken("input.npy")
def run_truncated_input(bench):
    path = bench.array(np.zeros((1, 3, 8, 8), np.float32))
    path.write_bytes(path.read_bytes()[:-100])
    return bench.run(f"--input=x={path}")


@broken("input.npy")
def run_input_with_broken_header(bench):
    path = bench.array(np.zeros((1, 3, 8, 8), np.float32))
    path.write_bytes(path.read_bytes().replace(b"'shape': (1", b"'shape': (-"))
    return bench.run(f"--input=x={path}")


@broken("input.npy|object|type")
def run_input_of_objects(bench):
    np.save(bench / "input.npy", np.array([{}, "text"], dtype=object), allow_pickle=True)
    return bench.run(f"--input=x={bench / 'input.npy'}")


@broken("input.pb")
def run_truncated_tensor(bench):
    data = numpy_helper.from_array(np.zeros((1, 3, 8, 8), np.float32), "x").SerializeToString()
    (bench / "input.pb").write_bytes(data[:100])
    return bench.run(f"--input=x={bench / 'input.pb'}")


@broken("input|=")
def run_input_without_value(bench):
    return bench.run("--input=x")


@broken("random|seed|many")
def run_input_with_bad_seed(bench):
    return bench.run("--input=x=random:many")


@broken("nowhere")
def run_missing_test_data(bench):
    return bench.run(f"--test-data={bench / 'nowhere'}")


@broken("output|y|differ|mismatch|worst")
def run_other_expected_values(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 3, 8, 8), np.float32))],
                  [("y", np.full((1, 5), 77, np.float32))])
    return bench.run(f"--test-data={bench / 'data'}")


@broken("'q'")
def run_expected_unknown_output(bench):
    return bench.run(f"--expected=q={bench.array(np.zeros((1, 5), np.float32))}")


@broken("shape")
def run_other_frozen_value(bench):
    x = ("x", np.zeros((4, 6), np.float32))
    save_data_set(bench / "data", [x, ("shape", np.array([3, 8], np.int64))],
                  [("y", np.zeros((3, 8), np.float32))])
    compiled = bench.tools.run(*bench.compile(f"--example-data={bench / 'data'}", model_=reshape()))
    assert compiled.code == 0, compiled.err
    (bench / "out.udnn").rename(bench / "frozen.udnn")
    return ["udnn-run", bench / "frozen.udnn",
            f"--input=shape={bench.array(np.array([8, 3], np.int64))}"]


# Commands of the launcher and of udnn-opt.

@broken("frobnicate")
def run_unknown_option(bench):
    return bench.run("--frobnicate")


@broken("threads")
def run_no_threads(bench):
    return bench.run("--threads=0")


@broken("threads")
def run_threads_not_a_number(bench):
    return bench.run("--threads=many")


@broken("iterations")
def run_no_iterations(bench):
    return bench.run("--iterations=0")


@broken("toaster")
def run_on_unknown_device(bench):
    return bench.run("--device=toaster:0")


@broken("cuda")
def run_on_a_missing_gpu(bench):
    return bench.run("--device=cuda:15")


@broken("'cuda', not for 'cpu'")
def run_gpu_code_on_the_cpu(bench):
    return ["udnn-run", bench.cuda_artifact(), "--device=cpu"]


@broken("libcuda.so.1.*driver is not installed")
def run_without_driver(bench):
    return None if has_driver() else ["udnn-run", bench.cuda_artifact(), "--device=cuda:0"]


@broken("libcuda.so.1.*driver is not installed")
def run_gpu_code_by_default_without_driver(bench):
    return None if has_driver() else ["udnn-run", bench.cuda_artifact()]


@broken("number of a GPU.*'cuda:-1'")
def run_on_a_negative_gpu(bench):
    return ["udnn-run", bench.cuda_artifact(), "--device=cuda:-1"]


@broken("number of a GPU.*'cuda:one'")
def run_on_a_named_gpu(bench):
    return bench.run("--device=cuda:one")


@broken("file.txt|directory|folder")
def run_output_into_a_file(bench):
    (bench / "file.txt").write_text("")
    return bench.run(f"--output-dir={bench / 'file.txt'}")


@broken("artifact|usage|file|expect")
def run_without_arguments(bench):
    return ["udnn-run"]


@broken("model.mlir")
def opt_broken_text(bench):
    (bench / "model.mlir").write_text("func.func @main( { return }\n")
    return ["udnn-opt", bench / "model.mlir"]


@broken("bad-pass")
def opt_unknown_pass(bench):
    return ["udnn-opt", bench.model(network(1)), "--pass-pipeline=builtin.module(bad-pass)"]


@broken("'v'")
def opt_broken_model(bench):
    m = network(1)
    m.graph.initializer.remove(tensor(m, "v"))
    return ["udnn-opt", bench.model(m), "--dnn-simplify-pipeline", "-o", bench / "out.mlir"]


@broken("nothing.onnx")
def opt_missing_file(bench):
    return ["udnn-opt", bench / "nothing.onnx"]
