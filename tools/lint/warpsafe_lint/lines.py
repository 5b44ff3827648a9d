# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The lines of a source as a compiler counts them."""

import re


def lines_of(text, keepends=False):
    """As splitlines(), which also ends a line at a form feed and at other characters inside of one."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    return lines if keepends else [line.removesuffix("\n") for line in lines]
