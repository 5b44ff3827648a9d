# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A rank of a job that calls NCCL from Python: job.py FOLDER NCCL DRIVER. Rank 1 leaves out the third collective."""

import ctypes
import os
import pathlib
import sys
import time

FOLDER, NCCL, DRIVER = sys.argv[1:4]
RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


driver = ctypes.CDLL(DRIVER, mode=ctypes.RTLD_GLOBAL)
nccl = ctypes.CDLL(NCCL, mode=ctypes.RTLD_GLOBAL)
stream, world = ctypes.c_void_p(), ctypes.c_void_p()
data = (ctypes.c_float * 64)()


def unique_id():
    path = pathlib.Path(FOLDER, "id")
    made = UniqueId()
    if RANK == 0:
        assert nccl.ncclGetUniqueId(ctypes.byref(made)) == 0
        path.with_suffix(".part").write_bytes(bytes(made))
        path.with_suffix(".part").rename(path)
    while not path.exists():
        time.sleep(0.01)
    ctypes.memmove(ctypes.byref(made), path.read_bytes(), 128)
    return made


def all_reduce(count):
    assert nccl.ncclAllReduce(data, data, ctypes.c_size_t(count), 7, 0, world, stream) == 0  # the call
    assert driver.cuStreamSynchronize(stream) == 0


def step(number):
    all_reduce(number + 1)  # in step


def train():
    for number in range(2):
        step(number)  # in train
    if RANK == 1:
        time.sleep(600)
    all_reduce(8)  # after the steps


assert driver.cuStreamCreate(ctypes.byref(stream), 0) == 0
nccl.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, UniqueId, ctypes.c_int]
assert nccl.ncclCommInitRank(ctypes.byref(world), SIZE, unique_id(), RANK) == 0
train()  # in the module
