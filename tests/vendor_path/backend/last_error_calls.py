#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that last_error_calls_test.cpp covers every public call that touches a runtime. last_error_calls.py
INCLUDE_FOLDER TEST.

A public function names its caller in errors, so it takes a call_site. This script finds these functions by
name ("basic_stream::synchronize") in the headers above a backend. The test's untouched("…", …) must list
exactly these names."""

import re
import sys
from pathlib import Path

# Leaves out internal functions, the test functions of the host backend, and functions that a library's own
# header adds.
LEFT_OUT = re.compile(r"(^|/)detail/|^(backend(?!/declare_launch)|debug|race)/|^handles/(?!stream_bound)")
SITE = re.compile(r"\bcall_site(?:\s+\w+)?\s*=\s*call_site::current\(\)|\bLocated(?:<|Bytes\b)")
CLASS = re.compile(r"^(?:class|struct)\s+(?:(?:\[\[[^\]]*\]\]|WARPSAFE_DETAIL_\w+)\s*)*(\w+)[^;(){}]*\{", re.MULTILINE)


def stands_on_backend(path, include, seen):
    if path in seen or not path.exists():
        return False
    seen.add(path)
    names = re.findall(r"#include <warpsafe/([\w/]+\.hpp)>", path.read_text())
    return path.name == "declare_launch.hpp" or "backend/kernel_entry.hpp" in names or any(stands_on_backend(include / "warpsafe" / name, include, seen)
                                                 for name in names)  # fmt: skip


def without_blocks(text, opening):
    """The text without the braces' content after each match."""
    while found := re.search(opening, text):
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: found.start()] + text[end:]
    return text


def calls_in(path):
    text = re.sub(r"//[^\n]*", "", path.read_text())
    text = without_blocks(text, r"namespace detail \{")
    classes = [(found.start(), found[1]) for found in CLASS.finditer(text)]
    ends = {start: text.find("\n};", start) for start, _ in classes}
    for found in SITE.finditer(text):
        start, depth = found.start(), 0
        while start > 0 and not (text[start] == "(" and depth == 0):
            depth += {")": 1, "(": -1}.get(text[start], 0)
            start -= 1
        name = re.search(r"(\w+)\s*$", text[:start])
        owner = [its for begin, its in classes if begin < found.start() < ends[begin]]
        if name:
            yield "::".join([*owner[-1:], name[1]])


def main():
    include, test = Path(sys.argv[1]), Path(sys.argv[2])
    headers = [path for path in sorted((include / "warpsafe").rglob("*.hpp"))
               if not LEFT_OUT.search(path.relative_to(include / "warpsafe").as_posix())
               and stands_on_backend(path, include, set())]  # fmt: skip
    calls = {call for path in headers for call in calls_in(path)}
    tested = set(re.findall(r'untouched(?:_value)?\(\s*"([\w:]+)"', test.read_text()))
    for call in sorted(calls - tested):
        print(f"{call}: no test plants an error before it")
    for call in sorted(tested - calls):
        print(f"{call}: no header has it")
    print(f"{len(calls)} calls in {len(headers)} headers")
    return calls != tested or not calls


if __name__ == "__main__":
    sys.exit(main())
