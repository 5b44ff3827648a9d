# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part of the stand-in for PyTorch."""

import contextlib

import stand_in_driver as device
import torch

from . import _gpu_trace as _gpu_trace

BACKEND = "native"


class Stream:
    def __init__(self):
        self.cuda_stream = device.new_stream()

    def wait_stream(self, other):
        device.order(other.cuda_stream, self.cuda_stream)


@contextlib.contextmanager
def stream(one):
    torch.current.append(one.cuda_stream)
    yield
    torch.current.pop()


blocks = {}


def caching_allocator_alloc(size, device=None, stream=None):
    if isinstance(stream, Stream):
        stream = stream.cuda_stream
    block = torch.take(size, stream)
    blocks[block[2]] = block
    return block[2]


def caching_allocator_delete(address):
    torch.give_back(blocks.pop(address), [])


def current_device():
    return 0


def get_allocator_backend():
    return BACKEND


def memory_stats_as_nested_dict(index):
    assert index == 0
    return {"allocation": {"all": {"allocated": torch.counts[0]}}, "allocated_bytes": {"all": {"allocated": torch.counts[1]}}}
