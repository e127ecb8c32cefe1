"""Runs cases that the test scripts wrote with --prepare, on the machine that has the device.

    run_prepared.py FOLDER [--run build/bin/udnn-run] [--jobs N] [--device=cuda:0 ...]

Options that it does not know are passed on to udnn-run. Prints every failure and a summary; exits with 1 if a
case failed. Needs nothing but Python, udnn-run and its library.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def run_case(folder, environment, options, timeout):
    """Runs one case; returns its output and whether it passed."""
    try:
        done = subprocess.run(["sh", folder / "check.sh", *options], env=environment,
                              capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "timed out", False
    return (done.stdout + done.stderr).decode(errors="replace"), done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="what --prepare wrote")
    parser.add_argument("--run", type=pathlib.Path, default=pathlib.Path("build/bin/udnn-run"),
                        help="the program (default: build/bin/udnn-run)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="cases run at a time")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a case")
    parser.add_argument("--verbose", action="store_true", help="print what udnn-run prints")
    arguments, options = parser.parse_known_args()
    environment = dict(os.environ, UDNN_RUN=str(arguments.run.resolve()))
    cases = sorted(path.parent for path in arguments.folder.rglob("check.sh"))
    if not cases:
        parser.error(f"no case in {arguments.folder}: write some with --prepare")
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        answers = pool.map(
            lambda case: run_case(case, environment, options, arguments.timeout), cases)
        for case, (output, passed) in zip(cases, answers):
            failures += not passed
            if arguments.verbose or not passed:
                name = case.relative_to(arguments.folder)
                print(f"{name}: {'passed' if passed else 'FAILED'}\n{output.rstrip()}", flush=True)
    print(f"{len(cases) - failures} of {len(cases)} cases passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
