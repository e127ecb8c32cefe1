"""Checks the outputs of outputs.onnx against one another: one of them is the input.

SPDX-License-Identifier: Apache-2.0
"""

import sys
from pathlib import Path

import numpy as np

relu, x, constant, flat, again, joined = (
    np.load(Path(sys.argv[1]) / f"output_{i}.npy") for i in range(6))
assert x.min() < 0 < x.max(), "the input does not tell Relu from Identity"
np.testing.assert_array_equal(relu, np.maximum(x, 0))
np.testing.assert_array_equal(constant, np.arange(7, dtype=np.float32))
np.testing.assert_array_equal(flat, relu.reshape(2, 15))
np.testing.assert_array_equal(again, relu)
np.testing.assert_array_equal(joined, np.concatenate([-x, relu, x], axis=1))
