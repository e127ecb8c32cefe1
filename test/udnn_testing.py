"""What udnn's Python tests share: running the tools, and finding test models.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import importlib.util
import os
import pathlib
import shlex
import shutil
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


class Result:
    """How a tool ended: `code` (negative: killed by that signal, None: timed out) and its output."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def error(self):
        """The line that says what went wrong: the first one that says "error", else the first."""
        lines = [line for line in (self.err + "\n" + self.out).splitlines() if line.strip()]
        if self.code is None:
            return "timed out"
        if self.code < 0 or self.code > 1:
            last = lines[-1] if lines else ""
            crash = next((line for line in lines if "ssert" in line or "ERROR:" in line), last)
            return f"crashed with exit code {self.code}: {crash}"
        errors = [line for line in lines if "error" in line.lower()]
        return (errors or lines or ["no message"])[0]


class Tools:
    """The programs of one build."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()

    def run(self, tool, *arguments, timeout=300, cwd=None):
        command = [str(self.folder / tool), *map(str, arguments)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=timeout, cwd=cwd,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return Result(None, "", "")
        except FileNotFoundError:
            return Result(127, "", f"error: there is no {command[0]}")
        return Result(done.returncode, done.stdout.decode(errors="replace"),
                      done.stderr.decode(errors="replace"))


def find_ptxas():
    """The assembler that udnn-compile takes, or None; that of the Python package
    nvidia-cuda-nvcc-cu12 is made known to it by CUDA_HOME where there is no other."""
    home = os.environ.get("CUDA_HOME")
    if not home and not shutil.which("ptxas") and not os.path.exists("/usr/local/cuda/bin/ptxas"):
        try:
            spec = importlib.util.find_spec("nvidia.cuda_nvcc")
        except ModuleNotFoundError:
            spec = None
        if spec is None:
            return None
        home = os.environ["CUDA_HOME"] = str(spec.submodule_search_locations[0])
    if home:
        return shutil.which("ptxas", path=os.path.join(home, "bin"))
    return shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")


def cpus():
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


class Parser(argparse.ArgumentParser):
    """Refuses a target whose artifacts nobody would run."""

    def parse_args(self, *arguments):
        result = super().parse_args(*arguments)
        if getattr(result, "target", "cpu") != "cpu" and not result.prepare:
            self.error(f"expects --prepare with --target={result.target}: only artifacts for the "
                       "CPU are run here")
        return result


def parser(description, work, prepares=False):
    """An argument parser with the options that every test script has, and with those of one that
    can leave its cases to another machine."""
    result = Parser(description=description)
    result.add_argument("--tools", default=REPOSITORY / "build" / "bin",
                        help="folder of the programs (default: build/bin of the checkout)")
    result.add_argument("--work", default=REPOSITORY / "build" / work, type=pathlib.Path,
                        help=f"folder for models and results (default: build/{work})")
    if not prepares:
        return result
    result.add_argument("--prepare", type=pathlib.Path, metavar="FOLDER",
                        help="do not run; write artifacts, inputs and expected results there, each "
                        "with a check.sh for the machine that is to run them (test/run_prepared.py)")
    result.add_argument("--target", default="cpu", help="target to compile for (default: cpu); "
                        "others than the CPU with --prepare only")
    return result


def write_check(folder, commands):
    """Writes `check.sh`, which runs commands of udnn-run in its own folder, on any machine: UDNN_RUN
    is the program, and arguments of the script are passed on."""
    lines = ['cd "$(dirname "$0")" || exit 1']
    for command in commands:
        words = " ".join(shlex.quote(str(word)) for word in command)
        lines.append(f'${{UDNN_RUN:-udnn-run}} {words} "$@" || exit 1')
    (folder / "check.sh").write_text("\n".join(lines) + "\n")


def package_folder(name):
    """The folder of an installed Python package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise SystemExit(f"error: the Python package {name} is not installed: scripts/install.sh")
    return pathlib.Path(spec.submodule_search_locations[0])
