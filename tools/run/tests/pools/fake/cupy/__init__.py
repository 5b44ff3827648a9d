# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A stand-in for CuPy: its memory hooks and streams, and arrays of its pool."""

import types

import stand_in_driver as device

pool = device.Pool()
hooks = {}


class Stream:
    current = []

    def __init__(self):
        self.ptr = device.new_stream()

    def __enter__(self):
        Stream.current.append(self)

    def __exit__(self, *_):
        Stream.current.pop()


class MemoryHook:
    name = "MemoryHook"

    def __enter__(self):
        if self.name in hooks:
            raise KeyError(self.name)
        hooks[self.name] = self
        return self

    def malloc_postprocess(self, **kwargs):
        pass

    def free_preprocess(self, **kwargs):
        pass


cuda = types.SimpleNamespace(MemoryHook=MemoryHook, Stream=Stream, get_current_stream=lambda: Stream.current[-1])


class Array:
    def __init__(self, size):
        self.block = pool.take(size, Stream.current[-1].ptr)
        for hook in hooks.values():
            hook.malloc_postprocess(device_id=0, size=size, mem_size=self.block[1], mem_ptr=self.block[2], pmem_id=id(self))

    def __del__(self):
        for hook in hooks.values():
            hook.free_preprocess(device_id=0, mem_size=self.block[1], mem_ptr=self.block[2], pmem_id=id(self))
        pool.give_back(self.block)


def empty(size):
    return Array(size)
