# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part of the stand-in for PyTorch."""

callbacks = []


def register_callback_for_memory_allocation(callback):
    callbacks.append(callback)


def fire(address):
    for one in callbacks:
        one(address)
