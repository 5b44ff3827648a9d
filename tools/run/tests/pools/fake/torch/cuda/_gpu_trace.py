# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part of the stand-in for PyTorch."""

allocations = []
frees = []


def register_callback_for_memory_allocation(callback):
    allocations.append(callback)


def register_callback_for_memory_deallocation(callback):
    frees.append(callback)


def fire(callbacks, address):
    for one in callbacks:
        one(address)
