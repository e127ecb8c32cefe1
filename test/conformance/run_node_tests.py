"""Runs the ONNX node tests that lie within udnn's operators and element types.

Every case is compiled with its example data and run on it. The table tells by operator how many
cases passed, failed (crash, wrong value, or listed in covered.txt and refused) and are not covered
(refused with an error), with the reason. Exits with 1 if a case failed.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import concurrent.futures
import json
import pathlib
import re
import sys
import time
import warnings

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import udnn_testing

OPERATORS = set("""
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BatchNormalization Cast
    CastLike Ceil Clip Concat Constant ConstantOfShape Conv ConvTranspose Cos Cosh DepthToSpace Div
    Dropout Elu Equal Erf Exp Expand Flatten Floor Gather Gelu Gemm GlobalAveragePool GlobalMaxPool
    Greater GreaterOrEqual HardSigmoid HardSwish Identity InstanceNormalization LRN
    LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax MatMul Max MaxPool Mean Min Mish
    Mod Mul Neg Not Or PRelu Pad Pow Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum
    ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu
    Reshape Resize Round Selu Shape Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign
    SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tan Tanh Tile Transpose Unsqueeze Upsample Where
    Xor""".split())

TYPES = {getattr(TensorProto, name) for name in (
    "FLOAT DOUBLE FLOAT16 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 BOOL").split()}

PASSED, FAILED, REFUSED = "passed", "failed", "not covered"


def all_nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from all_nodes(attribute.g)


def is_in_scope(model):
    """Whether the model uses only the operators and element types above."""
    graph = model.graph
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.type.WhichOneof("value") != "tensor_type":
            return False
        if value.type.tensor_type.elem_type not in TYPES:
            return False
    return all(node.domain in ("", "ai.onnx") and node.op_type in OPERATORS
               for node in all_nodes(graph))


def load_cases():
    """The node tests in scope, by name, and the operator that each one tests."""
    from onnx.backend.test.loader import load_model_tests
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases overflow and divide by zero on purpose
        everything = {case.name: case for case in load_model_tests(kind="node")}
    cases = {name: case for name, case in everything.items() if is_in_scope(case.model)}

    def operator(name):
        # An expanded case tests the operator whose function body it holds.
        origin = everything.get(re.sub(r"_expanded(_function)?(_ver\d+)?$", "", name),
                                everything[name])
        names = {node.op_type for node in origin.model.graph.node}
        return names.pop() if len(names) == 1 else "several"

    return cases, {name: operator(name) for name in cases}


def write_data_set(case, number, folder):
    """Writes a data set of the case as udnn's tools read it."""
    data = folder / f"test_data_set_{number}"
    data.mkdir(parents=True, exist_ok=True)
    inputs, outputs = case.data_sets[number]
    for kind, values, declared in (("input", inputs, case.model.graph.input),
                                   ("output", outputs, case.model.graph.output)):
        for i, value in enumerate(values):
            if not isinstance(value, TensorProto):
                value = numpy_helper.from_array(np.asarray(value), declared[i].name)
            value.name = declared[i].name
            (data / f"{kind}_{i}.pb").write_bytes(value.SerializeToString())
    return data


def tolerances(case):
    """The case's own, but not below two units in the last place of a float16 output. Where no output
    is a floating-point number there is none."""
    types = {element_type(value) for _, values in case.data_sets for value in values}
    if not any(np.issubdtype(type, np.floating) for type in types):
        return []
    relative = max(case.rtol, 2.0**-9) if np.float16 in types else case.rtol
    return [f"--rtol={relative}", f"--atol={case.atol}"]


def element_type(value):
    """The numpy type of an expected output, which may be a tensor of ONNX."""
    if isinstance(value, TensorProto):
        return onnx.helper.tensor_dtype_to_np_dtype(value.data_type).type
    return np.asarray(value).dtype.type


def run_case(tools, case, folder, target, prepare):
    """Compiles one case for each of its data sets and runs it; returns its verdict and the reason.
    With `prepare` it is left to be run on another machine, and counts as passed."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(case.model, folder / "model.onnx")
    commands = []
    for number in range(len(case.data_sets)):
        data = write_data_set(case, number, folder)
        artifact = folder / f"model_{number}.udnn"
        artifact.unlink(missing_ok=True)
        compiled = tools.run("udnn-compile", folder / "model.onnx", f"--target={target}",
                             f"--example-data={data}", "-o", artifact, timeout=120)
        if compiled.code == 1:
            return REFUSED, compiled.error
        if compiled.code != 0:
            return FAILED, f"udnn-compile {compiled.error}"
        commands.append([artifact.name, f"--test-data={data.name}", *tolerances(case)])
    if prepare:
        udnn_testing.write_check(folder, commands)
        return PASSED, ""
    for command in commands:
        ran = tools.run("udnn-run", *command, timeout=120, cwd=folder)
        if ran.code != 0:
            return FAILED, f"udnn-run: {ran.error}"
    return PASSED, ""


def general_reason(reason):
    """The reason without locations and values, so that equal reasons are counted together."""
    reason = re.sub(r"^.*?error: ", "", reason)
    return re.sub(r"'[^']*'|\d+", "*", reason)[:110]


def print_table(verdicts, operators):
    rows = collections.defaultdict(collections.Counter)
    for name, (verdict, _) in verdicts.items():
        rows[operators[name]][verdict] += 1
    print(f"\n{'operator':22} {PASSED:>8} {FAILED:>8} {REFUSED:>12}  reasons")
    for operator, row in sorted(rows.items()):
        reasons = collections.Counter(
            general_reason(reason) for name, (verdict, reason) in verdicts.items()
            if operators[name] == operator and verdict != PASSED)
        text = "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(3))
        print(f"{operator:22} {row[PASSED]:8} {row[FAILED]:8} {row[REFUSED]:12}  {text}")
    total = collections.Counter(verdict for verdict, _ in verdicts.values())
    print(f"{'all':22} {total[PASSED]:8} {total[FAILED]:8} {total[REFUSED]:12}")


def main():
    parser = udnn_testing.parser(__doc__.splitlines()[0], "conformance", prepares=True)
    parser.add_argument("--filter", default="", help="only cases whose name matches this pattern")
    parser.add_argument("--jobs", type=int, default=udnn_testing.cpus(), help="cases run at a time")
    parser.add_argument("--update", action="store_true", help="write the cases that pass to the list")
    parser.add_argument("--results", type=pathlib.Path, help="write every verdict to this JSON file")
    arguments = parser.parse_args()
    if arguments.prepare and arguments.update:
        parser.error("--update needs the results of --prepare's cases")
    tools = udnn_testing.Tools(arguments.tools)
    list_file = pathlib.Path(__file__).with_name("covered.txt")
    covered = set(list_file.read_text().split())

    cases, operators = load_cases()
    print(f"{len(cases)} node tests use only udnn's operators and element types")
    folder = arguments.prepare or arguments.work
    names = sorted(name for name in cases if re.search(arguments.filter, name))
    if not names:
        parser.error(f"no case in scope matches '{arguments.filter}': is its operator in OPERATORS?")
    verdicts, start = {}, time.time()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        answers = pool.map(
            lambda name: run_case(tools, cases[name], folder / name, arguments.target,
                                  arguments.prepare), names)
        for name, (verdict, reason) in zip(names, answers):
            if verdict == REFUSED and name in covered and not arguments.update:
                verdict = FAILED
            verdicts[name] = verdict, reason
            if verdict == FAILED:
                print(f"failed: {name}: {reason}")
            if len(verdicts) % 100 == 0:
                print(f"{len(verdicts)} of {len(names)} cases, {time.time() - start:.0f} s",
                      flush=True)

    print_table(verdicts, operators)
    gone = sorted(covered - set(cases))
    for name in gone:
        print(f"{'no longer in the list' if arguments.update else 'failed'}: {name}: listed, but no "
              "case in scope")
    passed = {name for name, (verdict, _) in verdicts.items() if verdict == PASSED}
    if passed - covered and not arguments.update:
        print(f"{len(passed - covered)} cases pass that the list lacks: add them with --update")
    if arguments.update:
        kept = (covered & set(cases) - set(names)) | passed
        for name in sorted(covered & set(verdicts) - kept):
            print(f"no longer in the list: {name}: {verdicts[name][1]}")
        list_file.write_text("".join(f"{name}\n" for name in sorted(kept)))
    if arguments.results:
        arguments.results.write_text(json.dumps(verdicts, indent=1, sort_keys=True))
    failed = any(verdict == FAILED for verdict, _ in verdicts.values())
    return 1 if failed or (gone and not arguments.update) else 0


if __name__ == "__main__":
    sys.exit(main())
