#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks a list of the tests that end differently over a release of AMD's runtime: differences.py LIST PROGRAM

LIST has a line for each: `name | reason`. The program skips these tests (vendor_test::skip_what_differs). Here each runs,
and must fail, so that the list stays true.
"""

import os
import subprocess
import sys
from pathlib import Path


def main():
    path, program = sys.argv[1:]
    names = []
    for line in Path(path).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, reason = (part.strip() for part in line.partition("|"))
        if not reason or name in names:
            sys.exit(f"{path}: '{line}' is no row, or not the only one of its test")
        names.append(name)
    environment = os.environ | {"VENDOR_TESTS": "all"}
    for name in names:
        done = subprocess.run([program, f"--gtest_filter={name}"], env=environment, capture_output=True, text=True,
                              timeout=600, check=False)  # fmt: skip
        if "Running 1 test" not in done.stdout:
            sys.exit(f"{path}: {program} has no test {name}")
        if done.returncode == 0:
            sys.exit(f"{path}: {name} passes now, remove it")
    print(f"{len(names)} tests differ, as {path} says")


main()
