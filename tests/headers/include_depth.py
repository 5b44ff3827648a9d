#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that the headers with the sentences about a launch are near to the program's line.

g++ prints the chain of includes that led to a header before an error in it, then the functions between
the program's line and the error. A sentence is within the first eight lines if the chain has two.
"""

import re
import subprocess
import sys
from pathlib import Path

MOST = 2
FIRST = ("debug", "graph", "memory", "module", "race", "warpsafe")
SENTENCES = ("kernel/detail/argument_types.hpp", "launch/detail/launch_diagnostics.hpp")


def depths(compiler, include, first):
    """For each header of the library the length of the chain of includes that leads to it."""
    source = f"#include <warpsafe/{first}.hpp>\n#include <warpsafe/warpsafe.hpp>\n"
    command = [compiler, "-std=c++20", "-x", "c++", "-E", "-H", "-I", str(include), "-", "-o", "/dev/null"]
    said = subprocess.run(command, input=source, text=True, capture_output=True, check=True).stderr
    found = {}
    for dots, path in re.findall(r"^(\.+) (.*)$", said, re.MULTILINE):
        found.setdefault(path.removeprefix(f"{include}/warpsafe/"), len(dots))
    return found


def main():
    include, compiler = Path(sys.argv[1]), sys.argv[2]
    problems = []
    for first in FIRST:
        found = depths(compiler, include, first)
        for header in SENTENCES:
            depth = found.get(header, MOST + 1)
            if depth > MOST:
                problems.append(f"a program that includes {first}.hpp first reaches {header} by {depth} includes")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
