"""The runtime's C API from Python: what a benchmark needs of include/udnn-c/udnn.h.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np


RELEASE = "0.1"


class ProgramInfo(ctypes.Structure):
    _fields_ = [("entry", c_char_p), ("device_kind", c_char_p), ("device_arch", c_char_p),
                ("device_features", POINTER(c_char_p)), ("num_device_features", c_size_t),
                ("arena_bytes", c_uint64), ("worker_bytes", c_uint64), ("live_bytes", c_uint64),
                ("constant_bytes", c_uint64), ("num_inputs", c_size_t), ("num_outputs", c_size_t),
                ("num_launches", c_size_t), ("code_format", c_char_p)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int32), ("type_name", c_char_p), ("rank", c_size_t),
                ("shape", POINTER(c_int64)), ("bytes", c_uint64), ("frozen", c_void_p)]


class LaunchInfo(ctypes.Structure):
    _fields_ = [("layer", c_char_p), ("family", c_char_p), ("kernel", c_char_p),
                ("grid", c_int64 * 3), ("block", c_int64 * 3), ("shared_bytes", c_uint64),
                ("queue", c_uint32), ("num_arguments", c_size_t)]


class Program:
    """An artifact's program in a context with so many threads, its float tensors bound."""

    def __init__(self, library, path, threads, device="cpu"):
        self.api = ctypes.CDLL(str(library))
        self.api.udnn_last_error.restype = c_char_p
        self.check_version()
        self.model, self.context, index = c_void_p(), c_void_p(), c_size_t()
        self.call("udnn_model_load_file", str(path).encode(), byref(self.model))
        self.call("udnn_model_find_program", self.model, None, device.encode(), byref(index))
        self.info = ProgramInfo()
        self.call("udnn_model_get_program", self.model, index, byref(self.info))
        self.call("udnn_context_create", self.model, index, device.encode(), c_uint32(threads),
                  byref(self.context))
        self.inputs = self.bind(index, "input", self.info.num_inputs)
        self.outputs = self.bind(index, "output", self.info.num_outputs)
        self.launches = []
        for i in range(self.info.num_launches):
            launch = LaunchInfo()
            self.call("udnn_model_get_launch", self.model, index, c_size_t(i), byref(launch))
            self.launches.append((launch.layer.decode(), launch.family.decode()))

    def __del__(self):
        # Left out are those that were not made before an error.
        for kind in ("context", "model"):
            if handle := getattr(self, kind, None):
                self.call(f"udnn_{kind}_destroy", handle)
                setattr(self, kind, None)

    def check_version(self):
        """The structures above are those of one release of the library."""
        version, format_version, abi_version = c_char_p(), c_uint32(), c_uint32()
        self.call("udnn_version", byref(version), byref(format_version), byref(abi_version))
        found = version.value.decode()
        if found.split(".")[:2] != RELEASE.split("."):
            raise RuntimeError(f"expects libudnn {RELEASE}, got {found}")

    def call(self, function, *arguments):
        if getattr(self.api, function)(*arguments):
            raise RuntimeError(f"{function}: {self.api.udnn_last_error().decode()}")

    def bind(self, program, kind, count):
        arrays = {}
        for i in range(count):
            info = TensorInfo()
            self.call(f"udnn_model_get_{kind}", self.model, program, c_size_t(i), byref(info))
            array = np.zeros([info.shape[d] for d in range(info.rank)], np.float32)
            if array.nbytes != info.bytes:
                raise RuntimeError(f"{kind} '{info.name.decode()}' is no float tensor")
            self.call(f"udnn_context_bind_{kind}", self.context, c_size_t(i),
                      array.ctypes.data_as(c_void_p), c_size_t(array.nbytes))
            arrays[info.name.decode()] = array
        return arrays

    def run(self):
        self.call("udnn_context_run", self.context)

    def profile(self):
        """Milliseconds of each launch in one run."""
        times = (c_int64 * len(self.launches))()
        self.call("udnn_context_run_profiled", self.context, c_size_t(len(times)), times)
        return np.array(times, np.float64) / 1e6
