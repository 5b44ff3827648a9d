# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What a program on the host backend links."""

import subprocess


def host_libraries(compiler):
    """The options for the processor that the compiler makes programs for."""
    machine = subprocess.run([compiler, "-dumpmachine"], capture_output=True, text=True, check=True).stdout
    # For others than x86-64, the library has no switch between fibres of its own.
    return ["-pthread"] if machine.startswith("x86_64") else ["-lboost_context", "-pthread"]
