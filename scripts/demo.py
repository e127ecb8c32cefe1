"""Reads a line of text in a picture with a model that udnn compiled, next to ONNX Runtime.

The model is the text recognition model of rapidocr-onnxruntime, compiled for the CPU at the width of
the picture. Without --image a picture is drawn.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
HEIGHT = 48  # of the pictures that the model was trained on
ITERATIONS = 50


def model_file():
    package = importlib.util.find_spec("rapidocr_onnxruntime")
    if package is None:
        raise SystemExit("error: the package rapidocr-onnxruntime is missing: run scripts/install.sh")
    return pathlib.Path(package.submodule_search_locations[0]) / "models/ch_PP-OCRv4_rec_infer.onnx"


def draw(text):
    """A picture of the text, dark on a bright ground."""
    font = ImageFont.load_default(size=36)
    left, _, right, _ = font.getbbox(text)
    picture = Image.new("RGB", (int(right - left) + 32, 56), (246, 242, 230))
    ImageDraw.Draw(picture).text((16, 28), text, fill=(30, 40, 90), font=font, anchor="lm")
    return picture


def preprocess(picture):
    """The model's input: height 48, the width in proportion, blue first, values from -1 to 1."""
    width = max(8, round(picture.width * HEIGHT / picture.height))
    picture = picture.convert("RGB").resize((width, HEIGHT), Image.Resampling.BILINEAR)
    values = np.asarray(picture, np.float32)[:, :, ::-1] / 127.5 - 1
    return np.ascontiguousarray(values.transpose(2, 0, 1)[None])


def decode(scores, characters):
    """The text of the best class per column: repetitions count once, class 0 stands for none."""
    best = scores[0].argmax(axis=1)
    kept = [c for i, c in enumerate(best) if c != 0 and (i == 0 or c != best[i - 1])]
    return "".join(characters[c - 1] for c in kept)


def read_with_onnxruntime(model, values, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    feeds = {session.get_inputs()[0].name: values}
    for _ in range(5):
        session.run(None, feeds)
    times = []
    for _ in range(ITERATIONS):
        start = time.perf_counter()
        scores = session.run(None, feeds)[0]
        times.append(1e3 * (time.perf_counter() - start))
    characters = session.get_modelmeta().custom_metadata_map["character"].splitlines() + [" "]
    return scores, statistics.median(times), characters


def run(command):
    """Runs a tool and returns what it printed; ends the demo with the tool's message if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"error: {command[0].name} failed")
    return done.stdout


def read_with_udnn(tools, model, values, threads, work):
    artifact = work / "recognize.udnn"
    shape = "x".join(map(str, values.shape))
    run([tools / "udnn-compile", model, "--target=cpu", f"--shape=x={shape}", "-o", artifact])
    np.save(work / "picture.npy", values)
    report = run([tools / "udnn-run", artifact, f"--input=x={work / 'picture.npy'}",
                  f"--output-dir={work}", "--warmup=5", f"--iterations={ITERATIONS}",
                  f"--threads={threads}", "--json"])
    return np.load(work / "output_0.npy"), json.loads(report)["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", default=REPOSITORY / "build/bin", type=pathlib.Path,
                        help="folder of the programs (default: build/bin of the checkout)")
    parser.add_argument("--image", type=pathlib.Path, help="picture with one line of text")
    parser.add_argument("--text", default="Compiled by udnn: 48 pixels high, 2 threads",
                        help="what to draw where no picture is given")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    work = REPOSITORY / "build/demo"
    work.mkdir(parents=True, exist_ok=True)

    if arguments.image:
        try:
            picture = Image.open(arguments.image)
            picture.load()
        except (OSError, Image.DecompressionBombError) as error:
            raise SystemExit(f"error: cannot read the picture {arguments.image}: {error}")
        print(f"demo: picture {arguments.image}, {picture.width} x {picture.height}")
    else:
        picture = draw(arguments.text)
        picture.save(work / "picture.png")
        print(f"demo: drew '{arguments.text}' into {work / 'picture.png'}")
    values, model = preprocess(picture), model_file()
    print(f"demo: compiling {model.name} for pictures of {values.shape[3]} x {HEIGHT}", flush=True)
    scores, milliseconds = read_with_udnn(arguments.tools.resolve(), model, values,
                                          arguments.threads, work)
    expected, reference, characters = read_with_onnxruntime(model, values, arguments.threads)
    words, expected_words = decode(scores, characters), decode(expected, characters)
    print(f"demo: read in the picture, {arguments.threads} threads, median of {ITERATIONS} runs:")
    print(f"  udnn          {milliseconds:7.2f} ms  '{words}'")
    print(f"  ONNX Runtime  {reference:7.2f} ms  '{expected_words}'")
    if words != expected_words:
        print("error: udnn and ONNX Runtime read different texts", file=sys.stderr)
        return 1
    print("demo: both read the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
