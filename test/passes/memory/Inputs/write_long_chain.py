"""Prints a function that concatenates COUNT parts, each computed from the one before it.

    write_long_chain.py COUNT

SPDX-License-Identifier: Apache-2.0
"""

import sys

COUNT = int(sys.argv[1])
PART, WHOLE = "tensor<1x4xf32>", f"tensor<{COUNT}x4xf32>"


def main():
    print(f"func.func @main(%in: {PART}) -> {WHOLE} {{")
    print(f"  %whole0 = tensor.empty() : {WHOLE}")
    read = "%in"
    for i in range(COUNT):
        print(f"  %empty{i} = tensor.empty() : {PART}")
        print(f'  %part{i} = dnn.dispatch "part" @k ins({read} : {PART}) outs(%empty{i} : {PART}) -> {PART}')
        print(f"  %whole{i + 1} = tensor.insert_slice %part{i} into %whole{i}[{i}, 0] [1, 4] [1, 1] "
              f": {PART} into {WHOLE}")
        print(f"  %read{i} = tensor.extract_slice %whole{i + 1}[{i}, 0] [1, 4] [1, 1] : {WHOLE} to {PART}")
        read = f"%read{i}"
    print(f"  return %whole{COUNT} : {WHOLE}")
    print("}")
    print(f'dnn.kernel @k family "cpu.generic" parameters {{}} num_outputs 1 : ({PART}, {PART}) -> () {{')
    print(f"^bb0(%a: {PART}, %b: {PART}):")
    print(f"  dnn.yield %a : {PART}")
    print("}")


if __name__ == "__main__":
    main()
