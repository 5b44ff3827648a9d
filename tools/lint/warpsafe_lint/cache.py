# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The folder of the user's cache for this tool."""

import contextlib
import os
import pathlib


def folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "warpsafe-lint"


def write(file, produce):
    """Writes a file of the cache: `produce` writes it to the path that it is given. Other processes may write the same file: the
    last one wins, and none reads a half."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")
    try:
        produce(part)
        part.replace(file)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)  # of a full disk
