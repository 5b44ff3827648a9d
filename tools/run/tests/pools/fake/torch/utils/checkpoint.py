# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part of the stand-in for PyTorch."""

import contextlib

early_stop = None


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    global early_stop
    before, early_stop = early_stop, enable
    try:
        yield
    finally:
        early_stop = before
