# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What makes a mistake a note although its sentence holds: each run of the program reports it, another row reports it for the
same launch, or the tree itself is the runtime and decides what a call means."""

import re

from .. import index, registry
from ..function import api
from ..tree import call_arguments, call_name, is_dropped, plain
from . import levels

# Rows for a size that a launch has in each run, and that a device refuses: the launch has no other way to fail.
SIZES = ("A04", "A05", "A11", "A19", "B01", "B03", "B05", "B08")


def is_reported(function, launch):
    """Whether the function reads the error of a launch before its next launch. A launch that no device accepts then says so in
    each run: its author shows the mistake, or knows it."""
    following = [other.order for other in registry.all_launches(function) if other.order > launch.order]
    return any(launch.order < call.order < min(following, default=call.order + 1) and function.looks(call) and
               not (is_dropped(call) and api(call_name(call))) for call in function.calls)


def of_size(function, launch):
    """The entry of levels.py of the row that reports a size of a launch, which is more than a note of that row; or "". One launch then
    has one finding of its size."""
    for row in SIZES:
        for found in registry.OF_LAUNCH[row](function.program, function, launch) or ():
            if found.severity != "note":
                return levels.key_of(row, found.form)
    return ""


def is_runtime(program):
    """Whether the tree defines the vendor's functions itself: its host may be its device."""
    return index.of_file(program.file).is_runtime


def is_for_every_address(function, node):
    """Whether a function advises or prefetches memory that it allocates with malloc, or declares: it is made for systems whose
    devices read all memory of the host. The text counts, because newer versions of CUDA lack some of these calls."""
    text = function.program.source[function.node.start:function.node.end].decode(errors="replace")
    return re.search(rf"\b(cuda|hip)Mem(Advise|PrefetchAsync)\w*\s*\(\s*{re.escape(function.program.text(plain(node)))}\b", text) is not None
