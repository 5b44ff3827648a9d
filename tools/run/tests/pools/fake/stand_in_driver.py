# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The stand-in for CUDA's driver from Python, and a pool over it that keeps each block for its stream."""

import ctypes

driver = ctypes.CDLL("libcuda.so.1")
PIECE = 1 << 20


def check(status):
    assert status == 0, status


def pointer(value):
    return ctypes.c_void_p(value)


def made(function, *arguments):
    handle = ctypes.c_void_p()
    check(function(ctypes.byref(handle), *arguments))
    return handle.value


check(driver.cuInit(0))


def new_stream():
    return made(driver.cuStreamCreate, 1)


def new_event():
    return made(driver.cuEventCreate, 2)


def order(first, second):
    event = new_event()
    check(driver.cuEventRecord(pointer(event), pointer(first)))
    check(driver.cuStreamWaitEvent(pointer(second), pointer(event), 0))


def launch(name, stream, *addresses):
    """The stand-in's kernels of files have two pointers."""
    function = made(driver.cuModuleGetFunction, pointer(made(driver.cuModuleLoad, __file__.encode())), f"_Z{len(name)}{name}PfS_".encode())
    values = [ctypes.c_uint64(one) for one in addresses]
    array = (ctypes.c_void_p * 2)(*(ctypes.addressof(one) for one in values))
    check(driver.cuLaunchKernel(pointer(function), 1, 1, 1, 32, 1, 1, 0, pointer(stream), array, None))


class Pool:
    def __init__(self):
        self.begin = None
        self.used = 0
        self.free_blocks = []  # (stream, size, address)
        self.waiting = []  # (events, block)

    def take(self, size, stream):
        if self.begin is None:
            self.begin = made(driver.cuMemAlloc_v2, ctypes.c_size_t(PIECE))
        for events, block in list(self.waiting):
            if all(driver.cuEventQuery(pointer(one)) == 0 for one in events):
                self.waiting.remove((events, block))
                self.free_blocks.append(block)
        size = (size + 511) // 512 * 512
        for block in self.free_blocks:
            if block[:2] == (stream, size):
                self.free_blocks.remove(block)
                return block
        self.used += size
        return stream, size, self.begin + self.used - size

    def give_back(self, block, streams=()):
        events = []
        for stream in streams:
            events.append(new_event())
            check(driver.cuEventRecord(pointer(events[-1]), pointer(stream)))
        if events:
            self.waiting.append((events, block))
        else:
            self.free_blocks.append(block)
