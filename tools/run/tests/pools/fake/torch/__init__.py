# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A stand-in for PyTorch: the functions that the adapter uses, and tensors of a caching allocator."""

import types

import stand_in_driver as device

version = types.SimpleNamespace(cuda="13.0", hip=None)
pool = device.Pool()
counts = [0, 0]
current = [0]
traced = []

_C = types.SimpleNamespace(_activate_gpu_trace=lambda: traced.append(True), _cuda_getCurrentRawStream=lambda index: current[-1])

from . import cuda  # noqa: E402  (it uses what is above)


def take(size, stream):
    block = pool.take(size, stream)
    counts[0] += 1
    counts[1] += block[1]
    if traced:
        cuda._gpu_trace.fire(cuda._gpu_trace.allocations, block[2])
    return block


def give_back(block, streams):
    if traced:
        cuda._gpu_trace.fire(cuda._gpu_trace.frees, block[2])
    pool.give_back(block, streams)


class Tensor:
    def __init__(self, size):
        self.block = take(size, current[-1])
        self.streams = []

    def data_ptr(self):
        return self.block[2]

    def record_stream(self, stream):
        self.streams.append(stream.cuda_stream)

    def __del__(self):
        give_back(self.block, self.streams)


def empty(size):
    return Tensor(size)
