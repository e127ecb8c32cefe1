"""Writes the ONNX models that a test holds as text.

A section `//--- NAME` of the test, up to the next one, becomes FOLDER/NAME.onnx; lines that start
with `//` are left out. A section `//--- NAME.pb` is one line `type[dims] name = {values}` and becomes
a tensor file.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import sys

import onnx.parser


def write_section(path, text):
    if path.suffix == ".pb":
        # The parser reads tensors only inside of a graph.
        graph = onnx.parser.parse_graph(f"g () => () <{text.strip()}> {{}}")
        path.write_bytes(graph.initializer[0].SerializeToString())
    else:
        path.with_name(path.name + ".onnx").write_bytes(onnx.parser.parse_model(text).SerializeToString())


def main():
    test, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for section in test.read_text().split("\n//--- ")[1:]:
        name, _, body = section.partition("\n")
        lines = [line for line in body.splitlines() if not line.startswith("//")]
        path = folder / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_section(path, "\n".join(lines))


main()
