"""Gives the tools broken inputs: each must end in exit code 1 and an error that names the cause.

No crash, no assertion, no file left behind. Damage at random places may also leave a sound file;
there only a crash is a failure.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import os
import pathlib
import random
import re
import secrets
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import udnn_testing
import broken_files
import broken_models
import models

INTERNAL = re.compile(r"PLEASE submit|Stack dump|[Aa]ssertion|LLVM ERROR|terminate called|"
                      r"Sanitizer|bad_alloc")


def listing(folder):
    return {path for path in folder.rglob("*")}


def complaints(tools, command, expected, folder):
    """What is wrong with how the command failed."""
    before = listing(folder)
    result = tools.run(*command, timeout=60, cwd=folder)
    found = []
    if result.code != 1:
        found.append(f"exit code {result.code} instead of 1")
    if INTERNAL.search(result.err + result.out):
        found.append("an internal failure shows through")
    # The name of the case is part of paths and says nothing.
    _, error, text = result.err.replace(str(folder), "").partition("error: ")
    if not error:
        found.append("no error is printed")
    elif not re.search(expected, text):
        found.append(f"the error does not say {expected!r}")
    left = sorted(str(path.relative_to(folder)) for path in listing(folder) - before)
    if left:
        found.append(f"left behind: {', '.join(left)}")
    return found, result


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run_model(case, tools, work):
    name, function, expected, options = case
    folder = fresh(work / name)
    made = function()
    path = folder / "model.onnx"
    path.write_bytes(made if isinstance(made, bytes) else made.SerializeToString())
    command = ["udnn-compile", path, "--target=cpu", *options, "-o", folder / "out.udnn"]
    return name, *complaints(tools, command, expected, folder)


def run_file(case, tools, work, sound):
    name, function, expected = case
    # One folder deeper, so that files beside the model's folder are this case's own.
    folder = fresh(work / name / "model")
    try:
        command = function(broken_files.Bench(folder, tools, sound))
    except (AssertionError, OSError, ValueError) as problem:
        return name, [f"cannot be made: {problem}"], None
    if isinstance(command, str):
        return name, [], command
    return name, *complaints(tools, command, expected, folder)


def run_damage(tools, work, name, data, seed, command):
    """Flips bits at random places of a file; only a crash counts."""
    rng = random.Random(seed)
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.3:
        damaged = damaged[:rng.randrange(len(damaged))]
    label = f"damaged_{name}_{seed}"
    folder = fresh(work / label)
    path = folder / name
    path.write_bytes(damaged)
    result = tools.run(*command(path, folder / "out.udnn"), timeout=60, cwd=folder)
    found = []
    if result.code not in (0, 1):
        found.append(f"exit code {result.code}")
    if INTERNAL.search(result.err + result.out):
        found.append("an internal failure shows through")
    if result.code == 1 and (folder / "out.udnn").exists():
        found.append("left behind: out.udnn")
    if not found:
        shutil.rmtree(folder)
    return label, found, result


def sound_artifact(tools, work):
    """The bytes of the artifact that broken ones are made from."""
    folder = fresh(work / "sound")
    models.save(models.network(1), folder / "model.onnx")
    compiled = tools.run("udnn-compile", folder / "model.onnx", "--target=cpu", "-o",
                         folder / "sound.udnn")
    if compiled.code != 0:
        raise SystemExit(f"error: the sound model does not compile: {compiled.error}")
    return (folder / "sound.udnn").read_bytes()


def main():
    parser = udnn_testing.parser(__doc__.splitlines()[0], "broken")
    parser.add_argument("--filter", default="", help="only cases whose name matches this pattern")
    parser.add_argument("--damage", type=int, default=60,
                        help="files of either kind that are damaged at random (default: 60)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 30),
                        help="seed of the random damage (default: a fresh one)")
    parser.add_argument("--verbose", action="store_true", help="print the message of every case")
    arguments = parser.parse_args()
    tools, work = udnn_testing.Tools(arguments.tools), arguments.work.resolve()
    sound = sound_artifact(tools, work)
    model = models.network(1).SerializeToString()

    jobs = []
    jobs += [(run_model, case, tools, work) for case in broken_models.CASES]
    jobs += [(run_file, case, tools, work, sound) for case in broken_files.CASES]
    jobs = [job for job in jobs if re.search(arguments.filter, job[1][0])]
    if not jobs:
        parser.error(f"no case matches '{arguments.filter}'")
    print(f"{len(jobs)} broken inputs; random damage has seed {arguments.seed}", flush=True)
    for i in range(0 if arguments.filter else arguments.damage):
        seed = arguments.seed + i
        jobs.append((run_damage, tools, work, "model.onnx", model, seed, lambda path, out: [
            "udnn-compile", path, "--target=cpu", "-o", out]))
        jobs.append((run_damage, tools, work, "sound.udnn", sound, seed,
                     lambda path, out: ["udnn-run", path]))

    failures = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(udnn_testing.cpus()) as pool:
        for name, found, result in pool.map(lambda job: job[0](*job[1:]), jobs):
            failures += bool(found)
            if isinstance(result, str):
                skipped += 1
                print(f"{name}: skipped: {result}", flush=True)
            elif found or arguments.verbose:
                message = result.error if result else "not run"
                print(f"{name}: {'; '.join(found) or 'passed'}: {message}", flush=True)
    print(f"{len(jobs)} inputs, {failures} failed, {skipped} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
