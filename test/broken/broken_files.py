"""Broken commands, data and artifacts: each function prepares files in a folder and returns the
command, or a text that says why it cannot be tried here; the pattern is what its error says.

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


@broken("'w': external data 'weights.bin' cannot be opened: No such file")
def external_data_missing(bench):
    return external(bench, "weights.bin")[0]


@broken("'w': expects 1728 bytes at offset 0 of .*'weights.bin', which has 1718")
def external_data_short(bench):
    command, data = external(bench, "weights.bin")
    (bench / "weights.bin").write_bytes(data[:-10])
    return command


@broken("'w': expects 1728 bytes at offset 64 of .*'weights.bin', which has 1728")
def external_data_shorter_than_it_says(bench):
    command, data = external(bench, "weights.bin", length=len(tensor(network(), "w").raw_data),
                             offset=64)
    (bench / "weights.bin").write_bytes(data)
    return command


@broken("'w': expects a number in .*'offset', got '-16'")
def external_data_with_negative_offset(bench):
    command, data = external(bench, "weights.bin", offset=-16)
    (bench / "weights.bin").write_bytes(data)
    return command


@broken("'w': expects a number in .*'offset', got '18446744073709551600'")
def external_data_with_huge_offset(bench):
    command, data = external(bench, "weights.bin", offset=(1 << 64) - 16)
    (bench / "weights.bin").write_bytes(data)
    return command


@broken("'../weights.bin' is refused: expects a path inside the model's folder")
def external_data_above_the_folder(bench):
    command, data = external(bench, "../weights.bin")
    (bench.folder.parent / "weights.bin").write_bytes(data)
    return command


@broken("/weights.bin' is refused: expects a path inside the model's folder")
def external_data_by_absolute_path(bench):
    command, data = external(bench, bench.folder.parent / "weights.bin")
    (bench.folder.parent / "weights.bin").write_bytes(data)
    return command


@broken("'link.bin' is refused: it leaves the model's folder")
def external_data_through_a_link(bench):
    command, data = external(bench, "link.bin")
    (bench.folder.parent / "weights.bin").write_bytes(data)
    (bench / "link.bin").symlink_to(bench.folder.parent / "weights.bin")
    return command


@broken("external data 'data': cannot open '.*/data': not a regular file")
def external_data_is_a_folder(bench):
    command, _ = external(bench, "data")
    (bench / "data").mkdir()
    return command


# Commands of the compiler.

@broken("cannot open '.*/nothing.onnx': No such file")
def compile_missing_file(bench):
    return ["udnn-compile", bench / "nothing.onnx", "--target=cpu", "-o", bench / "out.udnn"]


@broken("cannot open '.*/model.onnx': not a regular file")
def compile_folder(bench):
    (bench / "model.onnx").mkdir()
    return ["udnn-compile", bench / "model.onnx", "--target=cpu", "-o", bench / "out.udnn"]


@broken("Unknown command line argument '--frobnicate=1'")
def compile_unknown_option(bench):
    return bench.compile("--frobnicate=1")


@broken("as target, got 'abacus'")
def compile_unknown_target(bench):
    return ["udnn-compile", bench.model(network(1)), "--target=abacus", "-o", bench / "out.udnn"]


@broken("'cuda:sm_90a'.* got 'cuda:sm_999'")
def compile_unknown_gpu(bench):
    return bench.compile_for_cuda(target="cuda:sm_999")


@broken("'cuda:sm_80'.* got 'cuda:sm_70'")
def compile_old_gpu(bench):
    return bench.compile_for_cuda(target="cuda:sm_70")


@broken("'cuda:<architecture>' as target, got 'cuda'")
def compile_gpu_without_architecture(bench):
    return bench.compile_for_cuda(target="cuda")


@broken("as CUDA target, got 'cuda:sm_999'")
def compile_one_unknown_of_two_targets(bench):
    return bench.compile_for_cuda(target="cpu,cuda:sm_999")


@broken("expects every --target once, got 'cpu' twice")
def compile_target_twice(bench):
    return bench.compile_for_cuda(target="cpu,cuda:sm_80,cpu")


@broken("expects one target with --compile-to, got 2")
def compile_two_targets_to_a_stage(bench):
    return bench.compile_for_cuda("--compile-to=plan", target="cpu,cuda:sm_80")


@broken("'pool' .*no convolution and no matrix product")
def compile_forced_gpu_family_that_cannot(bench):
    return bench.compile_for_cuda("--force-family=pool=cuda.implicit_gemm")


@broken(r"'conv' on the target 'cuda' \(there is no family")
def compile_forced_cpu_family_for_a_gpu(bench):
    return bench.compile_for_cuda("--force-family=conv=cpu.direct_conv")


@broken("for '--cpu', got 'z80'")
def compile_unknown_cpu(bench):
    return bench.compile("--cpu=z80")


@broken("expects --workspace-limit to be a size such as 64MiB, got 'much'")
def compile_workspace_not_a_size(bench):
    return bench.compile("--workspace-limit=much")


@broken("expects --workspace-limit to be a size such as 64MiB, got '-5MiB'")
def compile_negative_workspace(bench):
    return bench.compile("--workspace-limit=-5MiB")


@broken(r"no kernel family is named 'nonsense'; there are cpu\.")
def compile_unknown_family(bench):
    return bench.compile("--families=nonsense")


@broken(r"no kernel family is named 'nonsense'; there are cpu\.")
def compile_unknown_forced_family(bench):
    return bench.compile("--force-family=conv=nonsense")


@broken("no unit is named 'nobody'")
def compile_forced_family_of_unknown_node(bench):
    return bench.compile("--force-family=nobody=cpu.generic")


@broken("expects --mark-output to name a node of the model, got 'nobody'")
def compile_unknown_marked_output(bench):
    return bench.compile("--mark-output=nobody")


@broken("expects --compile-to to be one of import, .*got 'halfway'")
def compile_to_unknown_stage(bench):
    return bench.compile("--compile-to=halfway")


@broken("missing/out.udnn': the folder '.*/missing' does not exist")
def compile_into_missing_folder(bench):
    return ["udnn-compile", bench.model(network(1)), "--target=cpu", "-o",
            bench / "missing/out.udnn"]


@broken("cannot write '.*out.udnn': it is a folder")
def compile_onto_a_folder(bench):
    (bench / "out.udnn").mkdir()
    return bench.compile()


@broken("cannot write '/dev/full': not a regular file")
def compile_to_full_device(bench):
    return ["udnn-compile", bench.model(network(1)), "--target=cpu", "-o", "/dev/full"]


@broken("nowhere: expects a folder with input_0.pb")
def compile_missing_example_data(bench):
    return bench.compile(f"--example-data={bench / 'nowhere'}")


@broken(r"'x' the shape \[1, 4, 8, 8\], but the model declares \[1, 3, 8, 8\]")
def compile_example_of_other_shape(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 4, 8, 8), np.float32))])
    return bench.compile(f"--example-data={bench / 'data'}")


@broken("'x' the type double, but the model declares float")
def compile_example_of_other_type(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 3, 8, 8), np.float64))])
    return bench.compile(f"--example-data={bench / 'data'}")


@broken("data/input_0.pb: the file is damaged: cannot be parsed behind byte 50")
def compile_truncated_example(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 3, 8, 8), np.float32))])
    path = bench / "data/input_0.pb"
    path.write_bytes(path.read_bytes()[:50])
    return bench.compile(f"--example-data={bench / 'data'}")


@broken("the model has no input 'q'; its inputs are 'x'")
def compile_freeze_unknown_input(bench):
    return bench.compile(f"--freeze=q={bench.array(np.zeros(3))}")


@broken("cannot open '.*/nothing.npy': No such file")
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


@broken("cannot open '.*/nothing.udnn': No such file")
def run_missing_file(bench):
    return ["udnn-run", bench / "nothing.udnn"]


@broken("broken.udnn': file is empty")
def run_empty_artifact(bench):
    return ["udnn-run", bench.artifact(lambda data: b"")]


@broken("broken.udnn': not a udnn artifact")
def run_text(bench):
    return ["udnn-run", bench.artifact(lambda data: b"no artifact at all, " * 500)]


@broken("broken.udnn': header is truncated")
def run_artifact_cut_in_header(bench):
    return ["udnn-run", bench.artifact(lambda data: data[:20])]


@broken(r"broken.udnn': expects \d+ bytes, got \d+ \(truncated\)")
def run_artifact_cut_in_half(bench):
    return ["udnn-run", bench.artifact(lambda data: data[:len(data) // 2])]


@broken(r"broken.udnn': expects \d+ bytes, got \d+ \(truncated\)")
def run_artifact_cut_by_a_page(bench):
    return ["udnn-run", bench.artifact(lambda data: data[:-4096])]


@broken("broken.udnn': not a udnn artifact")
def run_artifact_with_other_magic(bench):
    return ["udnn-run", bench.artifact(flip(0))]


@broken(r"expects format version \d+, got \d+")
def run_artifact_of_other_version(bench):
    return ["udnn-run", bench.artifact(flip(8))]


@broken("broken.udnn': metadata is damaged")
def run_artifact_with_damaged_metadata(bench):
    def change(data):
        index = data.rindex(b"conv")  # the metadata follows the code, which holds the name, too
        return data[:index] + b"k" + data[index + 1:]
    return ["udnn-run", bench.artifact(change)]


@broken("segment 0 is damaged")
def run_artifact_with_damaged_constants(bench):
    def change(data):
        values = numpy_helper.to_array(tensor(network(), "d")).tobytes()
        index = data.index(values[:16])
        return data[:index] + b"\1\2\3\4" + data[index + 4:]
    return ["udnn-run", bench.artifact(change)]


@broken("segment 1 is damaged")
def run_artifact_with_damaged_code(bench):
    def change(data):
        index = data.index(b"\x7fELF") + 200
        return data[:index] + bytes([data[index] ^ 0xff]) + data[index + 1:]
    return ["udnn-run", bench.artifact(change)]


@broken(r"another CPU \('graniterapids'\): .*features it needs: .*avx512fp16")
def run_artifact_of_another_cpu(bench):
    if "amx_fp16" in pathlib.Path("/proc/cpuinfo").read_text():
        return "this CPU has all features"
    compiled = bench.tools.run(*bench.compile("--cpu=graniterapids"))
    assert compiled.code == 0, compiled.err
    (bench / "out.udnn").rename(bench / "other.udnn")
    return ["udnn-run", bench / "other.udnn"]


# Data for a sound artifact.

@broken("'x': expects float 1x3x8x8, got float 1x3x8x9")
def run_input_of_other_shape(bench):
    return bench.run(f"--input=x={bench.array(np.zeros((1, 3, 8, 9), np.float32))}")


@broken("'x': expects float 1x3x8x8, got float 192")
def run_input_of_other_rank(bench):
    return bench.run(f"--input=x={bench.array(np.zeros((192,), np.float32))}")


@broken("'x': expects float 1x3x8x8, got int32 1x3x8x8")
def run_input_of_other_type(bench):
    return bench.run(f"--input=x={bench.array(np.zeros((1, 3, 8, 8), np.int32))}")


@broken("no input is named 'q'; there are 'x'")
def run_unknown_input(bench):
    return bench.run(f"--input=q={bench.array(np.zeros((1, 3, 8, 8), np.float32))}")


@broken("cannot open '.*/nothing.npy': No such file")
def run_missing_input(bench):
    return bench.run(f"--input=x={bench / 'nothing.npy'}")


@broken("input.npy: expects 768 bytes of data, got 668")
def run_truncated_input(bench):
    path = bench.array(np.zeros((1, 3, 8, 8), np.float32))
    path.write_bytes(path.read_bytes()[:-100])
    return bench.run(f"--input=x={path}")


@broken("input.npy: expects a shape in the header")
def run_input_with_broken_header(bench):
    path = bench.array(np.zeros((1, 3, 8, 8), np.float32))
    path.write_bytes(path.read_bytes().replace(b"'shape': (1", b"'shape': (-"))
    return bench.run(f"--input=x={path}")


@broken(r"input.npy: element type '\|O' is not supported")
def run_input_of_objects(bench):
    np.save(bench / "input.npy", np.array([{}, "text"], dtype=object), allow_pickle=True)
    return bench.run(f"--input=x={bench / 'input.npy'}")


@broken("input.pb: the file is damaged: cannot be parsed behind byte 100")
def run_truncated_tensor(bench):
    data = numpy_helper.from_array(np.zeros((1, 3, 8, 8), np.float32), "x").SerializeToString()
    (bench / "input.pb").write_bytes(data[:100])
    return bench.run(f"--input=x={bench / 'input.pb'}")


@broken("'--input': expects NAME=VALUE, got 'x'")
def run_input_without_value(bench):
    return bench.run("--input=x")


@broken("'--input': expects a number as seed, got 'random:many'")
def run_input_with_bad_seed(bench):
    return bench.run("--input=x=random:many")


@broken("nowhere: expects a folder with input_0.pb")
def run_missing_test_data(bench):
    return bench.run(f"--test-data={bench / 'nowhere'}")


@broken("1 output differs from what is expected")
def run_other_expected_values(bench):
    save_data_set(bench / "data", [("x", np.zeros((1, 3, 8, 8), np.float32))],
                  [("y", np.full((1, 5), 77, np.float32))])
    return bench.run(f"--test-data={bench / 'data'}")


@broken("no output is named 'q'; there are 'y'")
def run_expected_unknown_output(bench):
    return bench.run(f"--expected=q={bench.array(np.zeros((1, 5), np.float32))}")


@broken("input 'shape' was frozen when the model was compiled")
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

@broken("unknown option '--frobnicate'")
def run_unknown_option(bench):
    return bench.run("--frobnicate")


@broken("'--threads': expects a number .*got '0'")
def run_no_threads(bench):
    return bench.run("--threads=0")


@broken("'--threads': expects a number .*got 'many'")
def run_threads_not_a_number(bench):
    return bench.run("--threads=many")


@broken("'--iterations': expects a number .*got '0'")
def run_no_iterations(bench):
    return bench.run("--iterations=0")


@broken("expects device 'cpu', 'cuda' or 'cuda:N', got 'toaster:0'")
def run_on_unknown_device(bench):
    return bench.run("--device=toaster:0")


@broken("device 'cuda:15': ")
def run_on_a_missing_gpu(bench):
    return ["udnn-run", bench.cuda_artifact(), "--device=cuda:15"]


@broken("artifact holds code for cpu, none for 'cuda:0': compile it with --target=cuda")
def run_cpu_code_on_a_gpu(bench):
    return bench.run("--device=cuda:0")


@broken("artifact holds code for cuda, none for 'cpu': compile it with --target=cpu")
def run_gpu_code_on_the_cpu(bench):
    return ["udnn-run", bench.cuda_artifact(), "--device=cpu"]


@broken("cannot open 'libcuda.so.1'.*driver is not installed")
def run_without_driver(bench):
    if has_driver():
        return "there is a driver"
    return ["udnn-run", bench.cuda_artifact(), "--device=cuda:0"]


@broken("cannot open 'libcuda.so.1'.*driver is not installed")
def run_gpu_code_by_default_without_driver(bench):
    if has_driver():
        return "there is a driver"
    return ["udnn-run", bench.cuda_artifact()]


@broken("number of a GPU after 'cuda:', got 'cuda:-1'")
def run_on_a_negative_gpu(bench):
    return ["udnn-run", bench.cuda_artifact(), "--device=cuda:-1"]


@broken("number of a GPU after 'cuda:', got 'cuda:one'")
def run_on_a_named_gpu(bench):
    return ["udnn-run", bench.cuda_artifact(), "--device=cuda:one"]


@broken("cannot make folder '.*/file.txt': Not a directory")
def run_output_into_a_file(bench):
    (bench / "file.txt").write_text("")
    return bench.run(f"--output-dir={bench / 'file.txt'}")


@broken("expects an artifact; see --help")
def run_without_arguments(bench):
    return ["udnn-run"]


@broken("expected non-function type")
def opt_broken_text(bench):
    (bench / "model.mlir").write_text("func.func @main( { return }\n")
    return ["udnn-opt", bench / "model.mlir"]


@broken("'bad-pass' does not refer to a registered pass")
def opt_unknown_pass(bench):
    return ["udnn-opt", bench.model(network(1)), "--pass-pipeline=builtin.module(bad-pass)"]


@broken("'gemm' .*expects a definition of value 'v'")
def opt_broken_model(bench):
    m = network(1)
    m.graph.initializer.remove(tensor(m, "v"))
    return ["udnn-opt", bench.model(m), "--dnn-simplify-pipeline", "-o", bench / "out.mlir"]


@broken("cannot open '.*/nothing.onnx': No such file")
def opt_missing_file(bench):
    return ["udnn-opt", bench / "nothing.onnx"]
