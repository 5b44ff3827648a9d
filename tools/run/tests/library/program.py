# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Calls a stand-in for cuBLAS by ctypes. Prints "not readable" if the watch does not know this version's frames."""

import ctypes
import sys

if sys.version_info[:2] not in ((3, 11), (3, 12), (3, 13)):
    print("not readable")
ctypes.CDLL("libcuda.so.1").cuInit(0)
library = ctypes.CDLL("libcublas.so.13")


def multiply(status):
    return library.cublasReturn(status)


def train():
    for _ in range(5):
        multiply(14)
    return library.cublasReturn(14)


if train() != 14 or multiply(0) != 0 or hasattr(library, "cublasNothing"):
    sys.exit(3)
